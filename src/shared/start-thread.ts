import { extname } from 'node:path';
import { type ResourceLimits, Worker, workerData } from 'node:worker_threads';

/** The program of a thread: a module without its ending, beside the module of `from`. */
export type ThreadProgram = {
  name: string;
  from: string;
  workerData: object;
  resourceLimits?: ResourceLimits;
};

/** What `startThread` adds to the data of a thread: 1 after its native code is loaded. */
type WithLoaded = { loaded: Int32Array };

/**
 * Starts a thread from the compiled program. In development and in tests, Node 24 runs the source as it is, so that a thread imports
 * no `.tsx` file. The program calls `reportLoaded` once.
 *
 * `terminate` waits until then, or until the thread has ended: a thread that is ended while it loads native code aborts the process.
 *
 * @param program `from` is the `import.meta.url` of the module that starts it.
 */
export function startThread({ name, from, ...options }: ThreadProgram): Worker {
  const loaded = new Int32Array(new SharedArrayBuffer(4));
  const data: WithLoaded = { ...options.workerData, loaded };
  const thread = new Worker(new URL(`./${name}${extname(from)}`, from), { ...options, workerData: data });
  const ended = new Promise((resolve) => thread.once('exit', resolve));
  const end = thread.terminate.bind(thread);
  thread.terminate = async () => {
    await Promise.race([Atomics.waitAsync(loaded, 0, 0).value, ended]);
    return end();
  };
  return thread;
}

/** Reports in a thread that its native code is loaded, so that it can be ended at any time. */
export function reportLoaded(): void {
  const { loaded } = workerData as WithLoaded;
  Atomics.store(loaded, 0, 1);
  Atomics.notify(loaded, 0);
}
