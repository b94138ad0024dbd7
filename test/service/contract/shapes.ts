import { expect } from 'vitest';

/** Shapes that the interface names, for `toEqual`: with these keys and no others. */

/** ISO 8601, UTC, with milliseconds. */
export const isoMs = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

export const prefixed = (prefix: string) => expect.stringMatching(new RegExp(`^${prefix}_[0-9A-Za-z_-]+$`));

/** Whole pesewas, not below nothing. */
export const minor = expect.toSatisfy(
  (value) => Number.isSafeInteger(value) && value >= 0,
  'integer in minor units',
);

/** Every refusal has a code, words for a developer, and the id of its request. The interface shows no shape. */
export function refusal(status: number, code: string, param?: string) {
  return expect.objectContaining({
    status,
    body: {
      error: { code, message: expect.any(String), ...(param === undefined ? {} : { param }) },
      request_id: expect.any(String),
    },
  });
}
