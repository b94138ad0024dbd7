import { workerData } from 'node:worker_threads';
import { reportLoaded } from '../../src/shared/start-thread.ts';

/* A thread that loads for a while, or fails to: `mode`. `hasLoaded` of the test becomes 1 when it has loaded. */
const { mode, hasLoaded } = workerData as { mode: 'slow' | 'broken'; hasLoaded: Int32Array };

if (mode === 'broken') throw new Error('cannot load');
// As native code does, it stops the thread.
Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50);
Atomics.store(hasLoaded, 0, 1);
reportLoaded();
setInterval(() => {}, 60_000);
