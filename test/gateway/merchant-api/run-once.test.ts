import { expect, test } from 'vitest';
import { requestPruneJob, requestStore, runOnce } from '../../../src/gateway/merchant-api/request-store.ts';
import { testClock } from '../../kit/clock.ts';
import { openOwnStore } from '../../kit/migrated.ts';

function createBench() {
  const clock = testClock();
  const { store } = openOwnStore('gateway', { clock });
  const requests = requestStore(store);
  const request = { keyId: 'mk_1', idempotencyKey: 'one', digest: 'a', isSecret: false };
  const deps = { requests, cipher: undefined, now: clock.now };
  let runs = 0;
  const run = async () => {
    runs += 1;
    return { ok: true as const, value: { run: runs } };
  };
  return { clock, requests, request, deps, run, runs: () => runs };
}

test('a request that was interrupted is not carried out again, and says so', async () => {
  const { deps, request, run, runs } = createBench();
  const interrupted = () => Promise.reject(new Error('the process ended'));
  await expect(runOnce(deps, request, interrupted)).rejects.toThrow('the process ended');
  expect(await runOnce(deps, request, run)).toMatchObject({ ok: false, code: 'in_progress' });
  expect(runs()).toBe(0);
});

test('the keys of two merchants do not meet', async () => {
  const { deps, request, run, runs } = createBench();
  expect(await runOnce(deps, request, run)).toEqual({ ok: true, value: { run: 1 } });
  expect(await runOnce(deps, { ...request, keyId: 'mk_2' }, run)).toEqual({ ok: true, value: { run: 2 } });
  expect(await runOnce(deps, request, run)).toEqual({ ok: true, value: { run: 1 } });
  expect(runs()).toBe(2);
});

test('after three days a request is forgotten', async () => {
  const { clock, requests, deps, request, run, runs } = createBench();
  const job = requestPruneJob(requests);
  const day = 24 * 3_600_000;
  await runOnce(deps, request, run);
  await job.run(clock.now() + 3 * day);
  await runOnce(deps, request, run);
  expect(runs()).toBe(1);
  expect(await job.run(clock.now() + 3 * day + 1)).toBe('done');
  await runOnce(deps, request, run);
  expect(runs()).toBe(2);
});
