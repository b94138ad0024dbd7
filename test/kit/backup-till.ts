import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { backupSource } from '../../src/gateway/upkeep/backup-source.ts';
import { type BackupReport, createBackup } from '../../src/gateway/upkeep/create-backup.ts';
import { restoreCopy } from '../../src/gateway/upkeep/restore-copy.ts';
import { createSqliteReader } from '../../src/sqlite/sqlite.ts';
import type { Till } from './till.ts';
import { unplacedEventsIn } from './unplaced.ts';

/** Backs up the ledger of a till while its gateway runs, as `dialtill backup` does. */
export function backUpTill(till: Till): Promise<BackupReport> {
  const folder = join(till.folder, 'copies');
  mkdirSync(folder, { recursive: true });
  return createBackup({
    source: backupSource(till.config.database, till.clock),
    to: folder,
    now: till.clock.now(),
  });
}

/** Stops the gateway, restores a backup as `dialtill restore` does, runs `then`, and starts a gateway on the result. */
export function restoreTill(till: Till, copy: string, then = () => {}): Promise<void> {
  return till.restart(async () => {
    await restoreCopy(copy, till.config.database.file, till.clock.now());
    then();
  });
}

export async function isRecovering(till: Till): Promise<boolean> {
  const answer = await till.gateway().app.request('http://gateway.test/readyz');
  return 'recovering' in ((await answer.json()) as object);
}

export function untilRecovered(till: Till): Promise<void> {
  return till.until(async () => !(await isRecovering(till)), 15 * 60_000);
}

/** Returns the payment sessions of the unplaced events. */
export async function unplacedSessions(till: Till): Promise<(string | null)[]> {
  const store = createSqliteReader(till.config.database.file);
  try {
    return (await unplacedEventsIn(store)).map(({ sessionId }) => sessionId);
  } finally {
    await store.close();
  }
}
