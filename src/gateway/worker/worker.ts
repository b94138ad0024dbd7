/* No library: job queues bring a table and transactions of their own, and here a claim is a guarded write on the row of the job. */

import type { Clock } from '../../shared/clock.ts';
import { errorMessage } from '../../shared/errors.ts';
import type { Log } from '../../shared/log.ts';
import type { Queue } from './queue.ts';

export type WorkerDeps = { clock: Clock; log: Log; queues: readonly Queue[] };

export type WorkerOptions = {
  /** Maximum jobs in flight of one queue. */
  inFlight: number;
  /** Maximum time between two rounds, in milliseconds. It bounds the delay of a job whose wake was lost. */
  maxIdleMs: number;
};

/** Minimum idle time after a round without claims: a due job may still be leased. */
const minIdleMs = 50;
/** Delay after a failed round, such as one that met a full disk. */
const pauseAfterFaultMs = 500;

/** A round that takes longer hangs. */
const maxRoundMs = 14_000;

/**
 * Claims due jobs, runs them, and idles until the next job falls due or `wake` is called. The jobs in flight are bounded;
 * waiting jobs are in the database. Stopping lets running jobs finish. A job that a crash interrupts is due again when
 * its lease ends.
 */
export class Worker {
  private readonly stopping = new AbortController();
  private readonly running = new Map<string, Set<Promise<void>>>();
  private idle = new AbortController();
  private loop: Promise<void> | undefined;
  private lastRoundAt: number | undefined;
  private readonly deps: WorkerDeps;
  private readonly options: WorkerOptions;

  constructor(deps: WorkerDeps, options: WorkerOptions) {
    this.deps = deps;
    this.options = options;
  }

  start(): void {
    this.loop ??= this.run();
  }

  /** Ends the idle time, because a job has just fallen due. */
  wake(): void {
    // An explicit reason: the default one costs more than the rest of this function.
    this.idle.abort('woken');
  }

  /** Returns whether the last round ended no longer ago than the longest idle time and the longest round. */
  isAlive(): boolean {
    const { lastRoundAt } = this;
    return (
      lastRoundAt !== undefined && this.deps.clock.now() - lastRoundAt < this.options.maxIdleMs + maxRoundMs
    );
  }

  /** Stops claiming and waits for the jobs in flight. */
  async stop(): Promise<void> {
    this.stopping.abort();
    this.idle.abort();
    await this.loop;
    for (const jobs of this.running.values()) await Promise.all(jobs);
    this.lastRoundAt = undefined;
  }

  private async run(): Promise<void> {
    while (!this.stopping.signal.aborted) {
      this.idle = new AbortController();
      const idleMs = await this.round();
      this.lastRoundAt = this.deps.clock.now();
      if (!this.stopping.signal.aborted) await this.deps.clock.sleep(idleMs, this.idle.signal);
    }
  }

  /** Claims jobs of every queue once. Returns the idle time until the next round, in milliseconds. */
  private async round(): Promise<number> {
    const { clock, log, queues } = this.deps;
    try {
      let wakeAt = clock.now() + this.options.maxIdleMs;
      let claimed = 0;
      for (const queue of queues) {
        const free = this.options.inFlight - this.jobsOf(queue).size;
        if (free <= 0) continue;
        const jobs = await queue.claim(clock.now(), free);
        for (const job of jobs) this.launch(queue, job);
        claimed += jobs.length;
        // A full claim means that more jobs may be due; the first job that finishes wakes the worker.
        if (jobs.length < free) wakeAt = Math.min(wakeAt, (await queue.nextDueAt()) ?? wakeAt);
      }
      return Math.max(claimed > 0 ? 0 : minIdleMs, wakeAt - clock.now());
    } catch (fault) {
      log.error({ fault: errorMessage(fault) }, 'a worker round failed');
      return pauseAfterFaultMs;
    }
  }

  private jobsOf(queue: Queue): Set<Promise<void>> {
    let jobs = this.running.get(queue.name);
    if (!jobs) {
      jobs = new Set();
      this.running.set(queue.name, jobs);
    }
    return jobs;
  }

  private launch(queue: Queue, job: () => Promise<void>): void {
    const jobs = this.jobsOf(queue);
    const done = job()
      .catch((fault) =>
        this.deps.log.error({ queue: queue.name, fault: errorMessage(fault) }, 'a job failed'),
      )
      .finally(() => {
        jobs.delete(done);
        this.wake();
      });
    jobs.add(done);
  }
}
