import { expect, test } from 'vitest';
import { createLimit } from '../../src/service/limit/limit.ts';
import { testClock } from '../kit/clock.ts';
import { create, initiate, newMerchant, openBench, poll, refusal, unlimited } from './support.ts';

const minute = 60_000;

test('so many at once, so many a minute after that, and never more than the burst', async () => {
  const clock = testClock();
  const limit = createLimit({ burst: 3, perMinute: 6 }, clock);
  const ask = (times: number) => Array.from({ length: times }, () => limit('a'));
  expect(ask(4)).toEqual([undefined, undefined, undefined, 10]);
  await clock.advance(9_999);
  expect(ask(1)).toEqual([1]);
  await clock.advance(1);
  expect(ask(2)).toEqual([undefined, 10]);
  await clock.advance(60 * minute);
  expect(ask(4)).toEqual([undefined, undefined, undefined, 10]);
});

test('one key takes nothing from another, and a refusal costs nothing', () => {
  const limit = createLimit({ burst: 1, perMinute: 1 }, testClock());
  expect([limit('a'), limit('b'), limit('a'), limit('a'), limit('b')]).toEqual([
    undefined,
    undefined,
    60,
    60,
    60,
  ]);
});

test('the wait that is told is enough', async () => {
  const clock = testClock();
  const limit = createLimit({ burst: 1, perMinute: 7 }, clock);
  limit('a');
  for (let times = 0; times < 20; times++) {
    const seconds = limit('a');
    expect(seconds).toBeGreaterThan(0);
    await clock.advance((seconds ?? 0) * 1_000);
    expect(limit('a')).toBeUndefined();
  }
});

test('the memory of a limit has an end: whoever was not seen for longest is forgotten first', () => {
  const limit = createLimit({ burst: 1, perMinute: 1 }, testClock());
  limit('first');
  limit('second');
  for (let n = 0; n < 19_998; n++) limit(`k${n}`);
  expect(limit('first')).toBe(60);
  limit('one more');
  expect(limit('first')).toBe(60);
  expect(limit('second')).toBeUndefined();
});

test('a key that calls too often is told to wait; other keys, the same merchant too, are not', async () => {
  const bench = openBench({ config: { limits: { ...unlimited, calls: { burst: 5, perMinute: 60 } } } });
  const { merchantId, key, liveKey } = await newMerchant(bench);
  const { key: sister } = await bench.service.createKey({ merchantId, livemode: false });
  const { key: stranger } = await newMerchant(bench, 'Kofi Cosmetics');
  const id = await create(bench, key);
  for (let calls = 1; calls < 5; calls++) expect((await poll(bench, key, id)).status).toBe(200);
  const headers = { authorization: `Bearer ${key}` };
  const answer = await bench.service.app.request(`/v1/payments/sessions/${id}/status`, { headers });
  expect(answer.headers.get('retry-after')).toBe('1');
  expect(await refusal(answer)).toMatchObject({ status: 429, code: 'too_many_requests' });
  expect((await initiate(bench, key, id)).status).toBe(429);
  expect(await bench.service.statement()).toMatchObject({ sessions: [{ status: 'created' }], pushes: 0 });

  expect((await poll(bench, sister, id)).status).toBe(200);
  expect((await poll(bench, liveKey, id)).status).toBe(404);
  expect((await poll(bench, stranger, id)).status).toBe(404);
  await bench.clock.advance(1_000);
  expect((await poll(bench, key, id)).status).toBe(200);
  expect((await poll(bench, key, id)).status).toBe(429);
});

test('a call without a valid key counts against nobody', async () => {
  const bench = openBench({ config: { limits: { ...unlimited, calls: { burst: 2, perMinute: 1 } } } });
  const { key } = await newMerchant(bench);
  for (let calls = 0; calls < 5; calls++) expect((await poll(bench, `${key}x`, 'pay_1')).status).toBe(401);
  expect((await poll(bench, key, 'pay_1')).status).toBe(404);
});

test('a number is not prompted more often than its limit: nothing moves, and it may be later', async () => {
  const bench = openBench({ config: { limits: { ...unlimited, prompts: { burst: 2, perMinute: 1 } } } });
  const { key } = await newMerchant(bench);
  const ids = [await create(bench, key), await create(bench, key), await create(bench, key)] as const;
  const [one, two, three] = ids;
  expect((await initiate(bench, key, one)).status).toBe(200);
  expect((await initiate(bench, key, two)).status).toBe(200);
  const answer = await initiate(bench, key, three, 'i');
  expect(answer.headers.get('retry-after')).toBe('60');
  expect(await refusal(answer)).toMatchObject({ status: 429, code: 'too_many_prompts' });
  expect((await poll(bench, key, three)).body).toMatchObject({ status: 'created', terminal: false });
  expect((await bench.service.statement()).pushes).toBe(2);

  // Another number, and the same one for another merchant, are not concerned.
  const elsewhere = await create(bench, key, { msisdn: '233201111111' });
  expect((await initiate(bench, key, elsewhere)).status).toBe(200);
  const other = await newMerchant(bench, 'Kofi Cosmetics');
  expect((await initiate(bench, other.key, await create(bench, other.key))).status).toBe(200);

  // The refusal was not kept: the same call under the same key goes through when the time has come.
  await bench.clock.advance(59_999);
  expect((await initiate(bench, key, three, 'i')).status).toBe(429);
  await bench.clock.advance(1);
  expect((await initiate(bench, key, three, 'i')).status).toBe(200);
});
