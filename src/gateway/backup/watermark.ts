import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { replacePrivately } from '../../sqlite/private-file.ts';

/**
 * A small file beside the database that says how far the ledger had come in this place. Copies of the database leave it
 * behind: a ledger that has come less far than its companion says, or has none, was put there from somewhere else.
 */
const companion = z.object({ ledger: z.string(), facts: z.int().nonnegative() });
export type Companion = z.infer<typeof companion>;

const nameOf = (database: string) => `${database}.seen`;

/** What stands beside the database; `undefined` when nothing that can be read does. */
export function readCompanion(database: string): Companion | undefined {
  try {
    return companion.parse(JSON.parse(readFileSync(nameOf(database), 'utf8')));
  } catch {
    return undefined;
  }
}

/** After a power cut it may be a little behind, which is right; it is never ahead, nor half written. @throws when it cannot be written. */
export function writeCompanion(database: string, seen: Companion): void {
  replacePrivately(nameOf(database), `${JSON.stringify(seen)}\n`);
}
