import type { Worker } from 'node:worker_threads';
import { startThread } from '../../shared/start-thread.ts';
import type { ThreadData } from './main.ts';

/** The memory of the thread's JavaScript. A read that needs more ends the thread, not the gateway. */
const maxHeapMb = 256;

/** Starts the thread that reads. */
export function startReadThread(workerData: ThreadData): Worker {
  const resourceLimits = { maxOldGenerationSizeMb: maxHeapMb };
  return startThread({ name: 'main', from: import.meta.url, workerData, resourceLimits });
}
