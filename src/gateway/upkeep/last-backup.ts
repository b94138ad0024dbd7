import { z } from 'zod';
import { readPrivately, replacePrivately } from '../../sqlite/private-file.ts';

/** A small file beside a database file that records when its last verified backup was made, and where. */
const lastBackup = z.object({ at: z.int().nonnegative(), file: z.string() });
export type LastBackup = z.infer<typeof lastBackup>;

const recordFile = (database: string) => `${database}.backup`;

/** Reads when the last verified backup of a database was made. Returns `undefined` when there is none, or no readable record. */
export function readLastBackup(database: string): LastBackup | undefined {
  try {
    return lastBackup.parse(JSON.parse(readPrivately(recordFile(database))));
  } catch {
    return undefined;
  }
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
