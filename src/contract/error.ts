import { z } from 'zod';

/**
 * The body of every error response. The interface names three codes and describes no body; this one is the
 * service's own. A client reads only the code, which it keeps beside the HTTP status.
 */
const fault = {
  code: z.string().max(64),
  message: z.string().meta({ description: 'For the developer. The wording may change.' }),
  param: z.string().optional().meta({ description: 'The field, parameter or header that caused the error.' }),
};

export const errorBody = z.object({
  error: z.object({
    ...fault,
    faults: z.array(z.object(fault)).max(20).optional().meta({
      description:
        'All faults of the request if it has several, at most 20. The first one is the error itself.',
    }),
  }),
  request_id: z
    .string()
    .optional()
    .meta({ description: 'Also in the header Request-Id. Quote it when you contact support.' }),
});
export type ErrorBody = z.infer<typeof errorBody>;

/** The code of a 429 that limits one payer's number, not the key: calls for other payers continue. */
export const payerLimited = 'too_many_prompts';
