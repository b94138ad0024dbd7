import { z } from 'zod';

/*
 * The answer of `POST /staff/v1/reload`.
 */

export const reloadAnswer = z.object({
  /** One line for each merchant, channel and person that changed; empty when nothing did. */
  changes: z.array(z.string()),
});
export type ReloadAnswer = z.infer<typeof reloadAnswer>;
