import { EventEmitter } from 'node:events';
import { Worker } from 'node:worker_threads';
import { onTestFinished } from 'vitest';
import { runRead } from '../../../src/gateway/reading/reads.ts';
import {
  createThreadReader,
  type ReadLimits,
  type ReadRequest,
  threadReady,
} from '../../../src/gateway/reading/thread-reader.ts';
import { startReadThread } from '../../../src/gateway/wiring/create-reader.ts';
import { type GatewayReader, type GatewayReads, gatewayReads } from '../../../src/gateway/wiring/reads.ts';
import type { Clock } from '../../../src/shared/clock.ts';
import type { Store } from '../../../src/sqlite/store.ts';
import { testClock } from '../../kit/clock.ts';
import { createKeptLog } from '../../kit/log.ts';

/** A thread that never answers, as one whose statement runs on and on. */
export const silent = () =>
  new Worker(
    `const { parentPort } = require('node:worker_threads');
    parentPort.on('message', () => {});
    parentPort.postMessage('${threadReady}');`,
    { eval: true },
  );

/** A thread whose program cannot open the database. */
export const broken = () => new Worker(`throw new Error('cannot open the database')`, { eval: true });

/** A thread whose program does not end to load. */
export const loading = () =>
  new Worker(`require('node:worker_threads').parentPort.on('message', () => {})`, { eval: true });

/** A thread in this process, in which each read takes `readMs`, and the names of the reads in the order of their ends. */
export function inProcessThread(clock: Pick<Clock, 'sleep'>, readMs: number, store?: Store) {
  const ended: ReadRequest[] = [];
  let isEnded = false;
  const thread = Object.assign(new EventEmitter(), {
    unref() {},
    async terminate() {
      isEnded = true;
      thread.emit('exit', 1);
      return 1;
    },
    async postMessage(request: ReadRequest) {
      const { id, name, input } = request;
      await clock.sleep(readMs);
      if (isEnded) return;
      ended.push(request);
      thread.emit('message', { id, value: store && (await runRead(gatewayReads, store, name, input)) });
    },
  });
  queueMicrotask(() => thread.emit('message', threadReady));
  return { thread: thread as unknown as Worker, ended };
}

export type WatchedReader = {
  reader: GatewayReader;
  /** The reads of a person of support staff. */
  reads: GatewayReads;
  /** All threads that were started. */
  threads: Worker[];
  clock: ReturnType<typeof testClock>;
  logged(): string;
  /** Resolves when the first thread has loaded. */
  ready: Promise<unknown>;
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
  const clock = testClock();
  const { log, logged } = createKeptLog();
  const queue = [...starts];
  const { promise: ready, resolve } = Promise.withResolvers<unknown>();
  const reader = createThreadReader(gatewayReads, {
    start() {
      const next =
        queue.shift() ?? (() => startReadThread({ location: { file }, lanes: 1, maxStatementMs: 5_000 }));
      const thread = next();
      threads.push(thread);
      thread.on('message', resolve);
      return thread;
    },
    ...{ clock, log, lanes: 1, limits },
  });
  onTestFinished(() => reader.close());
  const reads = reader.by({ name: 'efua', merchantId: null });
  return { reader, reads, threads, clock, logged, ready };
}
