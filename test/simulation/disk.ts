import { closeSync, existsSync, ftruncateSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { Database, type RunResult } from '../../src/sqlite/driver.ts';
import type { Random } from '../kit/random.ts';

/** The contents of the database files at one moment. */
type Image = { main: Buffer; wal: Buffer };

/** A fault at a commit: the machine stops before, during or after it, or the disk returns an error. */
export type CommitFault = 'crash_before' | 'crash_amid' | 'crash_after' | 'io_error' | 'full';

/**
 * Simulates the disk under a real SQLite file. It tracks what a power cut would leave: every commit up to the last
 * synced one, and any part of the writes of an interrupted commit.
 *
 * SQLite syncs the log at each commit with `synchronous=FULL` only; the disk reads this setting from the
 * connection.
 */
export function createDisk(file: string, random: Random) {
  let connection: Database | undefined;
  /** The last synced image, where the files contain newer data. */
  let synced: Image | undefined;
  let commits = 0;
  let isFull = false;
  let planned: { fault: CommitFault; onFault: () => void; after: number } | undefined;

  const read = (): Image => ({
    main: readFileSync(file),
    wal: existsSync(wal) ? readFileSync(wal) : Buffer.alloc(0),
  });
  const wal = `${file}-wal`;

  /** Overwrites the file in place, so that its inode stays the same. */
  function put(path: string, bytes: Buffer): void {
    const handle = openSync(path, existsSync(path) ? 'r+' : 'w', 0o600);
    ftruncateSync(handle, 0);
    writeSync(handle, bytes, 0, bytes.length, 0);
    closeSync(handle);
  }

  function restore({ main, wal: log }: Image): void {
    connection?.close();
    connection = undefined;
    rmSync(`${file}-shm`, { force: true });
    put(file, main);
    if (log.length > 0) put(wal, log);
    else rmSync(wal, { force: true });
    synced = undefined;
  }

  /** Returns the image after an interrupted commit: the log holds a part of its writes. */
  function torn(before: Image, after: Image): Image {
    const length = random.int(0, after.wal.length);
    const rest = before.wal.subarray(length);
    return { main: before.main, wal: Buffer.concat([after.wal.subarray(0, length), rest]) };
  }

  function commit(run: () => RunResult): RunResult {
    const opened = connection;
    commits += 1;
    const now = planned && planned.after-- <= 0 ? planned : undefined;
    // Some commits fit into the remaining space.
    if (isFull && random.happens(0.5))
      throw new Database.SqliteError('database or disk is full', 'SQLITE_FULL');
    if (!now) {
      const isSynced = opened?.pragma('synchronous', { simple: true }) === 2;
      if (!isSynced) synced ??= read();
      return run();
    }
    planned = undefined;
    if (now.fault === 'full') throw new Database.SqliteError('database or disk is full', 'SQLITE_FULL');
    if (now.fault === 'io_error') throw new Database.SqliteError('disk I/O error', 'SQLITE_IOERR_FSYNC');
    const before = read();
    if (now.fault !== 'crash_before') run();
    const after = read();
    const left = now.fault === 'crash_amid' ? torn(before, after) : after;
    now.onFault();
    restore(left);
    throw new Error('the machine has stopped');
  }

  return {
    /** Opens the gateway's connection and intercepts its commits. */
    connect(path: string): Database {
      const opened = new Database(path, { timeout: 0 });
      connection = opened;
      const prepare = opened.prepare.bind(opened);
      opened.prepare = ((sql: string) => {
        const statement = prepare(sql);
        if (sql !== 'COMMIT') return statement;
        return { run: () => commit(() => statement.run()) };
      }) as typeof opened.prepare;
      return opened;
    },
    commits: () => commits,
    /** The gateway's connection. Between two steps it shows committed data only. */
    connection: () => connection,
    /** Plans a fault at the next commit, or `after` that many commits. */
    plan(fault: CommitFault, onFault: () => void, after = 0): void {
      planned = { fault, onFault, after };
    },
    unplan(): void {
      planned = undefined;
    },
    /** Leaves the files as the end of a process, or a power cut, leaves them. */
    drop(power: boolean): void {
      planned = undefined;
      if (connection) restore(power && synced ? synced : read());
    },
    /** Fills the disk, so that no page can be added and commits fail, or frees it again. */
    fill(becomesFull: boolean): void {
      isFull = becomesFull;
      if (!connection?.open) return;
      const pages = connection.pragma('page_count', { simple: true });
      connection.pragma(`max_page_count = ${isFull ? pages : 1_073_741_823}`);
    },
    /** Holds the write lock as another program, until the returned function is called. */
    lock(): () => void {
      const other = new Database(file, { timeout: 0 });
      try {
        other.exec('BEGIN IMMEDIATE');
      } catch {
        other.close();
        return () => {};
      }
      return () => other.close();
    },
  };
}
