import { expect, test } from 'vitest';
import { msisdnOf } from '../kit/msisdn.ts';
import { createShop } from '../kit/payers.ts';
import { paidInFull } from '../kit/scenes.ts';
import { createTill, failedEvent, type Till } from '../kit/till.ts';

const payer = '0244123456';
const minute = 60_000;

const expiredEvent = (row: Parameters<typeof failedEvent>[0]) => ({
  ...failedEvent(row, 'evt_test_expired'),
  data: { id: row.sessionId, status: 'expired', reason: 'prompt_expired' },
});

/** Makes every poll fail, as if the service could not be reached. */
function cutPolls(till: Till): void {
  till.faults.call = (call, pass) =>
    call.name === 'status' ? Promise.reject(new Error('connect ECONNREFUSED')) : pass();
}

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
  const { id } = await till.prompt(payer);
  await till.service.phone.decline(id);
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
  const { id } = await till.prompt(payer);
  await till.service.phone.decline(id);
  await till.until(async () => (await till.only(payer)).reportedFailure !== null, 5_000);
  expect(await till.only(payer)).toMatchObject({ status: 'initiated' });
  held.release();
  await till.untilStatus(payer, 'failed', 2_000);
  expect((await till.record(row.id)).postings).toEqual([]);
});
