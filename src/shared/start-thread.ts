import { extname } from 'node:path';
import { type ResourceLimits, Worker } from 'node:worker_threads';

/** The program of a thread: a module without its ending, beside the module of `from`. */
export type ThreadProgram = {
  name: string;
  from: string;
  workerData: unknown;
  resourceLimits?: ResourceLimits;
};

/**
 * Starts a thread from the compiled program. In development and in tests, Node 24 runs the source as it is, so that a thread imports
 * no `.tsx` file.
 *
 * @param program `from` is the `import.meta.url` of the module that starts it.
 */
export function startThread({ name, from, ...options }: ThreadProgram): Worker {
  return new Worker(new URL(`./${name}${extname(from)}`, from), options);
}
