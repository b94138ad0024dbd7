import { z } from 'zod';

/**
 * The body of every refused call. The interface names three codes and shows no shape; this is ours, and the
 * gateway's client reads it only to keep the code beside the HTTP status.
 */
export const errorBody = z.object({
  error: z.object({ code: z.string().max(64), message: z.string(), param: z.string().optional() }),
  request_id: z.string().optional(),
});
export type ErrorBody = z.infer<typeof errorBody>;

/** Codes that the interface documents, with their HTTP status. */
export const documentedErrors = {
  offline_mode_not_enabled: 403,
  offline_scope_required: 403,
  invalid_msisdn: 400,
} as const;

/** The code of a 429 that is about one payer's number, and not about the key: other payers need not wait. */
export const payerLimited = 'too_many_prompts';
