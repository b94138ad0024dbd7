import { createHmac } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';
import { createReconciliation } from '../../src/gateway/collection/apply.ts';
import { collectionStore } from '../../src/gateway/collection/store/collection-store.ts';
import { inboxStore } from '../../src/gateway/inbox/inbox-store.ts';
import { inboxQueue } from '../../src/gateway/inbox/queue.ts';
import { receive } from '../../src/gateway/inbox/receive.ts';
import { unplacedStore } from '../../src/gateway/unplaced/unplaced-store.ts';
import { systemIds } from '../../src/shared/ids.ts';
import { backUpTill, restoreTill } from '../kit/backup-till.ts';
import { needsFile } from '../kit/engine.ts';
import { createSilentLog } from '../kit/log.ts';
import { inSuspense, paidInFull } from '../kit/scenes.ts';
import { createTill, day, paidEvent, payer, webhookSecret } from '../kit/till.ts';

const hour = 60 * 60 * 1_000;

test('S19: the same event fifty times at once is acknowledged fifty times, stored once and booked once', async () => {
  const till = await createTill();
  till.loseWebhooks();
  const row = await till.prompted();
  await till.approve();
  const event = paidEvent(row);
  const answers = await Promise.all(Array.from({ length: 50 }, () => till.deliver(event)));
  expect(answers.map((answer) => answer.status)).toEqual(Array(50).fill(200));
  await till.untilStatus(payer, 'paid', 5_000);
  await till.clock.advance(10_000);
  expect(await till.inbox()).toMatchObject([{ id: 'evt_test_paid', state: 'handled' }]);
  const { facts } = await till.record(row.id);
  expect(facts.filter((fact) => fact.data.includes('evt_test_paid'))).toMatchObject([{ kind: 'paid' }]);
  expect(await till.booked(row.id)).toEqual(paidInFull);
  expect((await till.verify()).faults).toEqual([]);
});

test('S19: the same payment under fifty event ids at once is recorded fifty times as evidence and booked once', async () => {
  const till = await createTill();
  till.loseWebhooks();
  const row = await till.prompted();
  await till.approve();
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, index) => till.deliver(paidEvent(row, `evt_${index}`))),
  );
  expect(new Set(answers.map((answer) => answer.status))).toEqual(new Set([200]));
  await till.until(async () => (await till.inbox()).every((event) => event.state === 'handled'));
  const paid = await till.only(payer);
  expect(paid).toMatchObject({ status: 'paid', review: null });
  const { facts } = await till.record(row.id);
  // The first one is in the fact of the payment.
  expect(facts.filter((fact) => fact.kind === 'event')).toHaveLength(49);
  expect(facts.filter((fact) => fact.kind === 'paid')).toHaveLength(1);
  expect(await till.booked(row.id)).toEqual(paidInFull);
  expect((await till.verify()).faults).toEqual([]);
});

test.each([
  ['within five minutes', 4 * 60_000],
  ['a day later', day],
])('S50: a replayed delivery %s changes nothing and causes no poll', async (_, later) => {
  const till = await createTill();
  till.loseWebhooks();
  const row = await till.prompted();
  await till.approve();
  const event = paidEvent(row);
  const signedAt = till.clock.now();
  await till.deliver(event, { signedAt });
  await till.untilStatus(payer, 'paid', 5_000);
  await till.clock.skip(later);
  const before = await till.record(row.id);
  const calls = till.calls.length;

  for (let again = 0; again < 3; again++) {
    const answer = await till.deliver(event, { signedAt });
    expect([answer.status, await answer.json()]).toEqual([200, { received: true }]);
    await till.clock.advance(5_000);
  }
  expect(await till.record(row.id)).toEqual(before);
  expect(till.calls.length).toBe(calls);
});

test('S50: a stale delivery is a hint that causes one poll, however often it is repeated', async () => {
  const till = await createTill();
  till.loseWebhooks();
  await till.prompted();
  await till.clock.advance(62_000);
  const row = await till.only(payer);
  const polls = till.callsOf('status');
  const signedAt = till.clock.now() - 301_000;
  for (let again = 0; again < 3; again++) {
    expect((await till.deliver(paidEvent(row), { signedAt })).status).toBe(200);
    await till.clock.advance(3_000);
  }
  expect(till.callsOf('status')).toBe(polls + 1);
  expect(await till.only(payer)).toMatchObject({ status: 'initiated' });
  expect(await till.inbox()).toMatchObject([{ state: 'hint' }]);
  expect(await till.booked(row.id)).toEqual([]);
});

test('S50: a true stale delivery is confirmed by the poll that it causes', async () => {
  const till = await createTill();
  till.loseWebhooks();
  await till.prompted();
  await till.clock.advance(62_000);
  await till.approve();
  const row = await till.only(payer);
  await till.deliver(paidEvent(row), { signedAt: till.clock.now() - 301_000 });
  const paid = await till.untilStatus(payer, 'paid', 2_000);
  expect(paid).toMatchObject({ amountSource: 'quote' });
  expect(await till.booked(row.id)).toEqual(paidInFull);
});

test('S50: a payment reported by a stale delivery goes to review when the lagging status contradicts it', async () => {
  const till = await createTill();
  till.loseWebhooks();
  const row = await till.prompted();
  await till.approve();
  till.faults.call = async () =>
    Response.json({ id: row.sessionId, status: 'failed', terminal: true, retry_after_seconds: null });
  await till.deliver(paidEvent(row), { signedAt: till.clock.now() - 301_000 });
  await till.untilStatus(payer, 'review', 2_000);
  expect(await till.only(payer)).toMatchObject({ review: 'stale_event', booked: null });
});

test('S50: an event that was first stale is handled when it is delivered again in time', async () => {
  const till = await createTill();
  till.loseWebhooks();
  const row = await till.prompted();
  const event = paidEvent(row);
  await till.deliver(event, { signedAt: till.clock.now() - 301_000 });
  await till.clock.advance(2_000);
  expect(await till.only(payer)).toMatchObject({ status: 'initiated' });
  expect((await till.deliver(event)).status).toBe(200);
  const paid = await till.untilStatus(payer, 'paid', 2_000);
  expect(paid).toMatchObject({ amountSource: 'webhook' });
  expect(await till.inbox()).toMatchObject([{ state: 'handled' }]);
});

test('S50: a hint is not promoted by a timely delivery with a different body', async () => {
  const till = await createTill();
  till.loseWebhooks();
  const row = await till.prompted();
  await till.deliver(paidEvent(row), { signedAt: till.clock.now() - 301_000 });
  await till.deliver(paidEvent(row, 'evt_test_paid', { amount_minor: 1 }));
  await till.clock.advance(2_000);
  expect(await till.only(payer)).toMatchObject({ status: 'initiated' });
  expect(await till.inbox()).toMatchObject([{ state: 'hint', body: JSON.stringify(paidEvent(row)) }]);
});

needsFile('restores a backup of the file').each([false, true])(
  'S50: a stale paid event of a restored collection in created is decided by its poll (parked: %s)',
  async (isParked) => {
    const till = await createTill();
    if (isParked) till.faults.call = async () => new Response('', { status: 503 });
    await till.pay(payer);
    if (!isParked) await till.until(async () => (await till.only(payer)).status === 'created');
    const { file } = await backUpTill(till);
    delete till.faults.call;
    till.loseWebhooks();
    await till.untilStatus(payer, 'initiated');
    const row = await till.approved(payer, 60_000);
    // Nothing can be asked until the event is there.
    till.faults.call = async () => new Response('', { status: 503 });
    await restoreTill(till, file);
    await till.deliver(paidEvent(row), { signedAt: till.clock.now() - hour });
    await till.clock.advance(2_000);
    expect(await till.inbox()).toMatchObject([{ state: isParked ? 'parked' : 'hint' }]);
    delete till.faults.call;
    expect(await till.untilStatus(payer, 'paid', 5 * 60_000)).toMatchObject({ reason: null, review: null });
    expect(await till.booked(row.id)).toEqual(paidInFull);
  },
);

test('S50: an event that is delivered in time while its hint is handled is handled as an event', async () => {
  const till = await createTill();
  till.loseWebhooks();
  await till.prompted();
  const row = await till.untilStatus(payer, 'expired', 700_000);
  const stopping = till.gateway().stop();
  await till.clock.advance(30_000);
  await stopping;

  const { clock, config } = till;
  const store = await till.ledger.open(clock);
  onTestFinished(() => store.close());
  const events = inboxStore(store);
  const collections = collectionStore(store);
  const rules = {
    resendGraceMs: 15_000,
    retryAllowedAfterMs: 360_000,
    unconfirmedAlarmAfterMs: 300_000,
    feeCap: { maxPercent: 2, maxAmountMinor: 1_000, alwaysAllowedMinor: 50 },
  };
  const log = createSilentLog();
  const unplaced = unplacedStore(store);
  const hasOtherChannels = () => false;
  const accountOf = (merchantId: string) => [merchantId];
  const deps = {
    inbox: events,
    collections,
    unplaced,
    accountOf,
    hasOtherChannels,
    clock,
    ids: systemIds(clock),
    log,
  };
  const reconciliation = createReconciliation({ ...deps, rules });
  const queue = inboxQueue({ ...deps, reconciliation }, { livemode: 0, leaseMs: 30_000 });
  const merchant = { id: 'demo-shop', livemode: 0, webhookSecrets: [webhookSecret] } as const;
  const body = Buffer.from(JSON.stringify(paidEvent(row)));
  const { signature } = config.service;
  const deliver = (at: number) => {
    const delivery = { merchant, signature: signed(body, at), eventId: undefined, body };
    return receive({ inbox: events, clock, signature, maxSecrets: () => 1 }, delivery);
  };
  const work = async () => {
    const jobs = await queue.claim(clock.now(), 10);
    return async () => {
      for (const job of jobs) await job();
    };
  };

  expect(await deliver(clock.now() - hour)).toMatchObject({ kind: 'hint' });
  const lookAtHint = await work();
  expect(await deliver(clock.now())).toMatchObject({ kind: 'stored' });
  await lookAtHint();
  expect(await events.find({ merchantId: merchant.id, eventId: 'evt_test_paid' })).toMatchObject({
    state: 'waiting',
  });
  await (await work())();
  expect(await till.inbox()).toMatchObject([{ state: 'handled' }]);
  expect(await till.booked(row.id)).toEqual(inSuspense(2_020));
});

function signed(body: Uint8Array, at: number): string {
  const t = Math.floor(at / 1_000);
  return `t=${t},v1=${createHmac('sha256', webhookSecret).update(`${t}.`).update(body).digest('hex')}`;
}

test('S50: a stale event of money that no poll can confirm goes to review and books nothing', async () => {
  const till = await createTill({ service: { rail: { promptLifetimeMs: 120_000 } } });
  till.loseWebhooks();
  await till.prompted();
  const row = await till.untilStatus(payer, 'expired', 300_000);
  await till.deliver(paidEvent(row), { signedAt: till.clock.now() - 301_000 });
  await till.untilStatus(payer, 'review', 2_000);
  expect(await till.only(payer)).toMatchObject({ review: 'stale_event', booked: null });
  expect(await till.booked(row.id)).toEqual([]);
  // The same event, signed anew, says what came.
  await till.deliver(paidEvent(row));
  await till.clock.advance(2_000);
  expect(await till.only(payer)).toMatchObject({ status: 'review', booked: 'suspense' });
});
