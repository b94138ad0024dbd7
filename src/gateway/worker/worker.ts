import type { Clock } from '../../shared/clock.ts';
import { messageOf } from '../../shared/errors.ts';
import type { Log } from '../../shared/log.ts';
import type { Queue } from './queue.ts';

export type WorkerDeps = { clock: Clock; log: Log; queues: readonly Queue[] };

export type WorkerOptions = {
  /** Jobs of one queue under way at once. */
  inFlight: number;
  /** Longest sleep between looks at the queues, in ms: a wake may be lost, a due job may not. */
  maxIdleMs: number;
};

/** Shortest sleep after a round that found nothing to claim: what is due may still be in another's hands. */
const minIdleMs = 50;
/** Pause after a round that failed, so that a broken disk is not hammered. */
const pauseAfterFaultMs = 500;

/**
 * The engine: claims what is due, runs it, and sleeps until more falls due or somebody wakes it. What it holds in
 * hand is bounded; what waits is in the database. Stopping lets running jobs finish, and whatever is cut off is due
 * again when its lease ends.
 */
export class Worker {
  private readonly stopping = new AbortController();
  private readonly running = new Map<string, Set<Promise<void>>>();
  private nap = new AbortController();
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

  /** Ends the sleep, because something has just become due. */
  wake(): void {
    // With a reason, for the one that is made without costs more than the rest.
    this.nap.abort('woken');
  }

  /** True while rounds are being made: false when the loop never started, ended, or hangs. */
  isAlive(): boolean {
    return this.lastRoundAt !== undefined && this.deps.clock.now() - this.lastRoundAt < 15_000;
  }

  /** Claims no more, waits for what is under way, and ends. */
  async stop(): Promise<void> {
    this.stopping.abort();
    this.nap.abort();
    await this.loop;
    for (const jobs of this.running.values()) await Promise.all(jobs);
    this.lastRoundAt = undefined;
  }

  private async run(): Promise<void> {
    while (!this.stopping.signal.aborted) {
      this.nap = new AbortController();
      const napMs = await this.round();
      this.lastRoundAt = this.deps.clock.now();
      if (!this.stopping.signal.aborted) await this.deps.clock.sleep(napMs, this.nap.signal);
    }
  }

  /** One look at every queue. Returns how long there is nothing to do. */
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
        // A full hand means that more may be due; whoever finishes first will wake.
        if (jobs.length < free) wakeAt = Math.min(wakeAt, (await queue.nextDueAt()) ?? wakeAt);
      }
      return Math.max(claimed > 0 ? 0 : minIdleMs, wakeAt - clock.now());
    } catch (fault) {
      log.error({ fault: messageOf(fault) }, 'a worker round failed');
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
      .catch((fault) => this.deps.log.error({ queue: queue.name, fault: messageOf(fault) }, 'a job failed'))
      .finally(() => {
        jobs.delete(done);
        this.wake();
      });
    jobs.add(done);
  }
}
