import { Session } from 'node:inspector/promises';
import { extname } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { type MessagePort, parentPort, type ResourceLimits, Worker, workerData } from 'node:worker_threads';

/** The program of a thread: a module without its ending, beside the module of `from`. It calls `runThread`. */
type ThreadProgram = { name: string; from: string; workerData: object; resourceLimits?: ResourceLimits };

/** The part of a thread's data that `startThread` adds: 1 when the thread shall end. */
type WithEnd = { end: Int32Array };

/**
 * Starts a thread from the compiled program. In development and in tests, Node 24 runs the source as it is, so that a thread imports
 * no `.tsx` file.
 *
 * `terminate` asks the thread to end, and waits until it has: a thread that is stopped while it loads or runs native code can abort
 * the process. Work without a pause, such as a statement, ends first.
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

/** The input of a thread's program: the port to its owner, and whether the thread must end, for long loops. */
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
    // Objects of the current turn of the event loop are collected in the next one.
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
