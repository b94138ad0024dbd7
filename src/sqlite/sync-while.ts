import { Worker } from 'node:worker_threads';

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
