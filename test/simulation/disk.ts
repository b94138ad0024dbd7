import { closeSync, existsSync, ftruncateSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import Database from 'better-sqlite3';
import type { Chance } from './chance.ts';

/** What the files of a database hold at one moment. */
type Image = { main: Buffer; wal: Buffer };

/** A fault of the next commit: the machine stops around it, or the disk refuses it. */
export type CommitFault = 'crash_before' | 'crash_amid' | 'crash_after' | 'io_error' | 'full';

/**
 * The disk under a real SQLite file. It knows what would be left after a power cut: everything up to the last commit
 * that was synced, and of a commit that is cut off any part of what it wrote.
 *
 * SQLite syncs the log at each commit with `synchronous=FULL` and not with less; the disk asks the connection itself.
 */
export function openDisk(file: string, chance: Chance) {
  let connection: Database.Database | undefined;
  /** The image as last synced, where it is older than what stands in the files. */
  let synced: Image | undefined;
  let commits = 0;
  let isFull = false;
  let planned: { fault: CommitFault; onFault: () => void; after: number } | undefined;

  const read = (): Image => ({
    main: readFileSync(file),
    wal: existsSync(wal) ? readFileSync(wal) : Buffer.alloc(0),
  });
  const wal = `${file}-wal`;

  /** Writes into the file that is there: it stays the same file. */
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

  /** A commit that was cut off: the log holds a part of what it wrote. */
  function torn(before: Image, after: Image): Image {
    const kept = chance.int(0, after.wal.length);
    const rest = before.wal.subarray(kept);
    return { main: before.main, wal: Buffer.concat([after.wal.subarray(0, kept), rest]) };
  }

  function commit(run: () => Database.RunResult): Database.RunResult {
    const opened = connection;
    commits += 1;
    const now = planned && planned.after-- <= 0 ? planned : undefined;
    // Some commits fit into what is left, and some do not.
    if (isFull && chance.happens(0.5))
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
    /** Opens the connection for the gateway, and watches its commits. */
    connect(path: string): Database.Database {
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
    /** The connection that the gateway has: what is committed, and nothing else, between two steps. */
    connection: () => connection,
    /** Stops the machine at its next commit, or lets that fail; or at one further on, after so many that are well. */
    plan(fault: CommitFault, onFault: () => void, after = 0): void {
      planned = { fault, onFault, after };
    },
    unplan(): void {
      planned = undefined;
    },
    /** Leaves the files as a program that ends leaves them, or as a power cut does. */
    drop(power: boolean): void {
      planned = undefined;
      if (connection) restore(power && synced ? synced : read());
    },
    /** From now on no page can be added, and commits fail; or no longer. */
    fill(becomesFull: boolean): void {
      isFull = becomesFull;
      if (!connection?.open) return;
      const pages = connection.pragma('page_count', { simple: true });
      connection.pragma(`max_page_count = ${isFull ? pages : 1_073_741_823}`);
    },
    /** Another program holds the right to write, until the returned function is called. */
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
