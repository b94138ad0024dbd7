import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { replacePrivately } from '../../sqlite/private-file.ts';

/**
 * A small file beside the database that says how far the ledger had come in this place. Copies of the database leave it
 * behind: a ledger that has come less far than its watermark says, or has none, was put there from somewhere else.
 */
const watermark = z.object({ ledger: z.string(), facts: z.int().nonnegative() });
export type Watermark = z.infer<typeof watermark>;

const nameOf = (database: string) => `${database}.seen`;

/** What stands beside the database; `undefined` when nothing that can be read does. */
export function readWatermark(database: string): Watermark | undefined {
  try {
    return watermark.parse(JSON.parse(readFileSync(nameOf(database), 'utf8')));
  } catch {
    return undefined;
  }
}

/** After a power cut it may be a little behind, which is right; it is never ahead, nor half written. @throws when it cannot be written. */
export function writeWatermark(database: string, seen: Watermark): void {
  replacePrivately(nameOf(database), `${JSON.stringify(seen)}\n`);
}
