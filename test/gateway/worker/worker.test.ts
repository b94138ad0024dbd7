import { expect, onTestFinished, test } from 'vitest';
import type { Queue } from '../../../src/gateway/worker/queue.ts';
import { Worker } from '../../../src/gateway/worker/worker.ts';
import { createLog } from '../../../src/shared/log.ts';
import { settle, testClock } from '../../kit/clock.ts';

/** Work of a test: jobs stand until they are let go. */
function openQueue(name = 'work') {
  const waiting: { at: number; work?: () => Promise<void> }[] = [];
  const held: (() => void)[] = [];
  const seen = { started: 0, running: 0, most: 0, claims: [] as number[] };
  const faults: Error[] = [];
  const queue: Queue = {
    name,
    async claim(now, limit) {
      seen.claims.push(now);
      const fault = faults.shift();
      if (fault) throw fault;
      const due = waiting.filter(({ at }) => at <= now).slice(0, limit);
      for (const one of due) waiting.splice(waiting.indexOf(one), 1);
      return due.map(({ work }) => async () => {
        seen.started++;
        seen.running++;
        seen.most = Math.max(seen.most, seen.running);
        try {
          await (work ? work() : new Promise<void>((resolve) => held.push(resolve)));
        } finally {
          seen.running--;
        }
      });
    },
    async nextDueAt() {
      return waiting.length === 0 ? null : Math.min(...waiting.map(({ at }) => at));
    },
  };
  return { queue, waiting, held, seen, faults };
}

function openWorker(queues: readonly Queue[], inFlight = 4) {
  const clock = testClock();
  const lines: string[] = [];
  const log = createLog({
    level: 'debug',
    pretty: false,
    destination: { write: (line) => void lines.push(line) },
  });
  const worker = new Worker({ clock, log, queues }, { inFlight, maxIdleMs: 1_000 });
  onTestFinished(async () => {
    const stopped = worker.stop();
    await clock.advance(10_000);
    await stopped;
  });
  return { worker, clock, logged: () => lines.join('') };
}

const idle = async () => {};

test('no more jobs are under way than allowed, however many are due, and all of them get their turn', async () => {
  const work = openQueue();
  const { worker, clock } = openWorker([work.queue]);
  for (let i = 0; i < 50; i++) work.waiting.push({ at: 0 });
  worker.start();
  await clock.advance(5_000);
  expect(work.seen).toMatchObject({ started: 4, running: 4 });
  while (work.seen.started < 50 || work.seen.running > 0) {
    for (const release of work.held.splice(0, 1)) release();
    await settle();
  }
  expect(work.seen).toMatchObject({ started: 50, most: 4 });
});

test('a queue whose jobs hang holds up no other', async () => {
  const stuck = openQueue('stuck');
  const other = openQueue('other');
  const { worker, clock } = openWorker([stuck.queue, other.queue]);
  for (let i = 0; i < 10; i++) stuck.waiting.push({ at: 0 });
  worker.start();
  await settle();
  other.waiting.push({ at: 0, work: idle });
  await clock.advance(1_000);
  expect(stuck.seen.running).toBe(4);
  expect(other.seen.started).toBe(1);
  while (stuck.seen.running > 0) {
    for (const release of stuck.held.splice(0)) release();
    await settle();
  }
});

test('a job is run when it falls due, to the millisecond', async () => {
  const work = openQueue();
  const { worker, clock } = openWorker([work.queue]);
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

test('a wake ends the sleep; without one the queues are looked at every second', async () => {
  const work = openQueue();
  const { worker, clock } = openWorker([work.queue]);
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

test('a wake that comes while the queues are looked at is not lost', async () => {
  const work = openQueue();
  const { worker } = openWorker([
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

test('a job that fails is logged, and the loop goes on', async () => {
  const work = openQueue();
  const { worker, clock, logged } = openWorker([work.queue]);
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

test('jobs that fail leave room for others', async () => {
  const work = openQueue();
  const { worker, clock } = openWorker([work.queue]);
  for (let i = 0; i < 20; i++) {
    work.waiting.push({ at: 0, work: () => Promise.reject(new Error('broken')) });
  }
  worker.start();
  await clock.advance(2_000);
  expect(work.seen).toMatchObject({ started: 20, running: 0 });
});

test('a look that fails is logged and made again half a second later', async () => {
  const work = openQueue();
  const { worker, clock, logged } = openWorker([work.queue]);
  work.faults.push(new Error('disk full'), new Error('disk full'));
  work.waiting.push({ at: 0, work: idle });
  worker.start();
  await clock.advance(999);
  expect(work.seen.started).toBe(0);
  await clock.advance(1);
  expect(work.seen.started).toBe(1);
  expect(work.seen.claims).toHaveLength(4);
  expect(logged().match(/a worker round failed/g)).toHaveLength(2);
});

test('what is due but in other hands is not asked for without a pause', async () => {
  const work = openQueue();
  const { worker, clock } = openWorker([
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

test('stop claims no more and waits for the jobs under way', async () => {
  const work = openQueue();
  const { worker, clock } = openWorker([work.queue], 2);
  for (let i = 0; i < 5; i++) work.waiting.push({ at: 0 });
  worker.start();
  await settle();
  let stopped = false;
  const stopping = worker.stop().then(() => {
    stopped = true;
  });
  await clock.advance(60_000);
  expect(stopped).toBe(false);
  work.held.shift()?.();
  await clock.advance(1_000);
  expect(stopped).toBe(false);
  work.held.shift()?.();
  await stopping;
  expect(work.seen).toMatchObject({ started: 2, running: 0 });
  expect(worker.isAlive()).toBe(false);
  worker.wake();
  await clock.advance(5_000);
  expect(work.seen.started).toBe(2);
});

test('stop lets the look at the queues finish, and runs what that look has claimed', async () => {
  const work = openQueue();
  let look = () => {};
  const { worker } = openWorker([
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

test('it is alive while looks are made, and no more when one hangs for fifteen seconds', async () => {
  const work = openQueue();
  let hang = false;
  let release = () => {};
  const { worker, clock } = openWorker([
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
  const work = openQueue();
  const { worker, clock } = openWorker([work.queue]);
  worker.start();
  worker.start();
  await clock.advance(10_000);
  expect(work.seen.claims).toHaveLength(11);
});
