import { expect } from 'vitest';

/* Matchers for values that the interface describes, for `toEqual`. */

/** ISO 8601, UTC, with milliseconds. */
export const isoMs = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

export const prefixed = (prefix: string) => expect.stringMatching(new RegExp(`^${prefix}_[0-9A-Za-z_-]+$`));

/** An integer amount in pesewas, zero or more. */
export const minor = expect.toSatisfy(
  (value) => Number.isSafeInteger(value) && value >= 0,
  'integer in minor units',
);

/** An error response: a code, a message and the request id. The interface describes no body. */
export function refusal(status: number, code: string, param?: string) {
  return expect.objectContaining({
    status,
    body: {
      error: { code, message: expect.any(String), ...(param === undefined ? {} : { param }) },
      request_id: expect.any(String),
    },
  });
}
