import { expect, test } from 'vitest';
import { engine } from '../kit/engine.ts';
import { lastOf } from '../kit/phone.ts';
import { createLatch, paidInFull } from '../kit/scenes.ts';
import { createTill, day, hour, minute, paidEvent, payer, type Till } from '../kit/till.ts';

/** Returns every stored time, in the order of writing. */
async function storedTimes(till: Till): Promise<number[][]> {
  const columns = [
    'SELECT at FROM fact ORDER BY seq',
    'SELECT at FROM posting ORDER BY seq',
    'SELECT at FROM turn ORDER BY seq',
    'SELECT at FROM seal ORDER BY number',
    // Without a number of its own, an event has an order only in a file.
    ...(engine === 'sqlite' ? ['SELECT received_at AS at FROM inbox ORDER BY rowid'] : []),
  ];
  const rows = await Promise.all(columns.map((sql) => till.ledger.rows<{ at: number }>(sql)));
  return rows.map((times) => times.map(({ at }) => at));
}

async function expectTimeGoesOn(till: Till): Promise<void> {
  for (const times of await storedTimes(till)) expect(times).toEqual(times.toSorted((a, b) => a - b));
}

const polls = (till: Till) => till.calls.filter(({ name }) => name === 'status');

test.each([-1_000, -hour])(
  'S37: a step of the system clock by %i ms changes no prompt, poll or deadline',
  async (jump) => {
    const till = await createTill({ onMachineClock: true });
    const waiting = '0201234567';
    await till.prompted(waiting);
    await till.pay(payer);
    till.setMachineClock(jump);
    await till.untilStatus(payer, 'initiated', 3_000);
    await till.clock.advance(2 * minute);
    const times = polls(till).map(({ startedAt: at }) => at);
    expect(times.length).toBeGreaterThanOrEqual(2 * 5);
    expect(await till.approved(payer, 3_000)).toMatchObject({ amountSource: 'webhook', late: 0 });
    // A payer who does not answer may retry after six minutes, at the next poll.
    const { initiateSentAt } = await till.only(waiting);
    await till.clock.advance((initiateSentAt ?? 0) + 6 * minute - 1 - till.clock.now());
    expect((await till.only(waiting)).lapsedAt).toBeNull();
    await till.clock.advance(1.2 * minute);
    expect((await till.only(waiting)).lapsedAt).not.toBeNull();
    await expectTimeGoesOn(till);
    expect(till.alarms()).toEqual([]);
    expect((await till.service.statement()).pushes).toBe(2);
  },
);

test.each(['nalo', 'africastalking'] as const)(
  'S37: after a step of the system clock, a repeat on %s gets the same screen, and the dialogue continues',
  async (channel) => {
    const till = await createTill({ onMachineClock: true });
    const session = till.session(payer, channel);
    const screen = lastOf(await session.walk(['1', '20'])).body;
    till.setMachineClock(hour);
    expect((await session.send(['1', '20'])).body).toBe(screen);
    await till.clock.advance(3_000);
    expect((await session.send(['1', '20', '1'])).body).toContain('Approve');
    await till.untilStatus(payer, 'initiated');
    // The age of a dialogue still ends it.
    const other = till.session('0201234567', channel);
    await other.walk(['1', '20']);
    await till.clock.advance(6 * minute);
    expect((await other.send(['1', '20', '1'])).body).toContain('dial again');
  },
);

const numbers = Array.from({ length: 16 }, (_, n) => `02440000${String(n).padStart(2, '0')}`);

test('S37: when the clock jumps a day ahead, no prompted collection ends, and polls keep their rate', async () => {
  const perSecond = 2;
  const till = await createTill({
    onMachineClock: true,
    configure: ({ service }) => Object.assign(service, { callsPerSecond: perSecond }),
  });
  const phones = numbers.map((number) => till.phone(number));
  await Promise.all(phones.map((phone) => phone.dial('1', '20')));
  await Promise.all(phones.map((phone) => phone.send('1')));
  await till.until(async () =>
    (await till.storedCollections()).every(({ status }) => status === 'initiated'),
  );
  await till.clock.advance(minute);

  till.setMachineClock(day);
  const from = till.calls.length;
  await till.clock.advance(20_000);
  const times = till.calls.slice(from).map(({ startedAt: at }) => at);
  // Every collection fell due and is polled once, within the rate.
  expect(times.length).toBeGreaterThanOrEqual(numbers.length);
  for (const at of times) {
    expect(times.filter((one) => one >= at && one < at + 5_000).length).toBeLessThanOrEqual(6 * perSecond);
  }
  expect(new Set((await till.storedCollections()).map(({ status }) => status))).toEqual(
    new Set(['initiated']),
  );

  await till.approve(numbers[0]);
  const row = await till.untilStatus(numbers[0] ?? '', 'paid', 2 * minute);
  expect(await till.booked(row.id)).toEqual(paidInFull);
  await expectTimeGoesOn(till);
  expect((await till.service.statement()).pushes).toBe(numbers.length);
  expect((await till.verify()).faults).toEqual([]);
});

test('S37: when the clock jumps eight days ahead, a prompt is polled, and its payer may retry after the usual time', async () => {
  const till = await createTill({ onMachineClock: true });
  const waiting = '0201234567';
  await till.prompted(waiting);
  await till.prompted();
  till.setMachineClock(8 * day);
  await till.clock.advance(minute);
  expect(await till.only(payer)).toMatchObject({ status: 'initiated', lapsedAt: null });
  await till.pay(payer);
  expect(await till.find(payer)).toHaveLength(1);
  const row = await till.approved(payer, 2 * minute);
  expect(await till.booked(row.id)).toEqual(paidInFull);
  await till.clock.advance(3 * minute);
  expect((await till.only(waiting)).lapsedAt).toBeNull();
  await till.clock.advance(3 * minute);
  const { status, lapsedAt } = await till.only(waiting);
  expect([status, lapsedAt]).toEqual(['initiated', expect.any(Number)]);
});

test('S37: when the clock jumps a day ahead during a call, another worker claims the collection, and one prompt is sent', async () => {
  const till = await createTill({ onMachineClock: true });
  const sending = createLatch();
  till.faults.call = async ({ name }, pass) => {
    if (name !== 'initiate') return pass();
    await sending.wait();
    return pass();
  };
  await till.pay(payer);
  await till.until(sending.isReached);
  till.setMachineClock(day);
  // The deadline has passed by this clock: the next worker may poll, and may not send.
  await till.until(() => polls(till).length > 0, 10_000);
  sending.release();
  await till.untilStatus(payer, 'initiated', 2 * minute);
  expect(till.callsOf('initiate')).toBe(1);
  await till.approved(payer, 2 * minute);
  expect((await till.service.statement()).pushes).toBe(1);
});

test('S37: a collection that is accepted before the clock jumps a day ahead is not prompted, because a suspended machine looks the same', async () => {
  const till = await createTill({
    onMachineClock: true,
    faults: { call: async () => new Response('', { status: 503 }) },
  });
  await till.pay(payer);
  await till.clock.advance(1_000);
  till.setMachineClock(day);
  expect(await till.untilStatus(payer, 'abandoned', 10_000)).toMatchObject({ reason: 'prompt_deadline' });
  delete till.faults.call;
  await till.clock.advance(10 * minute);
  expect(await till.service.statement()).toMatchObject({ pushes: 0, sessions: [] });
});

test.each([
  { jump: 'an hour back', before: 0, after: -hour },
  { jump: 'a day back, after a jump ahead', before: day - hour, after: 0 },
])('S37: a gateway that starts with its clock $jump continues', async ({ before, after }) => {
  const till = await createTill({ onMachineClock: true });
  till.setMachineClock(before);
  const waiting = '0201234567';
  await till.prompted(waiting);
  // A payer who has confirmed and is not prompted yet.
  till.faults.call = async () => new Response('', { status: 503 });
  await till.pay(payer);
  till.setMachineClock(after);
  await till.restart();
  delete till.faults.call;
  expect(till.alarms()).toContain('clock_behind');
  const asked = polls(till).length;
  await till.untilStatus(payer, 'initiated', 10_000);
  await till.until(() => polls(till).length > asked, 2 * minute);
  await till.approve();
  await till.approve(waiting);
  for (const number of [payer, waiting]) {
    const row = await till.untilStatus(number, 'paid', 2 * minute);
    expect(await till.booked(row.id)).toEqual(paidInFull);
  }
  await expectTimeGoesOn(till);
  expect((await till.service.statement()).pushes).toBe(2);
  expect((await till.verify()).faults).toEqual([]);
});

test('S37: no prompt is sent after its deadline, even when the gateway starts with its clock set back', async () => {
  const till = await createTill({
    onMachineClock: true,
    faults: { call: async () => new Response('', { status: 503 }) },
  });
  await till.pay(payer);
  await till.clock.advance(2 * minute);
  till.setMachineClock(-hour);
  await till.restart();
  await till.clock.advance(1.5 * minute);
  delete till.faults.call;
  expect(await till.untilStatus(payer, 'abandoned', 30_000)).toMatchObject({ reason: 'prompt_deadline' });
  for (let hours = 0; hours < 2; hours++) {
    await till.clock.skip(hour);
    await till.clock.advance(minute);
  }
  expect((await till.service.statement()).pushes).toBe(0);
});

test('S37: the clock does not follow a ledger that is more than a day ahead, and payers are still served', async () => {
  const till = await createTill({
    onMachineClock: true,
    faults: { call: async () => new Response('', { status: 503 }) },
  });
  till.setMachineClock(30 * day);
  await till.pay('0201234567');
  till.setMachineClock(0);
  await till.restart();
  delete till.faults.call;
  expect(till.alarms()).toContain('clock_behind');
  const row = await till.prompted();
  await till.deliver(paidEvent(row));
  expect(await till.untilStatus(payer, 'paid', 3_000)).toMatchObject({ amountSource: 'webhook' });
  expect(await till.inbox()).toMatchObject([{ state: 'handled' }]);
});
