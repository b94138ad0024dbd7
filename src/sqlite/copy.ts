import { closeSync, fsyncSync, openSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { errorMessage, UserError } from '../shared/errors.ts';
import { Database } from './driver.ts';
import { requireDatabaseFile } from './lock.ts';
import { createPrivately } from './private-file.ts';

/**
 * Copies a database into a new file that only its owner can read. The copy is one read transaction: other connections
 * may write meanwhile, and their writes are not in it. The file and its name are on disk when this returns.
 */
export function copyInto(connection: Database, file: string): void {
  rmSync(file, { force: true });
  createPrivately(file);
  connection.prepare('VACUUM INTO ?').run(file);
  syncFile(file);
}

/**
 * Copies a ledger that a gateway may be writing, and records in the copy when it was made.
 *
 * @throws UserError when the ledger cannot be read or the copy cannot be written. No file remains then.
 */
export function copyDatabase(from: string, to: string, now: number): void {
  requireDatabaseFile(from);
  let source: Database | undefined;
  try {
    const connection = new Database(from, { fileMustExist: true, timeout: 2_000 });
    source = connection;
    syncWhile(to, () => copyInto(connection, to));
    recordCopyTime(to, now);
    syncFile(to);
  } catch (cause) {
    rmSync(to, { force: true });
    throw new UserError(`cannot copy ${from}: ${errorMessage(cause)}`, { cause });
  } finally {
    source?.close();
  }
}

/** Records when a copy was made. Does nothing in a file without the table `restore`, which is not a ledger. */
export function recordCopyTime(file: string, now: number): void {
  const copy = new Database(file);
  try {
    if (hasTable(copy, 'restore')) copy.prepare('INSERT INTO restore (taken_at) VALUES (?)').run(now);
  } finally {
    copy.close();
  }
}

/** Returns whether a database has a table, index or trigger of this name. */
export function hasTable(connection: Database, name: string): boolean {
  const count = connection.prepare('SELECT count(*) FROM sqlite_schema WHERE name = ?').pluck();
  return count.get(name) !== 0;
}

/** Writes a file and its directory entry to the disk. */
export function syncFile(file: string): void {
  for (const path of [file, dirname(file)]) {
    const handle = openSync(path, 'r');
    try {
      fsyncSync(handle);
    } finally {
      closeSync(handle);
    }
  }
}

/** The pause between two syncs, in milliseconds. */
const pauseMs = 5;

/** The program of the thread. It ends with the first number of the shared memory, and counts its syncs in the second one. */
const program = `
const { closeSync, fdatasyncSync, openSync } = require('node:fs');
const { workerData: { file, shared, pauseMs } } = require('node:worker_threads');
const state = new Int32Array(shared);
while (Atomics.wait(state, 0, 0, pauseMs) === 'timed-out') {
  try {
    const handle = openSync(file, 'r');
    try { fdatasyncSync(handle); } finally { closeSync(handle); }
    Atomics.add(state, 1, 1);
  } catch (fault) {
    if (fault.code !== 'ENOENT') throw fault;
  }
}`;

/**
 * Writes a large file to the disk while `work` fills it. Otherwise the system keeps hundreds of megabytes in memory and writes
 * them at once at the end, and every commit of a gateway on the same disk waits for that. `work` is synchronous, so that
 * a thread syncs the file.
 *
 * @param work gets a function that returns how often the file was synced so far.
 */
export function syncWhile(file: string, work: (syncs: () => number) => void): void {
  const shared = new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT);
  const state = new Int32Array(shared);
  const thread = new Worker(program, { eval: true, workerData: { file, shared, pauseMs } });
  thread.unref();
  // The caller syncs the complete file, so that a fault of this thread makes the copy slower and nothing else.
  thread.on('error', () => {});
  try {
    work(() => Atomics.load(state, 1));
  } finally {
    Atomics.store(state, 0, 1);
    Atomics.notify(state, 0);
  }
}
