import { expect, test } from 'vitest';
import { z } from 'zod';
import { anyEvent } from '../../src/contract/service/event.ts';
import { type Bench, newLiveMerchant, openBench, openMerchant, pushed, refusal } from './support.ts';
import { fails, idOf, pay, payingRail, payLive, withEndpoint } from './webhook-support.ts';

const page = z.strictObject({
  data: z.array(anyEvent),
  has_more: z.boolean(),
  next_cursor: z.string().nullable(),
});

function get(bench: Bench, key: string, path: string) {
  return bench.service.app.request(path, { headers: { authorization: `Bearer ${key}` } });
}

async function list(bench: Bench, key: string, query = '') {
  const answer = await get(bench, key, `/v1/events${query}`);
  expect(answer.status).toBe(200);
  return page.parse(await answer.json());
}

test('an event looked up is the delivered body, byte for byte', async () => {
  const bench = openBench();
  const { key } = await withEndpoint(bench);
  await pay(bench, key);
  const { promptId } = await pushed(bench, key);
  await bench.service.phone.decline(promptId);
  await bench.clock.advance(0);
  expect(bench.received).toHaveLength(2);
  for (const delivery of bench.received) {
    const answer = await get(bench, key, `/v1/events/${idOf(delivery)}`);
    expect(answer.headers.get('content-type')).toBe('application/json');
    expect(await answer.text()).toBe(delivery.body);
  }
});

test('pages of events, newest first, neither skip nor repeat while events are added', async () => {
  const bench = openBench();
  const { key } = await withEndpoint(bench);
  for (let count = 0; count < 5; count++) await pay(bench, key);
  const made = bench.received.map(idOf).reverse();
  const first = await list(bench, key, '?limit=2');
  await pay(bench, key);
  const second = await list(bench, key, `?limit=2&cursor=${first.next_cursor}`);
  const third = await list(bench, key, `?limit=2&cursor=${second.next_cursor}`);
  expect([first, second, third].map(({ has_more: more }) => more)).toEqual([true, true, false]);
  expect(third.next_cursor).toBeNull();
  expect([first, second, third].flatMap(({ data }) => data.map(({ id }) => id))).toEqual(made);
});

test('events are found by type and by session, also those that were never delivered', async () => {
  const bench = openBench();
  const { key } = await withEndpoint(bench);
  bench.answers.webhook = fails;
  const paid = await pay(bench, key);
  const { id: declined, promptId } = await pushed(bench, key);
  await bench.service.phone.decline(promptId);
  const sessions = async (query: string) => (await list(bench, key, query)).data.map(({ data }) => data.id);
  expect(await sessions('')).toEqual([declined, paid]);
  expect(await sessions('?type=payment.session.paid')).toEqual([paid]);
  expect(await sessions('?type=payment.session.failed')).toEqual([declined]);
  expect(await sessions('?type=payment.session.review_amount_mismatch')).toEqual([]);
  expect(await sessions(`?session_id=${paid}`)).toEqual([paid]);
  expect(await sessions(`?session_id=${paid}&type=payment.session.failed`)).toEqual([]);
});

test('events of another merchant or mode are not found', async () => {
  const bench = openBench({ liveRail: payingRail });
  const merchant = await newLiveMerchant(bench);
  const other = await newLiveMerchant(bench, 'Kofi Cosmetics');
  await pay(bench, merchant.key);
  await payLive(bench, merchant.liveKey);
  const [test] = (await list(bench, merchant.key)).data;
  const [live] = (await list(bench, merchant.liveKey)).data;
  expect(live?.id).not.toBe(test?.id);
  for (const [key, event] of [
    [merchant.liveKey, test],
    [merchant.key, live],
    [other.key, test],
    [other.liveKey, live],
  ] as const) {
    const answer = await get(bench, key, `/v1/events/${event?.id}`);
    expect(await refusal(answer)).toMatchObject({ status: 404, code: 'event_not_found' });
    expect((await list(bench, key)).data.map(({ id }) => id)).not.toContain(event?.id);
    expect((await list(bench, key, `?session_id=${event?.data.id}`)).data).toEqual([]);
  }
});

test.each([
  ['?cursor=pay_01k5n8c0', 'invalid_cursor', 'cursor'],
  [`?cursor=evt_${'z'.repeat(200)}`, 'invalid_cursor', 'cursor'],
  ['?limit=0', 'invalid_field', 'limit'],
  ['?limit=101', 'invalid_field', 'limit'],
  ['?type=payment.session.gone', 'invalid_field', 'type'],
  ['?colour=red', 'unknown_field', 'colour'],
])('GET /v1/events%s is rejected with %s', async (query, code, param) => {
  const { bench, key } = await openMerchant();
  expect(await refusal(await get(bench, key, `/v1/events${query}`))).toEqual({ status: 400, code, param });
});

test('a key without the scope events:read cannot read events', async () => {
  const { bench, merchantId, key } = await openMerchant();
  await pay(bench, key);
  const [event] = (await list(bench, key)).data;
  const { key: blind } = await bench.service.createKey({
    ...{ merchantId, livemode: false },
    scopes: ['collections:offline', 'sessions:read'],
  });
  for (const path of ['/v1/events', `/v1/events/${event?.id}`]) {
    expect(await refusal(await get(bench, blind, path))).toMatchObject({
      status: 403,
      code: 'scope_required',
    });
  }
});
