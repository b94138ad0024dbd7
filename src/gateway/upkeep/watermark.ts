import { rmSync } from 'node:fs';
import { z } from 'zod';
import { readPrivately, replacePrivately } from '../../sqlite/private-file.ts';

/**
 * A small file beside the database that records its ledger id and its number of facts. Copies of the database do not
 * include it: a ledger with fewer facts than its watermark, or without a watermark, is a copy from elsewhere.
 */
const watermark = z.object({ ledger: z.string(), facts: z.int().nonnegative() });
export type Watermark = z.infer<typeof watermark>;

const watermarkFile = (database: string) => `${database}.seen`;

/** Reads the watermark of a database. Returns `undefined` when there is none, or when it cannot be read. */
export function readWatermark(database: string): Watermark | undefined {
  try {
    return watermark.parse(JSON.parse(readPrivately(watermarkFile(database))));
  } catch {
    return undefined;
  }
}

/**
 * Replaces the watermark of a database atomically. After a power failure it may be behind the ledger, never ahead of it.
 *
 * @throws when it cannot be written.
 */
export function writeWatermark(database: string, mark: Watermark): void {
  replacePrivately(watermarkFile(database), `${JSON.stringify(mark)}\n`);
}

/** Removes the watermark: a gateway takes the file for a copy, and begins with a recovery. */
export function removeWatermark(database: string): void {
  rmSync(watermarkFile(database), { force: true });
}
