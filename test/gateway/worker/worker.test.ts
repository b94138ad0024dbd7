import { expect, onTestFinished, test } from 'vitest';
import type { Queue } from '../../../src/gateway/worker/queue.ts';
import { Worker } from '../../../src/gateway/worker/worker.ts';
import { settle, testClock } from '../../kit/clock.ts';
import { createKeptLog } from '../../kit/log.ts';

/** Creates a queue whose jobs run until the test releases them. */
function createQueue(name = 'work') {
  const waiting: { at: number; work?: () => Promise<void> }[] = [];
  const releases: (() => void)[] = [];
  const seen = { started: 0, running: 0, maxRunning: 0, claims: [] as number[] };
  const errors: Error[] = [];
  const queue: Queue = {
    name,
    async claim(now, limit) {
      seen.claims.push(now);
      const error = errors.shift();
      if (error) throw error;
      const due = waiting.filter(({ at }) => at <= now).slice(0, limit);
      for (const one of due) waiting.splice(waiting.indexOf(one), 1);
      return due.map(({ work }) => async () => {
        seen.started++;
        seen.running++;
        seen.maxRunning = Math.max(seen.maxRunning, seen.running);
        try {
          await (work ? work() : new Promise<void>((resolve) => releases.push(resolve)));
        } finally {
          seen.running--;
        }
      });
    },
    async nextDueAt() {
      return waiting.length === 0 ? null : Math.min(...waiting.map(({ at }) => at));
    },
  };
  return { queue, waiting, releases, seen, errors };
}

function createWorker(queues: readonly Queue[], inFlight = 4) {
  const clock = testClock();
  const { log, logged } = createKeptLog();
  /** The error of the system clock. */
  const skew = { ms: 0 };
  const skewed = { ...clock, now: () => clock.now() + skew.ms, monotonic: clock.now };
  const worker = new Worker({ clock: skewed, log, queues }, { inFlight, maxIdleMs: 1_000 });
  onTestFinished(async () => {
    const stopped = worker.stop();
    await clock.advance(10_000);
    await stopped;
  });
  return { worker, clock, skew, logged };
}

const idle = async () => {};

test('jobs in flight never exceed the limit, and every due job runs', async () => {
  const work = createQueue();
  const { worker, clock } = createWorker([work.queue]);
  for (let i = 0; i < 50; i++) work.waiting.push({ at: 0 });
  worker.start();
  await clock.advance(5_000);
  expect(work.seen).toMatchObject({ started: 4, running: 4 });
  while (work.seen.started < 50 || work.seen.running > 0) {
    for (const release of work.releases.splice(0, 1)) release();
    await settle();
  }
  expect(work.seen).toMatchObject({ started: 50, maxRunning: 4 });
});

test('a queue whose jobs never end does not delay the others', async () => {
  const stuck = createQueue('stuck');
  const other = createQueue('other');
  const { worker, clock } = createWorker([stuck.queue, other.queue]);
  for (let i = 0; i < 10; i++) stuck.waiting.push({ at: 0 });
  worker.start();
  await settle();
  other.waiting.push({ at: 0, work: idle });
  await clock.advance(1_000);
  expect(stuck.seen.running).toBe(4);
  expect(other.seen.started).toBe(1);
  while (stuck.seen.running > 0) {
    for (const release of stuck.releases.splice(0)) release();
    await settle();
  }
});

test('a job runs at its due time, to the millisecond', async () => {
  const work = createQueue();
  const { worker, clock } = createWorker([work.queue]);
  const at = clock.now() + 777;
  let ranAt = 0;
  work.waiting.push({
    at,
    work: async () => {
      ranAt = clock.now();
    },
  });
  worker.start();
  await clock.advance(5_000);
  expect(ranAt).toBe(at);
});

test('wake ends the idle time; otherwise the queues are checked every second', async () => {
  const work = createQueue();
  const { worker, clock } = createWorker([work.queue]);
  worker.start();
  await settle();
  work.waiting.push({ at: 0, work: idle });
  await clock.advance(999);
  expect(work.seen.started).toBe(0);
  await clock.advance(1);
  expect(work.seen.started).toBe(1);
  work.waiting.push({ at: 0, work: idle });
  worker.wake();
  await settle();
  expect(work.seen.started).toBe(2);
});

test('a wake during a check of the queues is not lost', async () => {
  const work = createQueue();
  const { worker } = createWorker([
    {
      ...work.queue,
      async nextDueAt() {
        if (work.seen.claims.length === 1) {
          work.waiting.push({ at: 0, work: idle });
          worker.wake();
        }
        return null;
      },
    },
  ]);
  worker.start();
  await settle();
  expect(work.seen.started).toBe(1);
});

test('a queue is not asked before its next job is due, unless a job of another queue has ended', async () => {
  const later = createQueue('later');
  const other = createQueue('other');
  const { worker, clock } = createWorker([later.queue, other.queue]);
  later.waiting.push({ at: clock.now() + 900, work: idle });
  other.waiting.push({ at: clock.now() + 300, work: () => clock.sleep(100) });
  worker.start();
  await clock.advance(399);
  expect(later.seen.claims).toHaveLength(1);
  expect(other.seen.claims).toHaveLength(2);
  await clock.advance(1);
  expect(later.seen.claims).toHaveLength(2);
  await clock.advance(500);
  expect(later.seen.started).toBe(1);
});

test('the job of a queue that makes no others due lets only its own queue be asked again', async () => {
  const other = createQueue('other');
  const apart = createQueue('apart');
  const { worker, clock } = createWorker([other.queue, { ...apart.queue, isApart: true }]);
  apart.waiting.push({
    at: clock.now() + 300,
    async work() {
      apart.waiting.push({ at: 0, work: idle });
    },
  });
  worker.start();
  await clock.advance(300);
  expect(apart.seen.started).toBe(2);
  expect(other.seen.claims).toHaveLength(1);
});

test('a clock that is set back delays no queue', async () => {
  const work = createQueue();
  const { worker, clock, skew } = createWorker([work.queue]);
  worker.start();
  await settle();
  skew.ms = -3_600_000;
  work.waiting.push({ at: 0, work: idle });
  await clock.advance(1_000);
  expect(work.seen.started).toBe(1);
});

test('a failed job is logged, and the worker continues', async () => {
  const work = createQueue();
  const { worker, clock, logged } = createWorker([work.queue]);
  work.waiting.push({ at: 0, work: () => Promise.reject(new Error('this one is broken')) });
  work.waiting.push({ at: 0, work: idle });
  worker.start();
  await settle();
  work.waiting.push({ at: 0, work: idle });
  await clock.advance(1_000);
  expect(work.seen).toMatchObject({ started: 3, running: 0 });
  expect(logged()).toContain('a job failed');
  expect(logged()).toContain('this one is broken');
});

test('failed jobs free their slots', async () => {
  const work = createQueue();
  const { worker, clock } = createWorker([work.queue]);
  for (let i = 0; i < 20; i++) {
    work.waiting.push({ at: 0, work: () => Promise.reject(new Error('broken')) });
  }
  worker.start();
  await clock.advance(2_000);
  expect(work.seen).toMatchObject({ started: 20, running: 0 });
});

test('a failed check is logged and repeated after half a second', async () => {
  const work = createQueue();
  const { worker, clock, logged } = createWorker([work.queue]);
  work.errors.push(new Error('disk full'), new Error('disk full'));
  work.waiting.push({ at: 0, work: idle });
  worker.start();
  await clock.advance(999);
  expect(work.seen.started).toBe(0);
  await clock.advance(1);
  expect(work.seen.started).toBe(1);
  expect(work.seen.claims).toHaveLength(4);
  expect(logged().match(/a worker round failed/g)).toHaveLength(2);
  work.errors.push(new Error('disk full'));
  work.waiting.push({ at: 0, work: idle });
  worker.wake();
  await clock.advance(500);
  expect(work.seen.started).toBe(2);
});

test('due work that another worker has leased is checked at intervals only', async () => {
  const work = createQueue();
  const { worker, clock } = createWorker([
    {
      ...work.queue,
      async claim(now) {
        work.seen.claims.push(now);
        return [];
      },
      nextDueAt: async () => 0,
    },
  ]);
  worker.start();
  await clock.advance(1_000);
  expect(work.seen.claims.length).toBeGreaterThan(10);
  expect(work.seen.claims.length).toBeLessThanOrEqual(21);
});

test('stop claims no more jobs and waits for those in flight', async () => {
  const work = createQueue();
  const { worker, clock } = createWorker([work.queue], 2);
  for (let i = 0; i < 5; i++) work.waiting.push({ at: 0 });
  worker.start();
  await settle();
  let stopped = false;
  const stopping = worker.stop().then(() => {
    stopped = true;
  });
  await clock.advance(60_000);
  expect(stopped).toBe(false);
  work.releases.shift()?.();
  await clock.advance(1_000);
  expect(stopped).toBe(false);
  work.releases.shift()?.();
  await stopping;
  expect(work.seen).toMatchObject({ started: 2, running: 0 });
  expect(worker.isAlive()).toBe(false);
  worker.wake();
  await clock.advance(5_000);
  expect(work.seen.started).toBe(2);
});

test('stop waits for the current check and runs the jobs that it claims', async () => {
  const work = createQueue();
  let look = () => {};
  const { worker } = createWorker([
    {
      ...work.queue,
      async claim(now, limit) {
        await new Promise<void>((resolve) => {
          look = resolve;
        });
        return work.queue.claim(now, limit);
      },
    },
  ]);
  work.waiting.push({ at: 0, work: idle });
  worker.start();
  await settle();
  const stopping = worker.stop();
  await settle();
  look();
  await stopping;
  expect(work.seen).toMatchObject({ started: 1, running: 0 });
});

test('the worker is alive while it checks its queues, and not when a check takes fifteen seconds', async () => {
  const work = createQueue();
  let hang = false;
  let release = () => {};
  const { worker, clock } = createWorker([
    {
      ...work.queue,
      async claim(now, limit) {
        if (hang)
          await new Promise<void>((resolve) => {
            release = resolve;
          });
        return work.queue.claim(now, limit);
      },
    },
  ]);
  expect(worker.isAlive()).toBe(false);
  worker.start();
  await clock.advance(60_000);
  expect(worker.isAlive()).toBe(true);
  hang = true;
  await clock.advance(16_000);
  expect(worker.isAlive()).toBe(false);
  expect(work.seen.claims.length).toBeGreaterThan(50);
  hang = false;
  release();
});

test('started twice it is one loop', async () => {
  const work = createQueue();
  const { worker, clock } = createWorker([work.queue]);
  worker.start();
  worker.start();
  await clock.advance(10_000);
  expect(work.seen.claims).toHaveLength(11);
});
