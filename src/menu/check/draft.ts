import { z } from 'zod';
import { menuSchema, screenSchema, textSchema, withListNames } from '../schema.ts';

/** A partly valid menu: invalid parts are absent, so that the remaining parts can still be checked. */
export const draftSchema = z.object({
  languages: z.array(z.string()).catch([]),
  start: menuSchema.shape.start.optional().catch(undefined),
  messages: z.record(z.string(), textSchema.optional().catch(undefined)).catch({}),
  answers: menuSchema.shape.answers.catch(undefined),
  screens: z
    .record(z.string(), screenSchema.optional().catch(undefined))
    .catch({})
    .transform((screens) => withListNames(screens)),
});
export type MenuDraft = z.output<typeof draftSchema>;

type Path = readonly (string | number)[];

/** Reports one problem: its path in the file, the expected value, and its kind of finding unless the menu is `invalid`. */
export type Report = (
  path: Path,
  message: string,
  kind?: 'missing_translation' | 'unreachable' | 'lost' | 'loop',
) => void;

/** Returns a report whose paths are relative to `base`. */
export function reportUnder(report: Report, base: Path): Report {
  return (path, message) => report([...base, ...path], message);
}
