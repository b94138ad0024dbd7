import { extname } from 'node:path';
import { type ResourceLimits, Worker } from 'node:worker_threads';

/** The program of a thread: a module without its ending, beside the module of `from`. It calls `runThread`. */
export type ThreadProgram = {
  name: string;
  from: string;
  workerData: object;
  resourceLimits?: ResourceLimits;
};

/** The part of a thread's data that `startThread` adds: 1 when the thread shall end. */
export type WithEnd = { end: Int32Array };

/**
 * Starts a thread from the compiled program. In development and in tests, Node 24 runs the source as it is, so that a thread imports
 * no `.tsx` file.
 *
 * `terminate` asks the thread to end, and waits until it has: a thread that is stopped while it loads or runs native code can abort
 * the process. What runs without a pause, such as a statement, ends first.
 *
 * @param program `from` is the `import.meta.url` of the module that starts it.
 */
export function startThread({ name, from, ...options }: ThreadProgram): Worker {
  const end = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  const data: WithEnd = { ...options.workerData, end };
  const thread = new Worker(new URL(`./${name}${extname(from)}`, from), { ...options, workerData: data });
  const exited = new Promise<number>((resolve) => thread.once('exit', resolve));
  thread.terminate = () => {
    Atomics.store(end, 0, 1);
    Atomics.notify(end, 0);
    return exited;
  };
  return thread;
}
