import { sql } from 'drizzle-orm';
import { z } from 'zod';
import type { EpochMs } from '../../shared/clock.ts';
import { attempt } from '../../shared/errors.ts';
import { readPrivately, replacePrivately } from '../../sqlite/private-file.ts';
import { build, prepareWrite, rowParameters } from '../../sqlite/statement.ts';
import type { Store, Write } from '../../sqlite/store.ts';
import { horizon } from '../database/schema.ts';

/** Advances the time of a horizon. It never moves back. */
export const moveHorizon = prepareWrite<typeof horizon.$inferSelect>(
  build
    .insert(horizon)
    .values(rowParameters(horizon))
    .onConflictDoUpdate({ target: horizon.name, set: { at: sql`max(${horizon.at}, excluded.at)` } }),
);

/** A small file beside a database file that records when its last verified backup was made, and where. */
const lastBackup = z.object({ at: z.int().nonnegative(), file: z.string() });
export type LastBackup = z.infer<typeof lastBackup>;

const recordFile = (database: string) => `${database}.backup`;

/** Reads when the last verified backup of a database was made. Returns `undefined` when there is none, or no readable record. */
export function readLastBackup(database: string): LastBackup | undefined {
  return attempt(() => lastBackup.parse(JSON.parse(readPrivately(recordFile(database)))));
}

/** Records a verified backup. Returns false when the folder of the database cannot be written: the backup is complete all the same. */
export function recordBackup(database: string, backup: LastBackup): boolean {
  try {
    replacePrivately(recordFile(database), `${JSON.stringify(backup)}\n`);
    return true;
  } catch {
    return false;
  }
}

/* When the last verified backup of a ledger on a server was made: a row of the ledger, which all its gateways read. */

const readTime = `SELECT at FROM horizon WHERE name = 'backup'`;

/** Returns when the last verified backup of a ledger on a server was made; undefined when `dialtill backup` made none. */
export async function readServerBackup(store: Store): Promise<EpochMs | undefined> {
  const row = (await store.query(readTime, [], 'row')) as [EpochMs] | undefined;
  return row?.[0];
}

/** Records a verified backup. */
export function serverBackupWrite(at: EpochMs): Write {
  return moveHorizon({ name: 'backup', at });
}

/** Returns the time of the server of a ledger. */
export async function serverTime(store: Store): Promise<EpochMs> {
  const sql = 'SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)';
  const [at] = (await store.query(sql, [], 'row')) as [EpochMs];
  return at;
}
