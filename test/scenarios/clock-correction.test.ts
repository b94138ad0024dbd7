import { expect, test } from 'vitest';
import { timeline } from '../../src/gateway/support/timeline.ts';
import type { Clock } from '../../src/shared/clock.ts';
import { backUpTill, restoreTill } from '../kit/backup-till.ts';
import { needsFile } from '../kit/engine.ts';
import { paidInFull } from '../kit/scenes.ts';
import { createTill, day, hour, minute, paidEvent, payer, type Till } from '../kit/till.ts';

/* A system clock that was more than a day ahead is corrected by a restart. Rows that it wrote have future times. */

const ahead = 30 * day;

const service = { rail: { promptLifetimeMs: 2 * ahead }, session: { longStopMs: 4 * ahead } };

const unanswered = async () => new Response('', { status: 503 });

/** Inserts an event as a gateway leaves it that stops before handling it. */
function leaveEvent(
  till: Till,
  event: { id: string; type: string; data: { id: unknown } },
  at: number,
): Promise<void> {
  return till.ledger.change(`INSERT INTO inbox (merchant_id, event_id, livemode, type, session_id, body, received_at, state,
    next_at, lease_until, attempts, stale) VALUES ('demo-shop', '${event.id}', 0, '${event.type}', '${event.data.id}',
    '${JSON.stringify(event)}', ${at}, 'waiting', ${at}, 0, 0, 0)`);
}

test.each(['accepted', 'created'] as const)(
  'S37: a collection that a clock 30 days ahead left %s ends when the clock is corrected, and is never prompted',
  async (stage) => {
    const till = await createTill({ onMachineClock: true, service });
    till.setMachineClock(ahead);
    if (stage === 'accepted') till.faults.call = unanswered;
    await till.pay(payer);
    if (stage === 'accepted') await till.clock.advance(1_000);
    else await till.until(async () => (await till.only(payer)).status === 'created', 5_000);
    till.setMachineClock(0);
    await till.restart();
    delete till.faults.call;
    const row = await till.only(payer);
    expect(row).toMatchObject({ status: 'abandoned', reason: 'clock_ahead' });
    const phone = till.phone(payer);
    await phone.dial();
    expect(phone.kind()).toBe('continue');
    await till.clock.skip(row.openedAt - till.clock.now() - minute);
    await till.clock.advance(3 * minute);
    expect(await till.service.statement()).toMatchObject({ pushes: 0 });
    expect((await till.verify()).faults).toEqual([]);
  },
);

test('S37: a prompt from a clock 30 days ahead is polled and booked, and its payer may retry after the usual time', async () => {
  const till = await createTill({ onMachineClock: true, service });
  const waiting = '0201234567';
  till.loseWebhooks();
  till.setMachineClock(ahead);
  await till.prompted(waiting);
  await till.prompted();
  till.setMachineClock(0);
  await till.restart();
  const row = await till.approved(payer, 10_000);
  expect(row.late).toBe(0);
  expect(await till.booked(row.id)).toEqual(paidInFull);
  const asked = till.callsOf('status');
  await till.clock.advance(5 * minute);
  expect((await till.only(waiting)).lapsedAt).toBeNull();
  await till.clock.advance(2.5 * minute);
  expect((await till.only(waiting)).lapsedAt).not.toBeNull();
  // The plan of polls starts at the correction.
  expect(till.callsOf('status') - asked).toBeLessThan(15);
  expect((await till.service.statement()).pushes).toBe(2);
  expect((await till.verify()).faults).toEqual([]);
});

test('S37: an initiate that was lost under a clock 30 days ahead is not sent again 30 days later', async () => {
  const till = await createTill({ onMachineClock: true, service });
  till.faults.call = async ({ name }, pass) => (name === 'initiate' ? unanswered() : pass());
  till.setMachineClock(ahead);
  await till.pay(payer);
  const row = await till.untilStatus(payer, 'initiating', 10_000);
  till.setMachineClock(0);
  await till.restart();
  delete till.faults.call;
  expect(await till.untilStatus(payer, 'abandoned', 5 * minute)).toMatchObject({ reason: 'never_prompted' });
  await till.clock.skip(row.openedAt - till.clock.now() - minute);
  await till.clock.advance(3 * minute);
  expect(await till.service.statement()).toMatchObject({ pushes: 0 });
});

test('S37: an event from a clock 30 days ahead is handled when the clock is corrected', async () => {
  const till = await createTill({ onMachineClock: true, service });
  till.loseWebhooks();
  const row = await till.prompted();
  await till.restart(async () => await leaveEvent(till, paidEvent(row), till.clock.now() + ahead));
  expect(await till.untilStatus(payer, 'paid', 2_000)).toMatchObject({ amountSource: 'webhook' });
  expect(await till.inbox()).toMatchObject([{ state: 'handled' }]);
});

test('S37: payments from a clock two days ahead do not count for limits before their time', async () => {
  const till = await createTill({
    onMachineClock: true,
    configure: ({ limits }) => {
      limits.merchant.perMinute = 2;
      limits.payer.perHour = 1;
    },
  });
  till.setMachineClock(2 * day);
  for (const number of ['0201234567', payer]) {
    await till.paidPayment(number, 3 * minute);
  }
  till.setMachineClock(0);
  await till.restart();
  await till.clock.skip(12 * hour);
  expect(await till.pay(payer, ['1', '1', '23', '1'])).toContain('Approve GHS 23');
  expect(await till.find(payer)).toHaveLength(2);
  // Current payments count.
  await till.pay('0271234567');
  await till.pay('0551234567');
  expect(await till.find('0271234567')).toHaveLength(1);
  expect(await till.find('0551234567')).toHaveLength(0);
});

test('S37: one wrong time in the ledger does not hide that the clock is an hour behind', async () => {
  const till = await createTill({ onMachineClock: true });
  const row = await till.prompted();
  await till.restart(async () => {
    await leaveEvent(
      till,
      { ...paidEvent(row, 'evt_absurd'), type: 'payment.other' },
      till.clock.now() + 400 * day,
    );
    till.setMachineClock(-hour);
  });
  expect(till.alarms()).toContain('clock_behind');
  const asked = till.callsOf('status');
  await till.clock.advance(2 * minute);
  expect(till.callsOf('status')).toBeGreaterThan(asked);
});

needsFile('restores a backup of the file')(
  'S37: collections of a restored copy from a clock 30 days ahead are polled from the start of the gateway',
  async () => {
    const till = await createTill({ onMachineClock: true, service });
    till.loseWebhooks();
    till.setMachineClock(ahead);
    await till.pay(payer);
    await till.until(async () => (await till.only(payer)).status === 'created', 5_000);
    const { file } = await backUpTill(till);
    await till.untilStatus(payer, 'initiated');
    till.setMachineClock(0);
    await restoreTill(till, file);
    const row = await till.approved(payer, 2 * minute);
    expect(await till.booked(row.id)).toEqual(paidInFull);
    expect((await till.service.statement()).pushes).toBe(1);
    expect((await till.verify()).faults).toEqual([]);
    const texts = timeline(await till.record(row.id)).map(({ text }) => text);
    expect(texts).toContainEqual(
      expect.stringMatching(/^clock corrected: the system clock was ahead; the time is 2026-03-06T09:/),
    );
  },
);

test('S37: an unconfirmed payment that a clock 30 days ahead left is confirmed when the clock is corrected', async () => {
  const till = await createTill({ onMachineClock: true, service });
  till.setMachineClock(ahead);
  const row = await till.prompted();
  till.faults.call = unanswered;
  await till.deliver(paidEvent(row), { signedAt: till.clock.now() + ahead });
  await till.untilStatus(payer, 'paid', 10_000);
  await till.approve();
  till.setMachineClock(0);
  await till.restart();
  expect(await till.only(payer)).toMatchObject({ status: 'paid', confirmedAt: null });
  delete till.faults.call;
  await till.until(async () => (await till.only(payer)).confirmedAt !== null, minute);
  expect((await till.verify()).faults).toEqual([]);
});

/** Creates a till whose gateway's system clock is wrong by this time. */
const wrongBy = (ms: number) => ({
  overrides: (clock: Clock) => ({ clock: { now: () => clock.now() + ms, sleep: clock.sleep } }),
});

test.each([-10, 10])(
  'S36: with a clock that is wrong by %i minutes, webhooks trigger polls, polls decide, and an alarm is raised',
  async (minutes) => {
    const till = await createTill(wrongBy(minutes * minute));
    await till.prompted();
    expect(till.alarms()).toEqual([]);
    await till.clock.advance(62_000);
    const polls = till.callsOf('status');
    await till.approve();
    // The stale event brings the next poll forward by up to a minute.
    const row = await till.untilStatus(payer, 'paid', 3_000);
    expect(till.callsOf('status')).toBe(polls + 1);
    expect(row).toMatchObject({ amountSource: 'quote', review: null, late: 0 });
    expect(await till.inbox()).toMatchObject([{ state: 'hint', sessionId: row.sessionId }]);
    expect(till.alarms()).toEqual(['stale_webhook']);
    await till.clock.advance(10 * minute);
    // The event is acknowledged, so it is not sent again, and there is one alarm.
    expect(till.alarms()).toEqual(['stale_webhook']);
    expect(await till.booked(row.id)).toEqual(paidInFull);
    expect(await till.service.statement()).toMatchObject({ pushes: 1, chargedMinor: 2_020 });
    expect((await till.verify()).faults).toEqual([]);
  },
);

test.each([-4, 4])('S36: a difference of %i minutes is within the tolerance', async (minutes) => {
  const till = await createTill(wrongBy(minutes * minute));
  expect(await till.paidPayment(payer, 3_000)).toMatchObject({ amountSource: 'webhook' });
  expect(await till.inbox()).toMatchObject([{ state: 'handled' }]);
  expect(till.alarms()).toEqual([]);
});
