import { basename, extname } from 'node:path';
import type { Clock, EpochMs } from '../../shared/clock.ts';
import { errorMessage, UserError } from '../../shared/errors.ts';
import { copyDatabase, recordCopyTime, syncFile } from '../../sqlite/copy.ts';
import { openDraft } from '../../sqlite/ledger-target.ts';
import { requireLedger } from '../../sqlite/read-connection.ts';
import {
  type DatabaseLocation,
  getName,
  openForReading,
  type ServerLocation,
} from '../database/database-location.ts';
import type { BackupSource } from './create-backup.ts';
import { recordBackup, serverBackupWrite, serverTime } from './last-backup-store.ts';
import { copyRows } from './move-ledger.ts';

/** Returns the ledger of a file or a server as the source of a backup. Gateways may write to it meanwhile. */
export function backupSource(location: DatabaseLocation, clock: Clock): BackupSource {
  const name = getName(location);
  if (location.file === undefined) {
    const stem = decodeURIComponent(new URL(name).pathname.slice(1)).replaceAll(/[^\w-]/g, '_');
    return {
      name,
      stem: stem || 'ledger',
      copyTo: (draft) => copyServer(location, draft, clock),
      record: ({ at }) => recordOnServer(location, at),
    };
  }
  const { file } = location;
  return {
    name,
    stem: basename(file, extname(file)),
    async copyTo(draft) {
      // Before the copy, so that an error names the source.
      requireLedger(file);
      const now = clock.now();
      copyDatabase(file, draft, now);
      return now;
    },
    record: async (backup) => recordBackup(file, backup),
  };
}

/**
 * Copies the ledger of a server into a new file: all rows are those of one moment. Compares each table on both sides, and
 * records in the file when the copy was made.
 *
 * @returns the time of the server when the copy was made.
 * @throws UserError when the ledger cannot be read, or the copy cannot be written or differs. No file remains then.
 */
async function copyServer(from: ServerLocation, to: string, clock: Clock): Promise<EpochMs> {
  const source = await openForReading(from);
  try {
    const takenAt = await serverTime(source);
    const draft = openDraft(to, clock);
    try {
      await copyRows(source, draft);
      await draft.commit();
    } finally {
      await draft.close();
    }
    recordCopyTime(to, takenAt);
    syncFile(to);
    return takenAt;
  } catch (cause) {
    throw new UserError(`cannot copy ${getName(from)}: ${errorMessage(cause)}`, { cause });
  } finally {
    await source.close();
  }
}

/** Returns false when the role may not write: the backup is complete all the same. */
async function recordOnServer({ url }: ServerLocation, at: EpochMs): Promise<boolean> {
  const { createPostgresStore } = await import('../../postgres/postgres.ts');
  try {
    const store = await createPostgresStore({ url, maxConnections: 1 });
    try {
      return await store.apply([serverBackupWrite(at)]);
    } finally {
      await store.close();
    }
  } catch {
    return false;
  }
}
