import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { backupSource } from '../../src/gateway/upkeep/backup-source.ts';
import { type BackupReport, createBackup } from '../../src/gateway/upkeep/create-backup.ts';
import { restoreCopy } from '../../src/gateway/upkeep/restore-copy.ts';
import { type CompiledStatement, Database } from '../../src/sqlite/driver.ts';
import { createSqliteReader, createSqliteStore } from '../../src/sqlite/sqlite.ts';
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

/** A disk that rejects commits while it is full. */
type FullDisk = {
  createStore: typeof createSqliteStore;
  /** Fills the disk or frees space. */
  fill(isFull: boolean): void;
  /** Returns the number of commits that failed because the disk was full. */
  rejectedCommits(): number;
};

/** Creates stores whose commits fail while the test declares the disk full. */
export function createFullDisk(): FullDisk {
  let isFull = false;
  let rejectedCommits = 0;
  function connect(file: string): Database {
    const connection = new Database(file);
    const { prepare } = connection;
    const prepared = (sql: string) => {
      const statement = prepare.call(connection, sql) as CompiledStatement;
      const { run } = statement;
      statement.run = (...args: unknown[]) => {
        if (isFull && sql === 'COMMIT' && connection.inTransaction) {
          rejectedCommits++;
          throw new Database.SqliteError('database or disk is full', 'SQLITE_FULL');
        }
        return run.apply(statement, args);
      };
      return statement;
    };
    return Object.assign(connection, { prepare: prepared });
  }
  return {
    createStore: (options) => createSqliteStore({ ...options, connect }),
    fill(full) {
      isFull = full;
    },
    rejectedCommits: () => rejectedCommits,
  };
}
