import { Worker } from 'node:worker_threads';
import { onTestFinished } from 'vitest';
import { startReadThread } from '../../../../src/gateway/console/thread/start-thread.ts';
import {
  createThreadReader,
  type ReadLimits,
  type ThreadReader,
} from '../../../../src/gateway/console/thread/thread-reader.ts';
import { createLog } from '../../../../src/shared/log.ts';
import { testClock } from '../../../kit/clock.ts';

/** A thread that never answers, as one whose statement runs on and on. */
export const silent = () =>
  new Worker(`require('node:worker_threads').parentPort.on('message', () => {})`, { eval: true });

/** A thread whose program cannot open the database. */
export const broken = () => new Worker(`throw new Error('cannot open the database')`, { eval: true });

export type WatchedReader = {
  reader: ThreadReader;
  /** All threads that were started. */
  threads: Worker[];
  clock: ReturnType<typeof testClock>;
  logged(): string;
};

/**
 * Creates a reader whose threads read a file, and closes it after the test.
 *
 * @param starts the first threads instead.
 */
export function createWatchedReader(
  file: string,
  { starts = [], limits = {} }: { starts?: (() => Worker)[]; limits?: Partial<ReadLimits> } = {},
): WatchedReader {
  const threads: Worker[] = [];
  const lines: string[] = [];
  const clock = testClock();
  const log = createLog({
    ...{ level: 'debug', pretty: false },
    destination: { write: (line) => void lines.push(line) },
  });
  const queue = [...starts];
  const reader = createThreadReader({
    start() {
      const next =
        queue.shift() ?? (() => startReadThread({ location: { file }, lanes: 1, maxStatementMs: 5_000 }));
      const thread = next();
      threads.push(thread);
      return thread;
    },
    ...{ clock, log, lanes: 1, limits },
  });
  onTestFinished(() => reader.close());
  return { reader, threads, clock, logged: () => lines.join('') };
}
