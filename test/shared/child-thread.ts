import { setTimeout } from 'node:timers/promises';
import { workerData } from 'node:worker_threads';
import { runThread } from '../../src/shared/thread.ts';

/*
 * A thread that releases an object, and then waits, ends or fails: `mode`. In `seen`, the first number becomes 1 when its program has run
 * without a pause, the second one when the object is collected before the thread ends.
 */
const { mode, seen } = workerData as { mode: 'waits' | 'ends' | 'fails'; seen: Int32Array };

await runThread(async () => {
  const object = new WeakRef({});
  process.once('exit', () => Atomics.store(seen, 1, object.deref() === undefined ? 1 : 0));
  // As a statement does, it stops the thread.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50);
  Atomics.store(seen, 0, 1);
  if (mode === 'fails') throw new Error('cannot run');
  if (mode === 'waits') await setTimeout(600_000);
});
