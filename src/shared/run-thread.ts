import { Session } from 'node:inspector/promises';
import { setImmediate } from 'node:timers/promises';
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import type { WithEnd } from './start-thread.ts';

/** The input of a thread's program: the port to its owner, and whether it shall end, for loops that run long. */
export type ThreadContext = { port: MessagePort; isEnding(): boolean };

/**
 * Runs the program of a thread. The thread ends when the program is done or has failed, or when its owner asks; `run` then need not
 * return.
 *
 * Before the end, it frees the native objects that nothing uses. Node frees those that remain while it takes the thread down, and
 * can then read memory that it has given back, which ends the process.
 */
export async function runThread(run: (context: ThreadContext) => Promise<void>): Promise<void> {
  // In the main thread, the module is only imported.
  if (!parentPort) return;
  const { end } = workerData as WithEnd;
  const isEnding = () => Atomics.load(end, 0) === 1;
  try {
    if (!isEnding())
      await Promise.race([run({ port: parentPort, isEnding }), Atomics.waitAsync(end, 0, 0).value]);
  } finally {
    // What the present turn of the event loop has used is not collected before the next one.
    await setImmediate();
    await collectGarbage();
    // Node frees the collected native objects before the next turn of the event loop.
    await setImmediate();
  }
  process.exit();
}

async function collectGarbage(): Promise<void> {
  const session = new Session();
  session.connect();
  await session.post('HeapProfiler.collectGarbage');
  session.disconnect();
}
