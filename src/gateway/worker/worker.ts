/* No library: job queues bring transactions of their own, and here a job changes in the batch of what it is about. */

import { type Clock, monotonicMs } from '../../shared/clock.ts';
import { errorMessage } from '../../shared/errors.ts';
import type { Log } from '../../shared/log.ts';
import type { Queue } from './queue.ts';

export type WorkerDeps = { clock: Clock; log: Log; queues: readonly Queue[] };

export type WorkerOptions = {
  /** Maximum jobs in flight of one queue, unless it states another number. */
  inFlight: number;
  /** Maximum time until a queue is asked again, in milliseconds. It bounds the delay of a job whose wake was lost. */
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
  /** Queues that the next round asks, whatever they said before. */
  private readonly toAsk = new Set<Queue>();
  /** When each queue is asked again without a wake, in monotonic milliseconds: the system clock can be set back. */
  private readonly askAt = new Map<Queue, number>();
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

  /** Ends the idle time, because a job of one of these queues may have fallen due. */
  wake(queues: readonly Queue[] = this.deps.queues): void {
    for (const queue of queues) this.toAsk.add(queue);
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

  /** Asks every queue that may have due jobs. Returns the idle time until the next round, in milliseconds. */
  private async round(): Promise<number> {
    const { clock, log, queues } = this.deps;
    try {
      let claimed = 0;
      for (const queue of queues) claimed += await this.ask(queue);
      const nextAt = Math.min(...this.askAt.values());
      return Math.max(claimed > 0 ? 0 : minIdleMs, nextAt - monotonicMs(clock));
    } catch (fault) {
      log.error({ fault: errorMessage(fault) }, 'a worker round failed');
      return pauseAfterFaultMs;
    }
  }

  /** Claims jobs of a queue, unless none can be due yet. Returns their number. */
  private async ask(queue: Queue): Promise<number> {
    const { clock } = this.deps;
    if (!this.toAsk.delete(queue) && monotonicMs(clock) < (this.askAt.get(queue) ?? 0)) return 0;
    // A queue that fails is asked again in the next round.
    this.askAt.delete(queue);
    const free = (queue.inFlight ?? this.options.inFlight) - this.jobsOf(queue).size;
    const jobs = free > 0 ? await queue.claim(clock.now(), free) : [];
    for (const job of jobs) this.launch(queue, job);
    // A full claim means that more jobs may be due; the first job that finishes wakes the worker.
    const dueAt = jobs.length < free ? await queue.nextDueAt() : null;
    const waitMs =
      dueAt === null ? this.options.maxIdleMs : Math.min(dueAt - clock.now(), this.options.maxIdleMs);
    this.askAt.set(queue, monotonicMs(clock) + waitMs);
    return jobs.length;
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
        this.wake(queue.isApart ? [queue] : undefined);
      });
    jobs.add(done);
  }
}
