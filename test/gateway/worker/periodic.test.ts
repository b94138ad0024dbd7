import { expect, test } from 'vitest';
import { type PeriodicJob, periodic } from '../../../src/gateway/worker/queue.ts';
import { testClock } from '../../kit/clock.ts';

function createJob(job: Partial<PeriodicJob> = {}) {
  const clock = testClock();
  const startedAt = clock.now();
  const runs: number[] = [];
  const queue = periodic(
    {
      name: 'job',
      everyMs: 60_000,
      async run(now) {
        runs.push(now - startedAt);
        return 'done';
      },
      ...job,
    },
    clock,
  );
  /** Runs what is due now. */
  async function runDue(): Promise<void> {
    for (const one of await queue.claim(clock.now(), 4)) await one();
  }
  return { clock, startedAt, runs, queue, runDue };
}

test('a periodic job runs at once, then once in each interval', async () => {
  const { clock, startedAt, runs, queue, runDue } = createJob();
  await runDue();
  await runDue();
  expect(await queue.nextDueAt()).toBe(startedAt + 60_000);
  await clock.advance(59_999);
  await runDue();
  await clock.advance(1);
  await runDue();
  expect(runs).toEqual([0, 60_000]);
});

test('the first run waits for its delay', async () => {
  const { clock, runs, runDue } = createJob({ firstAfterMs: 1_000 });
  await runDue();
  await clock.advance(1_000);
  await runDue();
  expect(runs).toEqual([1_000]);
});

test('a job that leaves work runs again after one second', async () => {
  const { clock, startedAt, queue, runDue } = createJob({ run: async () => 'more' });
  await runDue();
  expect(await queue.nextDueAt()).toBe(startedAt + 1_000);
  await clock.advance(1_000);
  expect(await queue.claim(clock.now(), 4)).toHaveLength(1);
});

test('a job that fails is due again after its interval, not at once', async () => {
  const { clock, queue, runDue } = createJob({ run: () => Promise.reject(new Error('the disk is full')) });
  await expect(runDue()).rejects.toThrow('the disk is full');
  expect(await queue.claim(clock.now() + 59_999, 4)).toEqual([]);
  expect(await queue.claim(clock.now() + 60_000, 4)).toHaveLength(1);
});

test('nothing is claimed without a free slot', async () => {
  const { clock, queue } = createJob();
  expect(await queue.claim(clock.now(), 0)).toEqual([]);
  expect(await queue.claim(clock.now(), 1)).toHaveLength(1);
});
