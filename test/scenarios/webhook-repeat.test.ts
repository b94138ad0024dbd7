import { expect, test } from 'vitest';
import { approve, booked, callsOf, inbox, loseWebhooks, paidInFull, prompted } from '../support/scenes.ts';
import { openTill, paidEvent } from '../support/till.ts';

const payer = '0244123456';
const day = 24 * 60 * 60 * 1_000;

test('S19: the same event fifty times at once is acknowledged fifty times, stored once and booked once', async () => {
  const till = await openTill();
  loseWebhooks(till);
  const row = await prompted(till);
  await approve(till);
  const event = paidEvent(row);
  const answers = await Promise.all(Array.from({ length: 50 }, () => till.deliver(event)));
  expect(answers.map((answer) => answer.status)).toEqual(Array(50).fill(200));
  await till.untilStatus(payer, 'paid', 5_000);
  await till.clock.advance(10_000);
  expect(inbox(till)).toMatchObject([{ id: 'evt_test_paid', state: 'handled' }]);
  const { facts } = await till.file(row.id);
  expect(facts.filter((fact) => fact.kind === 'event')).toHaveLength(1);
  expect(await booked(till, row.id)).toEqual(paidInFull);
  expect((await till.verify()).faults).toEqual([]);
});

test('S19: the same news under fifty event ids at once is all kept as evidence and booked once', async () => {
  const till = await openTill();
  loseWebhooks(till);
  const row = await prompted(till);
  await approve(till);
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, index) => till.deliver(paidEvent(row, `evt_${index}`))),
  );
  expect(new Set(answers.map((answer) => answer.status))).toEqual(new Set([200]));
  await till.until(() => inbox(till).every((event) => event.state === 'handled'));
  const paid = await till.only(payer);
  expect(paid).toMatchObject({ status: 'paid', review: null });
  const { facts } = await till.file(row.id);
  expect(facts.filter((fact) => fact.kind === 'event')).toHaveLength(50);
  expect(facts.filter((fact) => fact.kind === 'paid')).toHaveLength(1);
  expect(await booked(till, row.id)).toEqual(paidInFull);
  expect((await till.verify()).faults).toEqual([]);
});

test.each([
  ['within five minutes', 4 * 60_000],
  ['a day later', day],
])('S50: a captured delivery sent again %s changes nothing and causes no poll', async (_, later) => {
  const till = await openTill();
  loseWebhooks(till);
  const row = await prompted(till);
  await approve(till);
  const event = paidEvent(row);
  const signedAt = till.clock.now();
  await till.deliver(event, { signedAt });
  await till.untilStatus(payer, 'paid', 5_000);
  await till.clock.skip(later);
  const before = await till.file(row.id);
  const calls = till.calls.length;

  for (let again = 0; again < 3; again++) {
    const answer = await till.deliver(event, { signedAt });
    expect([answer.status, await answer.json()]).toEqual([200, { received: true }]);
    await till.clock.advance(5_000);
  }
  expect(await till.file(row.id)).toEqual(before);
  expect(till.calls.length).toBe(calls);
});

test('S50: a stale delivery is not believed: it is a hint that polls once, however often it comes', async () => {
  const till = await openTill();
  loseWebhooks(till);
  await prompted(till);
  await till.clock.advance(62_000);
  const row = await till.only(payer);
  const polls = callsOf(till, 'status');
  const signedAt = till.clock.now() - 301_000;
  for (let again = 0; again < 3; again++) {
    expect((await till.deliver(paidEvent(row), { signedAt })).status).toBe(200);
    await till.clock.advance(3_000);
  }
  expect(callsOf(till, 'status')).toBe(polls + 1);
  expect(await till.only(payer)).toMatchObject({ status: 'initiated' });
  expect(inbox(till)).toMatchObject([{ state: 'hint' }]);
  expect(await booked(till, row.id)).toEqual([]);
});

test('S50: a stale delivery of the truth is settled by the poll that it causes', async () => {
  const till = await openTill();
  loseWebhooks(till);
  await prompted(till);
  await till.clock.advance(62_000);
  await approve(till);
  const row = await till.only(payer);
  await till.deliver(paidEvent(row), { signedAt: till.clock.now() - 301_000 });
  const paid = await till.untilStatus(payer, 'paid', 2_000);
  expect(paid).toMatchObject({ amountSource: 'quote' });
  expect(await booked(till, row.id)).toEqual(paidInFull);
});

test('S50: an event that first came stale counts when it is delivered in time afterwards', async () => {
  const till = await openTill();
  loseWebhooks(till);
  const row = await prompted(till);
  const event = paidEvent(row);
  await till.deliver(event, { signedAt: till.clock.now() - 301_000 });
  await till.clock.advance(2_000);
  expect(await till.only(payer)).toMatchObject({ status: 'initiated' });
  expect((await till.deliver(event)).status).toBe(200);
  const paid = await till.untilStatus(payer, 'paid', 2_000);
  expect(paid).toMatchObject({ amountSource: 'event' });
  expect(inbox(till)).toMatchObject([{ state: 'handled' }]);
});

test('S50: a hint does not become news when it comes in time with other words', async () => {
  const till = await openTill();
  loseWebhooks(till);
  const row = await prompted(till);
  await till.deliver(paidEvent(row), { signedAt: till.clock.now() - 301_000 });
  await till.deliver(paidEvent(row, 'evt_test_paid', { amount_minor: 1 }));
  await till.clock.advance(2_000);
  expect(await till.only(payer)).toMatchObject({ status: 'initiated' });
  expect(inbox(till)).toMatchObject([{ state: 'hint', body: JSON.stringify(paidEvent(row)) }]);
});
