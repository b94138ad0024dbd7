import { expect, test } from 'vitest';
import { backUpTill, restoreTill, untilRecovered } from '../kit/backup-till.ts';
import { needsFile } from '../kit/engine.ts';
import { msisdnOf } from '../kit/msisdn.ts';
import { createShop } from '../kit/payers.ts';
import { paidInFull } from '../kit/scenes.ts';
import { scrape } from '../kit/scrape.ts';
import { createTill, failedEvent, hour, minute, paidEvent, payer, type Till } from '../kit/till.ts';

/** The postings that move `paidInFull` to suspense. */
const reclassified = [
  ['reclassification', 'merchant:demo-shop', -2_000],
  ['reclassification', 'service_fees', -20],
  ['reclassification', 'suspense', 2_020],
];

/** Makes every poll fail, as if the service could not be reached. */
function cutPolls(till: Till): void {
  till.faults.call = (call, pass) =>
    call.name === 'status' ? Promise.reject(new Error('connect ECONNREFUSED')) : pass();
}

test('a paid event of a payment that was never made is not confirmed by any poll and ends in review', async () => {
  const till = await createTill({ service: { rail: { promptLifetimeMs: 2 * minute } } });
  const row = await till.prompted();
  // The webhook secret has leaked: the signature and the amounts are right, and the payer has not paid.
  await till.deliverHandled(paidEvent(row));
  expect(await till.only(payer)).toMatchObject({ status: 'paid', confirmedAt: null });
  expect(await till.pay(payer, [])).not.toMatch(/paid/i);
  await till.untilStatus(payer, 'review', 10 * minute);
  expect(await till.only(payer)).toMatchObject({ review: 'expired_after_paid', confirmedAt: null });
  expect(till.alarms()).toContain('expired_after_paid');
  expect(await till.service.statement()).toMatchObject({ chargedMinor: 0 });
  expect(await till.booked(row.id)).toEqual([...paidInFull, ...reclassified]);
  expect((await till.verify()).faults).toEqual([]);
});

test('an honest payment is confirmed by one poll within two seconds of its event', async () => {
  const till = await createTill();
  await till.prompted();
  await till.approve();
  const polls = till.callsOf('status');
  const { closedAt } = await till.untilStatus(payer, 'paid', 10_000);
  await till.until(async () => (await till.only(payer)).confirmedAt !== null, 2_000);
  const row = await till.only(payer);
  expect((row.confirmedAt ?? 0) - (closedAt ?? 0)).toBeLessThan(2_000);
  expect(row).toMatchObject({ status: 'paid', amountSource: 'webhook', review: null, nextAt: null });
  expect(till.callsOf('status')).toBe(polls + 1);
  expect(await till.booked(row.id)).toEqual(paidInFull);
  // No further poll follows.
  await till.clock.advance(2 * hour);
  expect(till.callsOf('status')).toBe(polls + 1);
});

test('a payment that a poll proves first is confirmed at once, and its event causes no poll', async () => {
  const till = await createTill();
  till.loseWebhooks();
  const row = await till.paidPayment();
  expect(row).toMatchObject({ amountSource: 'quote', nextAt: null });
  expect(row.confirmedAt).toBe(row.closedAt);
  const polls = till.callsOf('status');
  await till.deliverHandled(paidEvent(row));
  await till.clock.advance(10 * minute);
  expect(till.callsOf('status')).toBe(polls);
  expect(await till.only(payer)).toMatchObject({ amountSource: 'webhook', confirmedAt: row.confirmedAt });
});

test('while the service cannot be reached, a payment stays unconfirmed, is polled on the plan, and raises one alarm besides that of the outage', async () => {
  const till = await createTill();
  await till.prompted();
  cutPolls(till);
  const polls = till.callsOf('status');
  await till.approved(payer, 10_000);
  expect(await till.pay(payer, [])).toContain('being confirmed');
  expect(await scrape(till, 'unconfirmed_payments', { merchant: 'demo-shop' })).toBe(1);
  await till.clock.advance(4 * minute);
  expect(till.alarms()).toEqual(['service_unavailable']);
  await till.clock.advance(3 * hour);
  expect(await till.only(payer)).toMatchObject({
    status: 'paid',
    confirmedAt: null,
    review: 'unconfirmed_paid',
  });
  expect(till.alarms()).toEqual(['service_unavailable', 'unconfirmed_paid']);
  const missed = till.callsOf('status') - polls;
  expect(missed).toBeGreaterThan(20);
  expect(missed).toBeLessThan(60);
  delete till.faults.call;
  await till.until(async () => (await till.only(payer)).confirmedAt !== null, 20 * minute);
  const row = await till.only(payer);
  expect(row).toMatchObject({ status: 'paid', review: null, nextAt: null });
  expect(await scrape(till, 'unconfirmed_payments', { merchant: 'demo-shop' })).toBe(0);
  expect(await till.booked(row.id)).toEqual(paidInFull);
  expect(till.alarms()).toEqual(['service_unavailable', 'unconfirmed_paid']);
  expect((await till.verify()).faults).toEqual([]);
});

test('a payment that no poll confirms within seven days ends in review and is not polled any more', async () => {
  const till = await createTill();
  await till.prompted();
  cutPolls(till);
  await till.approved(payer, 10_000);
  await till.clock.skip(8 * 24 * hour);
  await till.untilStatus(payer, 'review', 2 * minute);
  const row = await till.only(payer);
  expect(row).toMatchObject({ review: 'unconfirmed_paid', nextAt: null });
  expect(await till.booked(row.id)).toEqual([...paidInFull, ...reclassified]);
  const polls = till.callsOf('status');
  await till.clock.advance(2 * hour);
  expect(till.callsOf('status')).toBe(polls);
});

test('a poll that was sent before the event does not delay the confirmation', async () => {
  const till = await createTill();
  const row = await till.prompted();
  const held = await till.holdPoll();
  delete till.faults.call;
  await till.approved(payer, 10_000);
  // The answer of the earlier poll: initiated, with a wait of some seconds.
  held.release();
  const releasedAt = till.clock.now();
  await till.until(async () => (await till.only(payer)).confirmedAt !== null, 2_000);
  expect(till.clock.now() - releasedAt).toBeLessThan(2_000);
  const { facts } = await till.record(row.id);
  expect(facts.filter(({ kind }) => kind === 'polled').length).toBeLessThanOrEqual(3);
});

test('an unconfirmed payment survives a restart and is confirmed after it', async () => {
  const till = await createTill();
  await till.prompted();
  cutPolls(till);
  await till.approved(payer, 10_000);
  await till.restart();
  expect(await till.only(payer)).toMatchObject({ confirmedAt: null });
  delete till.faults.call;
  await till.until(async () => (await till.only(payer)).confirmedAt !== null, 2 * minute);
});

test('an unconfirmed payment does not keep its payer from a new payment', async () => {
  const till = await createTill();
  await till.prompted();
  cutPolls(till);
  await till.approved(payer, 10_000);
  // The last payment is shown first; 1 starts a new payment of another amount.
  await till.clock.advance(10_000);
  await till.pay(payer, ['1', '1', '30', '1']);
  expect(await till.find(payer)).toHaveLength(2);
});

needsFile('restores a backup of the file')(
  'an unconfirmed payment of a restored copy is confirmed, and its payer is not prompted again',
  async () => {
    const till = await createTill();
    await till.prompted();
    cutPolls(till);
    await till.approved(payer, 10_000);
    const copy = await backUpTill(till);
    await restoreTill(till, copy.file);
    expect(await till.only(payer)).toMatchObject({ status: 'paid', confirmedAt: null, restoredAt: null });
    delete till.faults.call;
    await till.until(async () => (await till.only(payer)).confirmedAt !== null, 2 * minute);
    await untilRecovered(till);
    expect(await till.service.statement()).toMatchObject({ pushes: 1, chargedMinor: 2_020 });
    expect((await till.verify()).faults).toEqual([]);
  },
);

test('while calls with the key are paused, the confirming poll waits', async () => {
  const till = await createTill();
  await till.prompted();
  await till.approve();
  till.faults.call = async () =>
    Response.json(
      { error: { code: 'rate_limited', message: '' } },
      { status: 429, headers: { 'retry-after': '30' } },
    );
  await till.untilStatus(payer, 'paid', 10_000);
  await till.clock.advance(2_000);
  const polls = till.callsOf('status');
  delete till.faults.call;
  await till.clock.advance(20_000);
  expect(till.callsOf('status')).toBe(polls);
  await till.until(async () => (await till.only(payer)).confirmedAt !== null, minute);
});

const expiredEvent = (row: Parameters<typeof failedEvent>[0]) => ({
  ...failedEvent(row, 'evt_test_expired'),
  data: { id: row.sessionId, status: 'expired', reason: 'prompt_expired' },
});

test('a false failed event while the prompt is out causes no second prompt, and the payer is charged once', async () => {
  const till = await createShop();
  await till.dialAndConfirm();
  const row = await till.untilStatus(payer, 'initiated');
  // The webhook secret has leaked, or the service is wrong: the prompt is still on the handset.
  await till.deliverHandled(failedEvent(row));
  await till.clock.advance(5_000);
  const phone = till.phone(payer);
  const screen = await phone.dial();
  if (screen.includes('Send prompt again')) {
    await phone.press('Send prompt again');
    await till.clock.advance(10_000);
  }
  for (const { id } of await till.service.phone.pending(msisdnOf(payer)))
    await till.service.phone.approve(id, '1234');
  await till.clock.advance(minute);
  expect(await till.service.statement()).toMatchObject({ pushes: 1, chargedMinor: 2_020 });
  expect(screen).not.toMatch(/was not paid|Send prompt again/);
  expect(await till.storedCollections()).toMatchObject([{ status: 'paid', review: null }]);
  expect(await till.booked(row.id)).toEqual(paidInFull);
  expect((await till.verify()).faults).toEqual([]);
});

test.each([
  ['failed', failedEvent],
  ['expired', expiredEvent],
] as const)('while no poll answers, an event with %s ends nothing and the payer waits', async (_, event) => {
  const till = await createTill();
  const row = await till.prompted();
  cutPolls(till);
  const polls = till.callsOf('status');
  await till.deliverHandled(event(row));
  await till.clock.advance(minute);
  expect(await till.only(payer)).toMatchObject({ status: 'initiated', closedAt: null, review: null });
  // One poll follows at once, and polling continues.
  expect(till.callsOf('status') - polls).toBeGreaterThan(2);
  expect(till.callsOf('status') - polls).toBeLessThan(10);
  expect(await till.pay(payer, [])).not.toMatch(/was not paid/);
  delete till.faults.call;
  await till.approved(payer, 2 * minute);
  expect(await till.service.statement()).toMatchObject({ pushes: 1, chargedMinor: 2_020 });
});

test('an honest decline ends the collection within two seconds of its event, with the reason that the event states', async () => {
  const till = await createTill();
  await till.prompted();
  const polls = till.callsOf('status');
  await till.decline();
  await till.untilStatus(payer, 'failed', 2_000);
  expect(await till.only(payer)).toMatchObject({ reason: 'declined', nextAt: null });
  expect(till.callsOf('status')).toBe(polls + 1);
});

test('only the first failed event of a collection brings its poll forward', async () => {
  const till = await createTill();
  const row = await till.prompted();
  till.answerPolls(() => ({ status: 'initiated', terminal: false, retry_after_seconds: 600 }));
  const polls = till.callsOf('status');
  await till.deliverHandled(failedEvent(row, 'evt_first'));
  await till.until(() => till.callsOf('status') === polls + 1, 2_000);
  for (let n = 0; n < 5; n++) await till.deliverHandled(failedEvent(row, `evt_${n}`));
  await till.clock.advance(5 * minute);
  expect(till.callsOf('status')).toBe(polls + 1);
  expect(await till.only(payer)).toMatchObject({ status: 'initiated' });
});

test('a poll that was sent before the failed event does not delay the poll that decides', async () => {
  const till = await createTill();
  const row = await till.prompted();
  const held = await till.holdPoll();
  delete till.faults.call;
  await till.decline();
  await till.until(async () => (await till.only(payer)).reportedFailure !== null, 5_000);
  expect(await till.only(payer)).toMatchObject({ status: 'initiated' });
  held.release();
  await till.untilStatus(payer, 'failed', 2_000);
  expect((await till.record(row.id)).postings).toEqual([]);
});
