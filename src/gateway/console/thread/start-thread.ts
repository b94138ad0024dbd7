import { Worker } from 'node:worker_threads';
import type { ThreadData } from './main.ts';

/** The memory of the thread's JavaScript. A read that needs more ends the thread, not the gateway. */
const maxHeapMb = 256;

/** Starts the thread that reads, from the compiled program, or from source in development and in tests. */
export function startThread(workerData: ThreadData): Worker {
  const options = { workerData, resourceLimits: { maxOldGenerationSizeMb: maxHeapMb } };
  if (!import.meta.url.endsWith('.ts')) return new Worker(new URL('./main.js', import.meta.url), options);
  // A thread does not inherit the loader of TypeScript.
  const [loader, program] = [import.meta.resolve('tsx/esm/api'), new URL('./main.ts', import.meta.url).href];
  const load = `import('${loader}').then(({ register }) => register()).then(() => import('${program}'))`;
  return new Worker(load, { ...options, eval: true });
}
