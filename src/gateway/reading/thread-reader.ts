import type { Worker } from 'node:worker_threads';
import type { Clock } from '../../shared/clock.ts';
import { errorMessage } from '../../shared/errors.ts';
import type { Log } from '../../shared/log.ts';
import type { StoreFaultKind } from '../../sqlite/store.ts';
import { FairQueue, type QueueLimits, type ReadOwner } from './fair-queue.ts';
import { bindReads, type Reader, ReadFault, type ReadTable } from './reads.ts';

/** A read that the thread runs. `input` is that of the read without the store: plain data. */
export type ReadRequest = { id: number; name: string; input: readonly unknown[] };

/** The result of a read, plain data, or why it failed. `kind` is that of the store's fault. */
export type ReadAnswer =
  | { id: number; value: unknown }
  | { id: number; fault: { kind: StoreFaultKind | undefined; message: string } };

/** The first message of a thread: it has loaded its program and opened the database. */
export const threadReady = 'ready';

export type ReadLimits = {
  /** Reads that wait for the thread. */
  waiting: QueueLimits;
  /** More than a read takes, so that one that takes too long costs no other read its turn. */
  maxWaitMs: number;
  /** The time of one read, from its start on. */
  maxReadMs: number;
  /** The time for the start of a thread, which does not count as that of a read: on a busy machine, the program takes seconds to load. */
  maxStartMs: number;
};

const readLimits: ReadLimits = {
  waiting: { perPerson: 16, perMerchant: 32, total: 1_024 },
  maxWaitMs: 10_000,
  maxReadMs: 5_000,
  maxStartMs: 60_000,
};

export type ThreadReaderDeps = {
  /** Starts a thread that runs the reads of the table. */
  start(): Worker;
  clock: Pick<Clock, 'sleep'>;
  log: Log;
  /** The reads that the thread runs at once. */
  lanes: number;
  limits?: Partial<ReadLimits>;
};

/** A read that waits or runs. */
type Job = {
  owner: ReadOwner;
  name: string;
  input: readonly unknown[];
  resolve(value: unknown): void;
  reject(fault: Error): void;
  /** Ends the present time limit. */
  timer: AbortController;
};

/**
 * Creates the reader whose reads run in a thread with a connection of its own. The thread starts with the first read. One that
 * has ended, or that exceeds the time of a read and is ended for it, is replaced at the next read. Reads take turns by their owners
 * (`FairQueue`).
 */
export function createThreadReader<Table extends ReadTable>(
  table: Table,
  deps: ThreadReaderDeps,
): Reader<Table> {
  const { start, clock, log, lanes } = deps;
  const { waiting: queueLimits, maxWaitMs, maxReadMs, maxStartMs } = { ...readLimits, ...deps.limits };
  const waiting = new FairQueue<Job>(queueLimits);
  const running = new Map<number, Job>();
  let thread: Worker | undefined;
  let isReady = false;
  let isEnding = false;
  let isClosed = false;
  let lastId = 0;

  /** Calls `onLimit` after `ms`, unless the job is done or moves on before. */
  function limitTime(job: Job, ms: number, onLimit: () => void): void {
    job.timer.abort();
    job.timer = new AbortController();
    const { signal } = job.timer;
    void clock.sleep(ms, signal).then(() => {
      if (!signal.aborted) onLimit();
    });
  }

  function reject(job: Job, fault: ReadFault): void {
    job.timer.abort();
    job.reject(fault);
  }

  function read(owner: ReadOwner, name: string, input: readonly unknown[]): Promise<unknown> {
    if (isClosed) return Promise.reject(new ReadFault('closed', 'the gateway is stopping'));
    return new Promise((resolve, reject_) => {
      const job: Job = { owner, name, input, resolve, reject: reject_, timer: new AbortController() };
      if (!waiting.add(owner, job)) {
        const kind = waiting.size >= queueLimits.total ? 'busy' : 'crowded';
        return reject(job, new ReadFault(kind, `${name} of ${owner.name}: too many reads wait`));
      }
      const maxMs = isReady ? maxWaitMs : maxStartMs + maxWaitMs;
      limitTime(job, maxMs, () => {
        waiting.remove(owner, job);
        reject(job, new ReadFault('busy', `${name} has waited ${maxMs} ms`));
      });
      sendNext();
    });
  }

  function sendNext(): void {
    while (!isEnding && !isClosed && running.size < lanes) {
      const job = waiting.take();
      if (!job) return;
      try {
        thread ??= watch(start());
        send(thread, ++lastId, job);
      } catch (fault) {
        // The machine starts no thread now, or the input is not plain data.
        waiting.release(job.owner);
        job.timer.abort();
        job.reject(fault as Error);
      }
    }
  }

  function send(to: Worker, id: number, job: Job): void {
    to.postMessage({ id, name: job.name, input: job.input } satisfies ReadRequest);
    running.set(id, job);
    limitRead(to, id, job);
  }

  /** Ends the thread when a read takes too long, or when the thread itself takes too long to start. */
  function limitRead(from: Worker, id: number, job: Job): void {
    const [maxMs, kind, late] = isReady
      ? ([maxReadMs, 'slow', 'a read took too long'] as const)
      : ([maxStartMs, 'lost', 'the thread that reads did not start in time'] as const);
    limitTime(job, maxMs, () => {
      end(id, job);
      reject(job, new ReadFault(kind, `${job.name}: ${late}: ${maxMs} ms`));
      log.warn({ read: job.name, ms: maxMs }, `${late}; its thread ends`);
      // A statement that runs ends first. The next thread starts after it, so that there is never more than one.
      isEnding = true;
      void from.terminate();
    });
  }

  function end(id: number, job: Job): void {
    running.delete(id);
    waiting.release(job.owner);
  }

  function take(from: Worker, answer: ReadAnswer | typeof threadReady): void {
    if (answer === threadReady) {
      isReady = true;
      for (const [id, job] of running) limitRead(from, id, job);
      return;
    }
    const job = running.get(answer.id);
    if (!job) return;
    end(answer.id, job);
    job.timer.abort();
    if ('value' in answer) job.resolve(answer.value);
    else job.reject(getFault(job.name, answer.fault));
    sendNext();
  }

  function watch(started: Worker): Worker {
    let fault: unknown;
    // The thread keeps no process alive that has nothing else to do.
    started.unref();
    started.on('message', (answer) => take(started, answer));
    started.on('error', (thrown) => {
      fault = thrown;
    });
    started.on('exit', (code) => {
      const cause = fault === undefined ? `exit code ${code}` : errorMessage(fault);
      const lost = [...running.values()];
      for (const [id, job] of [...running]) end(id, job);
      thread = undefined;
      const wasEnded = isEnding || isClosed;
      isReady = false;
      isEnding = false;
      if (!wasEnded) log.error({ fault: cause, reads: lost.length }, 'the thread that reads has ended');
      for (const job of lost) reject(job, new ReadFault('lost', `the thread has ended: ${cause}`));
      sendNext();
    });
    return started;
  }

  return {
    by: (owner) => bindReads(table, (name, input) => read(owner, name, input)),
    async close() {
      isClosed = true;
      const open = [...waiting.clear(), ...running.values()];
      running.clear();
      for (const job of open) reject(job, new ReadFault('closed', 'the gateway is stopping'));
      await thread?.terminate();
    },
  };
}

/** A database that does not answer in time is slow; any other fault is one of the program or of the file. */
function getFault(name: string, { kind, message }: { kind: string | undefined; message: string }): Error {
  return kind === 'busy' ? new ReadFault('slow', `${name}: ${message}`) : new Error(`${name}: ${message}`);
}
