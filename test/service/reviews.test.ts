import { expect, test } from 'vitest';
import { refundEvent } from '../../src/contract/service/event.ts';
import { plantTrigger, removeTrigger } from '../kit/failing-statements.ts';
import { ask } from './admin-client.ts';
import {
  type Bench,
  create,
  initiate,
  json,
  newMerchant,
  openBench,
  openMerchant,
  poll,
  refusal,
} from './support.ts';

const short = '233244000906';
const late = '233244000905';
const minute = 60_000;

/** A session that waits for a person, because half of the amount was taken; or one that was paid too late. */
async function reviewed(bench: Bench, msisdn = short) {
  const { merchantId, key } = await newMerchant(bench);
  await bench.service.setWebhook({ merchantId, livemode: false, url: 'http://shop.test/hook' });
  const id = await create(bench, key, { msisdn });
  await initiate(bench, key, id);
  await bench.clock.advance(msisdn === late ? 24 * 60 * minute + 3_000 : 4 * minute);
  bench.received.length = 0;
  const get = async () => {
    const headers = { authorization: `Bearer ${key}` };
    return json(await bench.service.app.request(`/v1/payments/sessions/${id}`, { headers }));
  };
  return { merchantId, key, id, get };
}

const resolve = (bench: Bench, id: string, body: object, idempotencyKey?: string) =>
  ask(bench, 'POST', `/sessions/${id}/review`, body, idempotencyKey === undefined ? {} : { idempotencyKey });

const events = (bench: Bench) => bench.received.map(({ body }) => JSON.parse(body));

test('a session on hold is open, its poll shows the open review, and the poll interval is long', async () => {
  const bench = openBench();
  const { key, id, get } = await reviewed(bench);
  expect((await poll(bench, key, id)).body).toEqual({
    id,
    status: 'initiated',
    terminal: false,
    retry_after_seconds: 300,
    review: { state: 'open', reason: 'paid_short', paid_minor: 1_010, paid_at: '2026-03-06T09:00:03.000Z' },
  });
  expect(await get()).toMatchObject({
    status: 'initiated',
    amount_minor: 2_020,
    review: {
      reason: 'paid_short',
      paid_minor: 1_010,
      paid_at: '2026-03-06T09:00:03.000Z',
      opened_at: '2026-03-06T09:00:03.000Z',
    },
  });
  expect((await get()).review).not.toHaveProperty('resolution');
});

test('no time ends a held session, also over a restart', async () => {
  const bench = openBench();
  const { key, id } = await reviewed(bench);
  await bench.clock.advance(24 * 60 * minute);
  await bench.restart();
  await bench.clock.advance(24 * 60 * minute);
  expect((await poll(bench, key, id)).body).toMatchObject({ status: 'initiated', terminal: false });
  expect((await initiate(bench, key, id)).status).toBe(409);
});

test('open reviews are listed, the oldest first, until they are resolved', async () => {
  const bench = openBench();
  const one = await reviewed(bench);
  const other = await reviewed(bench, late);
  const list = async () => json(await ask(bench, 'GET', '/reviews'));
  expect(await list()).toEqual({
    data: [
      {
        session_id: one.id,
        merchant_id: one.merchantId,
        livemode: false,
        reason: 'paid_short',
        paid_minor: 1_010,
        paid_at: '2026-03-06T09:00:03.000Z',
        opened_at: '2026-03-06T09:00:03.000Z',
      },
      {
        session_id: other.id,
        merchant_id: other.merchantId,
        livemode: false,
        reason: 'late_approval',
        paid_minor: 2_020,
        paid_at: '2026-03-07T09:04:03.000Z',
        opened_at: '2026-03-07T09:04:03.000Z',
      },
    ],
    has_more: false,
    next_cursor: null,
  });
  expect((await resolve(bench, one.id, { resolution: 'accepted' })).status).toBe(200);
  expect(await list()).toMatchObject({ data: [{ session_id: other.id }] });
});

test('open reviews are read page by page, none twice and none left out, also those of one millisecond', async () => {
  const { bench, key } = await openMerchant();
  const ids: string[] = [];
  for (const ending of ['906', '906', '906', '905']) {
    const id = await create(bench, key, { msisdn: `233244123${ending}` });
    await initiate(bench, key, id);
    ids.push(id);
  }
  await bench.clock.advance(25 * 60 * minute);
  const found: unknown[] = [];
  let cursor: unknown = null;
  do {
    const after = cursor === null ? '' : `&cursor=${cursor}`;
    const page = await json(await ask(bench, 'GET', `/reviews?limit=1${after}`));
    for (const { session_id } of page.data as { session_id: string }[]) found.push(session_id);
    expect(page.has_more).toBe(page.next_cursor !== null);
    cursor = page.next_cursor;
    // One that is decided between two pages moves none of the others.
    if (found.length === 1) await resolve(bench, String(found[0]), { resolution: 'accepted' });
  } while (cursor !== null);
  expect(found.toSorted()).toEqual(ids.toSorted());
  const wrong = await ask(bench, 'GET', '/reviews?cursor=pay_1');
  expect(await refusal(wrong)).toEqual({ status: 400, code: 'invalid_cursor', param: 'cursor' });
});

test('accepted, the session is paid with what was taken, at the time it was taken', async () => {
  const bench = openBench();
  const { key, id, get } = await reviewed(bench);
  const answer = await resolve(bench, id, { resolution: 'accepted', note: 'rest in cash' });
  expect(await json(answer)).toMatchObject({
    session_id: id,
    resolution: 'accepted',
    resolved_at: '2026-03-06T09:04:00.000Z',
    note: 'rest in cash',
  });
  const paid_at = '2026-03-06T09:00:03.000Z';
  expect((await poll(bench, key, id)).body).toEqual({
    id,
    status: 'paid',
    terminal: true,
    paid_at,
    retry_after_seconds: null,
    paid_minor: 1_010,
    review: { state: 'accepted', reason: 'paid_short', paid_minor: 1_010, paid_at },
  });
  await bench.clock.advance(minute);
  expect(events(bench)).toMatchObject([
    {
      type: 'payment.session.paid',
      data: { id, status: 'paid', goods_minor: 2_000, amount_minor: 2_020, paid_minor: 1_010, paid_at },
    },
  ]);
  expect(await get()).toMatchObject({
    status: 'paid',
    amount_minor: 2_020,
    paid_minor: 1_010,
    paid_at,
    closed_at: '2026-03-06T09:04:00.000Z',
    review: { resolution: 'accepted', paid_minor: 1_010 },
  });
});

test('the four amounts of a session and of all its events are those of the quote', async () => {
  const bench = openBench();
  const { id, get } = await reviewed(bench);
  await resolve(bench, id, { resolution: 'accepted' });
  await bench.clock.advance(minute);
  const quote = {
    goods_minor: 2_000,
    amount_minor: 2_020,
    expected_fee_minor: 20,
    expected_net_minor: 2_000,
  };
  for (const shown of [await get(), ...events(bench).map(({ data }) => data)]) {
    expect(shown).toMatchObject(quote);
    expect(shown).toMatchObject({ paid_minor: 1_010 });
  }
});

test('rejected, the session has failed for its amount', async () => {
  const bench = openBench();
  const { id, get } = await reviewed(bench);
  expect((await resolve(bench, id, { resolution: 'rejected' })).status).toBe(200);
  await bench.clock.advance(minute);
  expect(events(bench)).toMatchObject([
    { type: 'payment.session.failed', data: { id, status: 'failed', reason: 'amount_mismatch' } },
  ]);
  expect(await get()).toMatchObject({
    status: 'failed',
    reason: 'amount_mismatch',
    closed_at: '2026-03-06T09:04:00.000Z',
    review: { resolution: 'rejected' },
  });
});

test.each(['accepted', 'rejected'])(
  'a late approval that is %s is written down; the session stays expired and no event is sent',
  async (resolution) => {
    const bench = openBench();
    const { id, get } = await reviewed(bench, late);
    expect((await resolve(bench, id, { resolution, note: 'sent back' })).status).toBe(200);
    await bench.clock.advance(minute);
    expect(events(bench)).toEqual([]);
    expect(await get()).toMatchObject({
      status: 'expired',
      reason: 'no_result',
      review: { reason: 'late_approval', resolution },
    });
  },
);

test('a review is resolved once', async () => {
  const bench = openBench();
  const { id, get } = await reviewed(bench);
  await resolve(bench, id, { resolution: 'rejected' });
  for (const resolution of ['accepted', 'rejected']) {
    expect(await refusal(await resolve(bench, id, { resolution }))).toMatchObject({
      status: 409,
      code: 'review_closed',
    });
  }
  expect(await get()).toMatchObject({ status: 'failed' });
});

test.each([[short], [late]])('of concurrent resolutions, for %s, one wins', async (msisdn) => {
  const bench = openBench();
  const { id, get } = await reviewed(bench, msisdn);
  const answers = await Promise.all(
    ['accepted', 'rejected', 'accepted', 'rejected'].map((resolution) => resolve(bench, id, { resolution })),
  );
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409]);
  const winner = await json(answers.find(({ status }) => status === 200) ?? new Response('{}'));
  expect((await get()).review).toMatchObject({ resolution: winner.resolution });
  await bench.clock.advance(minute);
  expect(events(bench)).toHaveLength(msisdn === short ? 1 : 0);
});

test('a resolution during the work of the loops closes the session once', async () => {
  const bench = openBench();
  const { key, id } = await reviewed(bench);
  const answer = resolve(bench, id, { resolution: 'accepted' });
  await bench.clock.skip(24 * 60 * minute);
  expect((await answer).status).toBe(200);
  await bench.clock.advance(minute);
  expect((await poll(bench, key, id)).body).toMatchObject({ status: 'paid' });
  expect(events(bench).map(({ type }) => type)).toEqual(['payment.session.paid']);
});

test('a resolution repeated under its idempotency key is applied once and gets the same response', async () => {
  const bench = openBench();
  const { id } = await reviewed(bench);
  const first = await resolve(bench, id, { resolution: 'accepted' }, 'r');
  const again = await resolve(bench, id, { resolution: 'accepted' }, 'r');
  expect([again.status, await again.text()]).toEqual([200, await first.text()]);
  expect(again.headers.get('idempotent-replayed')).toBe('true');
});

test('a session without a review, and an unknown session, cannot be resolved', async () => {
  const { bench, key } = await openMerchant();
  for (const id of [await create(bench, key), 'pay_none']) {
    expect(await refusal(await resolve(bench, id, { resolution: 'accepted' }))).toMatchObject({
      status: 404,
      code: 'review_not_found',
    });
  }
});

test.each([
  [{}, 'missing_field'],
  [{ resolution: 'maybe' }, 'invalid_field'],
  [{ resolution: 'accepted', note: '' }, 'invalid_field'],
  [{ resolution: 'accepted', note: 'x'.repeat(501) }, 'invalid_field'],
  [{ resolution: 'accepted', amount: 5 }, 'unknown_field'],
])('the decision %j is rejected, and the review stays open', async (body, code) => {
  const bench = openBench();
  const { id, get } = await reviewed(bench);
  expect(await refusal(await resolve(bench, id, body))).toMatchObject({ status: 400, code });
  expect((await get()).review).not.toHaveProperty('resolution');
});

test('review, hold and event are written in one batch', async () => {
  const { bench, key } = await openMerchant();
  const id = await create(bench, key, { msisdn: short });
  await initiate(bench, key, id);
  await bench.service.stop();
  // The disk refuses the event: then there must be no hold either, and the rail reports again.
  plantTrigger(bench.file, 'no_events', `BEFORE INSERT ON event BEGIN SELECT RAISE(ABORT, 'no room'); END`);
  await bench.restart();
  await bench.clock.advance(10_000);
  expect((await poll(bench, key, id)).body).toMatchObject({ retry_after_seconds: 3 });
  expect(await json(await ask(bench, 'GET', '/reviews'))).toMatchObject({ data: [] });
  await bench.service.stop();
  removeTrigger(bench.file, 'no_events');
  await bench.restart();
  await bench.clock.advance(0);
  expect((await poll(bench, key, id)).body).toMatchObject({ retry_after_seconds: 300 });
  expect(await json(await ask(bench, 'GET', '/reviews'))).toMatchObject({ data: [{ session_id: id }] });
});

test.each([short, late])(
  'a rejected review of %s obliges to a refund until one settlement is recorded',
  async (msisdn) => {
    const bench = openBench();
    const { id, get } = await reviewed(bench, msisdn);
    const settle = (body: object) => ask(bench, 'POST', `/sessions/${id}/refund`, body);
    const settlement = { reference: 'MP26030', by: 'Ama' };
    expect(await refusal(await settle(settlement))).toMatchObject({ status: 409, code: 'refund_not_due' });
    await resolve(bench, id, { resolution: 'rejected' });
    const amount_minor = msisdn === short ? 1_010 : 2_020;
    expect((await get()).review).toMatchObject({ refund: { state: 'due', amount_minor } });
    await bench.clock.advance(minute);
    const sent = events(bench).map(({ data }) => data.refund);
    expect(sent).toEqual(msisdn === short ? [{ state: 'due', amount_minor }] : []);
    const answers = await Promise.all([settle(settlement), settle({ ...settlement, by: 'Kofi' })]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    const settled = { state: 'settled', amount_minor, reference: 'MP26030' };
    const shown = await get();
    expect(shown.review).toMatchObject({ refund: settled });
    const [first] = await Promise.all(answers.filter(({ status }) => status === 200).map(json));
    expect(first).toMatchObject({
      refund: { ...settled, settled_by: expect.stringMatching(/^(Ama|Kofi)$/) },
    });
    expect(shown.review).toMatchObject({ refund: first?.refund });
  },
);

test('an accepted review obliges to no refund', async () => {
  const bench = openBench();
  const { id, get } = await reviewed(bench);
  await resolve(bench, id, { resolution: 'accepted' });
  expect((await get()).review).not.toHaveProperty('refund');
  const answer = await ask(bench, 'POST', `/sessions/${id}/refund`, { reference: 'MP26030', by: 'Ama' });
  expect(await refusal(answer)).toMatchObject({ status: 409, code: 'refund_not_due' });
});

test('the settlement of a refund is one event, with its reference and the person, also when it is repeated', async () => {
  const bench = openBench();
  const { id } = await reviewed(bench);
  await resolve(bench, id, { resolution: 'rejected' });
  await bench.clock.advance(minute);
  bench.received.length = 0;
  const settlement = { reference: 'MP26030', by: 'Ama' };
  for (const idempotencyKey of ['s', 's', 't'])
    await ask(bench, 'POST', `/sessions/${id}/refund`, settlement, { idempotencyKey });
  await bench.clock.advance(minute);
  expect(events(bench)).toMatchObject([
    {
      type: 'payment.session.refund_settled',
      data: {
        ...{ id, status: 'failed', reference: 'INV-7', amount_minor: 2_020, reason: 'paid_short' },
        refund: {
          ...{ state: 'settled', amount_minor: 1_010, reference: 'MP26030', settled_by: 'Ama' },
          settled_at: '2026-03-06T09:05:00.000Z',
        },
      },
    },
  ]);
  expect(refundEvent.safeParse(events(bench)[0]).success).toBe(true);
});

test('refunds are listed while they are due, in pages, the oldest decision first', async () => {
  const bench = openBench();
  const list = async (query = '') => json(await ask(bench, 'GET', `/refunds${query}`));
  const [one, other] = [await reviewed(bench), await reviewed(bench)];
  expect(await list()).toEqual({ data: [], has_more: false, next_cursor: null });
  for (const { id } of [other, one]) {
    await resolve(bench, id, { resolution: 'rejected' });
    await bench.clock.advance(minute);
  }
  const first = await list('?limit=1');
  expect(first).toMatchObject({
    data: [{ session_id: other.id, resolution: 'rejected', refund: { state: 'due', amount_minor: 1_010 } }],
    has_more: true,
  });
  expect(await list(`?limit=1&cursor=${first.next_cursor}`)).toMatchObject({
    data: [{ session_id: one.id }],
    has_more: false,
  });
  await ask(bench, 'POST', `/sessions/${other.id}/refund`, { reference: 'MP26030', by: 'Ama' });
  expect(await list()).toMatchObject({ data: [{ session_id: one.id }] });
  expect(await refusal(await ask(bench, 'GET', '/refunds?cursor=x'))).toMatchObject({
    code: 'invalid_cursor',
  });
});
