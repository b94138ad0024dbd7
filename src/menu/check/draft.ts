import { z } from 'zod';
import { screenSchema, textSchema } from '../schema.ts';

/** A menu as far as it can be read: what has a bad shape is absent, so that the rest is checked all the same. */
export const draftSchema = z.object({
  languages: z.array(z.string()).catch([]),
  start: z.string().optional().catch(undefined),
  messages: z.record(z.string(), textSchema.optional().catch(undefined)).catch({}),
  screens: z.record(z.string(), screenSchema.optional().catch(undefined)).catch({}),
});
export type MenuDraft = z.output<typeof draftSchema>;

/** Takes one fault: where, and what is expected there. */
export type Report = (path: readonly (string | number)[], message: string) => void;
