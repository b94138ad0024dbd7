import { expect, test } from 'vitest';
import { backUpTill, restoreTill, untilRecovered } from '../kit/backup-till.ts';
import { needsFile } from '../kit/engine.ts';
import { inSuspense, paidInFull } from '../kit/scenes.ts';
import { callStaff, withStaff } from '../kit/staff.ts';
import { createTill, payer, type Till, type TillOptions } from '../kit/till.ts';
import {
  balancesOf,
  decide,
  deliver,
  expectValid,
  failedOf,
  paidOf,
  postingsOf,
  reviewOf,
  type UnplacedRow,
  unplacedIn,
} from '../kit/unplaced.ts';

/* A payer is charged twice in one payment session: the money of the second charge is an unplaced payment of its own. */

const first = '2026-03-06T09:00:40.000Z';
const later = '2026-03-06T09:05:00.000Z';

/** Returns the event of a second charge; `paidAt` is its time. */
function secondOf(sessionId: string, id: string, paidAt?: string, paidMinor = 2_020) {
  const event = reviewOf(sessionId, id, paidMinor, 'second_charge');
  return { ...event, data: { ...event.data, status: 'paid', ...(paidAt ? { paid_at: paidAt } : {}) } };
}

function refundOf(sessionId: string, id: string, paidAt?: string) {
  const event = secondOf(sessionId, id, paidAt);
  const refund = { state: 'settled', amount_minor: 2_020, reference: 'MP26030', settled_by: 'Ama' };
  return { ...event, type: 'payment.session.refund_settled', data: { ...event.data, refund } };
}

/** A till with one payment that was booked, and its payment session. */
async function paidTill(options: TillOptions = {}): Promise<{ till: Till; session: string; id: string }> {
  const till = await createTill({ configure: withStaff, ...options });
  till.loseWebhooks();
  const { id, sessionId } = await till.paidPayment();
  return { till, session: sessionId ?? '', id };
}

/** Returns the kinds of a collection's facts in their order. */
async function kindsOf(till: Till, id: string): Promise<string[]> {
  const sql = 'SELECT kind FROM fact WHERE subject_id = ? ORDER BY seq';
  return (await till.ledger.rows<{ kind: string }>(sql, [id])).map(({ kind }) => kind);
}

async function onlySecond(till: Till): Promise<UnplacedRow> {
  const seconds = (await unplacedIn(till)).filter(({ charge }) => charge === 2);
  const [one, ...others] = seconds;
  if (!one || others.length > 0) throw new Error(`expected one second charge, found ${seconds.length}`);
  return one;
}

test('a second charge is booked once beside the payment of its collection, however often it is reported', async () => {
  const { till, session, id } = await paidTill();
  await deliver(till, secondOf(session, 'evt_1', later));
  await deliver(till, secondOf(session, 'evt_2', later));
  await deliver(till, secondOf(session, 'evt_3'));
  const second = await onlySecond(till);
  expect(second).toMatchObject({
    reason: 'second_charge',
    state: 'open',
    suspended_minor: 2_020,
    version: 1,
  });
  expect(second).toMatchObject({ session_id: session, payer: '233244123456', paid_at: later });
  expect(await postingsOf(till, second.id)).toEqual(inSuspense(2_020));
  expect(await till.booked(id)).toEqual(paidInFull);
  const { charges } = await till.record(id);
  expect(charges).toEqual([{ id: second.id, charge: 2, state: 'open', amountMinor: 2_020 }]);
  expect(await till.only(payer)).toMatchObject({ status: 'paid', review: 'second_charge' });
  expect(await balancesOf(till)).toMatchObject({ payers: -4_040, suspense: 2_020 });
  await expectValid(till);
});

test('a third charge at another time is money of its own', async () => {
  const { till, session } = await paidTill();
  await deliver(till, secondOf(session, 'evt_1', first));
  await deliver(till, secondOf(session, 'evt_2', later));
  expect((await unplacedIn(till)).map(({ charge }) => charge)).toEqual([2, 3]);
  expect(await balancesOf(till)).toMatchObject({ payers: -6_060, suspense: 4_040 });
  await expectValid(till);
});

test("the service's refund of a second charge takes it out of suspense once, without a decision of people", async () => {
  const { till, session } = await paidTill();
  await deliver(till, secondOf(session, 'evt_1', later));
  await deliver(till, refundOf(session, 'evt_2', later));
  await deliver(till, refundOf(session, 'evt_3', later));
  await deliver(till, secondOf(session, 'evt_4', later));
  expect(await onlySecond(till)).toMatchObject({ state: 'returned', suspended_minor: 0, version: 2 });
  expect(await balancesOf(till)).toMatchObject({ payers: -2_020, suspense: 0 });
  await expectValid(till);
});

test("the service's refund of the last second charge ends the review, and later reports of it open none", async () => {
  const { till, session, id } = await paidTill();
  await deliver(till, secondOf(session, 'evt_1', first));
  await deliver(till, secondOf(session, 'evt_2', later));
  await deliver(till, refundOf(session, 'evt_3', later));
  // One charge is still in suspense.
  expect(await till.only(payer)).toMatchObject({ status: 'paid', review: 'second_charge' });
  await deliver(till, refundOf(session, 'evt_4', first));
  expect(await till.only(payer)).toMatchObject({ status: 'paid', review: null });
  await deliver(till, secondOf(session, 'evt_5', later));
  await deliver(till, refundOf(session, 'evt_6', later));
  expect(await till.only(payer)).toMatchObject({ status: 'paid', review: null });
  expect(await till.booked(id)).toEqual(paidInFull);
  expect(await balancesOf(till)).toMatchObject({ payers: -2_020, suspense: 0 });
  const third = '2026-03-06T09:09:00.000Z';
  await deliver(till, secondOf(session, 'evt_7', third));
  expect(await till.only(payer)).toMatchObject({ status: 'paid', review: 'second_charge' });
  await expectValid(till);
});

test('a refund ends no review of another reason', async () => {
  const { till, session } = await paidTill();
  await deliver(till, failedOf(session, 'evt_1'));
  const { review } = await till.only(payer);
  expect(review).not.toBeNull();
  await deliver(till, secondOf(session, 'evt_2', later));
  await deliver(till, refundOf(session, 'evt_3', later));
  expect(await till.only(payer)).toMatchObject({ status: 'paid', review });
  await expectValid(till);
});

test('a refund that arrives before its second charge leaves nothing to decide', async () => {
  const { till, session } = await paidTill();
  await deliver(till, refundOf(session, 'evt_1'));
  await deliver(till, secondOf(session, 'evt_2', later));
  expect(await till.only(payer)).toMatchObject({ status: 'paid', review: null });
  expect(await onlySecond(till)).toMatchObject({ state: 'returned', suspended_minor: 0, paid_at: later });
  expect(await balancesOf(till)).toMatchObject({ payers: -2_020, suspense: 0 });
  await expectValid(till);
});

test('a refund that fits two charges of the same amount decides about neither', async () => {
  const { till, session } = await paidTill();
  await deliver(till, secondOf(session, 'evt_1', first));
  await deliver(till, secondOf(session, 'evt_2', later));
  await deliver(till, refundOf(session, 'evt_3'));
  expect(await balancesOf(till)).toMatchObject({ suspense: 4_040 });
  expect(till.logged()).toContain('refund_unclear');
  await deliver(till, refundOf(session, 'evt_4', later));
  expect((await unplacedIn(till)).map(({ state }) => state)).toEqual(['open', 'returned']);
  await expectValid(till);
});

test.each([
  ['at the same time', later],
  ['without a time', undefined],
])('a refund of another amount, %s, leaves the charge in suspense for people', async (_, paidAt) => {
  const { till, session } = await paidTill();
  await deliver(till, secondOf(session, 'evt_1', later, 5_000));
  await deliver(till, refundOf(session, 'evt_2', paidAt));
  expect(await onlySecond(till)).toMatchObject({ state: 'open', suspended_minor: 5_000 });
  expect(await balancesOf(till)).toMatchObject({ payers: -7_020, suspense: 5_000 });
  expect(till.logged()).toContain('refund_unclear');
  await expectValid(till);
});

test('a refund at another time is of a charge that is not known yet', async () => {
  const { till, session } = await paidTill();
  await deliver(till, secondOf(session, 'evt_1', later, 5_000));
  await deliver(till, refundOf(session, 'evt_2', first));
  await deliver(till, secondOf(session, 'evt_3', first));
  expect((await unplacedIn(till)).map(({ state }) => state)).toEqual(['open', 'returned']);
  expect(await balancesOf(till)).toMatchObject({ payers: -7_020, suspense: 5_000 });
  await expectValid(till);
});

test('people return a second charge as they return any unplaced payment', async () => {
  const { till, session, id } = await paidTill();
  await deliver(till, secondOf(session, 'evt_1', later));
  const path = `/unplaced/${(await onlySecond(till)).id}`;
  const shown = await callStaff(till, 'ama', path);
  expect(shown.body).toMatchObject({ charge: 2, sessionCollectionId: id, reason: 'second_charge' });
  const terms = { outcome: 'return', reference: 'MTN-77', version: 1, evidence: 'statement, line 12' };
  const made = await callStaff(till, 'ama', `${path}/proposals`, terms);
  expect(await callStaff(till, 'kofi', `/proposals/${made.body.id}/approve`, {})).toMatchObject({
    status: 200,
  });
  expect(await balancesOf(till)).toMatchObject({ payers: -2_020, suspense: 0 });
  await deliver(till, refundOf(session, 'evt_2', later));
  expect(await balancesOf(till)).toMatchObject({ payers: -2_020, suspense: 0 });
  await expectValid(till);
});

needsFile('restores a backup of the file').each(['initiated', 'paid'] as const)(
  'S32: a second charge that came after a copy of the %s collection is in suspense once after the restore',
  async (status) => {
    const till = await createTill();
    till.loseWebhooks();
    await till.prompted(payer);
    const early = await backUpTill(till);
    const { id, sessionId } = await till.approved();
    const { file } = status === 'paid' ? await backUpTill(till) : early;
    await deliver(till, secondOf(sessionId ?? '', 'evt_1', later));
    expect(await balancesOf(till)).toMatchObject({ suspense: 2_020 });
    await restoreTill(till, file);
    expect((await balancesOf(till)).suspense).toBeUndefined();
    // The service sends its events again, in no order.
    await deliver(till, secondOf(sessionId ?? '', 'evt_1', later));
    await untilRecovered(till);
    await deliver(till, secondOf(sessionId ?? '', 'evt_2', later));
    expect(await till.only(payer)).toMatchObject({ status: 'paid', review: 'second_charge' });
    expect(await till.booked(id)).toEqual(paidInFull);
    expect(await onlySecond(till)).toMatchObject({ state: 'open', suspended_minor: 2_020 });
    expect(await balancesOf(till)).toMatchObject({ payers: -4_040, suspense: 2_020 });
    await expectValid(till);
  },
);

test('S18: a second charge of an unknown session is booked beside the first payment, in either order', async () => {
  for (const order of [0, 1]) {
    const till = await createTill();
    const events = [paidOf('pay_elsewhere_1', 'evt_1'), secondOf('pay_elsewhere_1', 'evt_2')];
    if (order === 1) events.reverse();
    for (const event of [...events, secondOf('pay_elsewhere_1', 'evt_3')]) await deliver(till, event);
    const rows = (await unplacedIn(till)).map(({ charge, reason, suspended_minor }) => [
      charge,
      reason,
      suspended_minor,
    ]);
    expect(rows.sort()).toEqual([
      [1, 'unknown_session', 2_020],
      [2, 'second_charge', 2_020],
    ]);
    expect(await balancesOf(till)).toEqual({ payers: -4_040, suspense: 4_040 });
    await deliver(till, refundOf('pay_elsewhere_1', 'evt_4'));
    expect(await balancesOf(till)).toEqual({ payers: -2_020, suspense: 2_020 });
    await expectValid(till);
  }
});

test.each([[false], [true]])(
  'a collection that learns the session takes its own payment and leaves the second charge in suspense: other channels %s',
  async (otherChannels) => {
    const till = await createTill({
      configure(config) {
        for (const merchant of config.merchants) merchant.otherChannels = otherChannels;
      },
    });
    till.loseWebhooks();
    till.faults.call = async (call, pass) => {
      const answer = await pass();
      // The create answer is lost, so that the events come before the session is known.
      if (call.name === 'create') throw new Error('the answer was lost');
      return answer;
    };
    await till.pay(payer);
    await till.clock.advance(2_000);
    const [session] = (await till.service.statement()).sessions;
    const sessionId = session?.sessionId ?? '';
    await deliver(till, paidOf(sessionId, 'evt_1'));
    await deliver(till, secondOf(sessionId, 'evt_2', later));
    const known = otherChannels ? 0 : 4_040;
    expect(await balancesOf(till)).toEqual(known === 0 ? {} : { payers: -known, suspense: known });
    delete till.faults.call;
    await till.until(async () => (await till.only(payer)).booked !== null, 600_000);
    await till.clock.advance(60_000);
    expect((await unplacedIn(till)).map(({ charge, state }) => [charge, state])).toEqual([
      [1, 'placed'],
      [2, 'open'],
    ]);
    expect(await balancesOf(till)).toMatchObject({ payers: -4_040 });
    await expectValid(till);
  },
);

test('a second charge of a collection without a result leaves its end open for the payment', async () => {
  const till = await createTill();
  till.loseWebhooks();
  const row = await till.prompted(payer);
  await deliver(till, secondOf(row.sessionId ?? '', 'evt_1', later));
  expect(await till.only(payer)).toMatchObject({
    status: 'initiated',
    review: 'second_charge',
    booked: null,
  });
  expect(await balancesOf(till)).toEqual({ payers: -2_020, suspense: 2_020 });
  expect(await till.approved()).toMatchObject({ review: 'second_charge' });
  expect(await balancesOf(till)).toMatchObject({ payers: -4_040, suspense: 2_020 });
  await expectValid(till);
});

test('the payment of a session is booked beside its second charge, which people have matched with the collection', async () => {
  const till = await createTill({ configure: withStaff });
  till.loseWebhooks();
  const { id, sessionId } = await till.prompted(payer);
  await till.declined(payer, 600_000);
  // The event of the payment is late: the gateway knows of the second charge only.
  await deliver(till, secondOf(sessionId ?? '', 'evt_1', later));
  const second = await onlySecond(till);
  const terms = { outcome: 'match', collectionId: id, version: second.version };
  expect(await decide(till, `/unplaced/${second.id}`, terms)).toMatchObject({ status: 200 });
  expect(await till.only(payer)).toMatchObject({ status: 'paid', unplacedId: second.id });
  for (const event of ['evt_2', 'evt_3'])
    await deliver(till, paidOf(sessionId ?? '', event, { paid_at: first }));
  expect((await unplacedIn(till)).map(({ charge, state }) => [charge, state]).sort()).toEqual([
    [1, 'open'],
    [2, 'placed'],
  ]);
  expect(await balancesOf(till)).toMatchObject({ payers: -4_040, suspense: 2_020 });
  await expectValid(till);
});

test('a poll books a second charge, and its event books it no more', async () => {
  const till = await createTill({ configure: withStaff });
  const { clock } = till;
  till.loseWebhooks();
  await till.prompted(payer);
  till.faults.call = async (call, pass) => {
    const answer = await pass();
    if (call.name !== 'status' || answer.status !== 200) return answer;
    const body = (await answer.json()) as { status: string };
    if (body.status !== 'paid') return Response.json(body);
    const review = { state: 'open', reason: 'second_charge', paid_minor: 2_020, paid_at: later };
    return Response.json({ ...body, review });
  };
  const { sessionId } = await till.approved();
  expect(await onlySecond(till)).toMatchObject({
    event_id: null,
    event_type: 'poll',
    suspended_minor: 2_020,
  });
  await clock.advance(1_000);
  await deliver(till, secondOf(sessionId ?? '', 'evt_1', later.replace('.000Z', 'Z')));
  expect(await balancesOf(till)).toMatchObject({ payers: -4_040, suspense: 2_020 });
  await expectValid(till);
});

test('a settlement that is delivered late, and again in time, is recorded once and returns its charge once', async () => {
  const { till, session, id } = await paidTill();
  await deliver(till, secondOf(session, 'evt_second', later));
  const settled = refundOf(session, 'evt_refund', later);
  expect((await till.deliver(settled, { signedAt: till.clock.now() - 301_000 })).status).toBe(200);
  await till.clock.advance(1_000);
  await deliver(till, settled);
  expect((await kindsOf(till, id)).filter((kind) => kind === 'refund_reported')).toHaveLength(1);
  expect(await onlySecond(till)).toMatchObject({ state: 'returned', suspended_minor: 0 });
  await expectValid(till);
});
