import { describe, expect, test } from 'vitest';
import { channelNames, lastOf, type RawAnswer } from '../kit/phone.ts';
import { createTill, payer, type Till } from '../kit/till.ts';

/** Simulates a service that accepts every call and answers none. Counts the calls in flight. */
function leaveUnanswered(till: Till): { now: number; max: number } {
  const count = { now: 0, max: 0 };
  till.faults.call = (_call, _pass, signal) =>
    new Promise((_, reject) => {
      count.now++;
      count.max = Math.max(count.max, count.now);
      signal.addEventListener('abort', () => {
        count.now--;
        reject(signal.reason);
      });
    });
  return count;
}

const numbers = Array.from({ length: 60 }, (_, index) => `02440000${String(index).padStart(2, '0')}`);

test.each(channelNames)(
  'S41: while the service does not answer, every turn through %s is answered without delay',
  async (channel) => {
    const till = await createTill();
    leaveUnanswered(till);
    for (const number of numbers.slice(0, 20)) {
      const phone = till.phone(number, channel);
      for (const input of [undefined, '1', '20', '1']) {
        const before = till.clock.now();
        await (input === undefined ? phone.dial() : phone.send(input));
        expect(till.clock.now()).toBe(before);
        await till.clock.advance(3_000);
      }
      expect(phone.text()).toContain('Approve GHS 20.00');
    }
    expect(till.calls.length).toBeGreaterThan(0);
  },
);

test('S41: the calls of a merchant in flight stay within its share, and each is aborted after its timeout', async () => {
  const till = await createTill({
    configure: ({ service }) => Object.assign(service, { callsInFlight: 7, callsPerSecond: 1_000 }),
  });
  const count = leaveUnanswered(till);
  const phones = numbers.map((number) => till.phone(number));
  await Promise.all(phones.map((phone) => phone.dial('1', '20')));
  await Promise.all(phones.map((phone) => phone.send('1')));
  await till.clock.advance(59_000);
  // Two of the seven are left for other merchants.
  expect(count.max).toBe(5);
  // Each call takes twelve seconds, so a minute has five rounds of five calls.
  expect(till.calls).toHaveLength(25);
  expect(till.calls.every(({ answer }) => answer === undefined)).toBe(true);
});

test('S41: sixty payers during a minute without answers are each prompted once after the service recovers', async () => {
  const till = await createTill({ service: { rail: { promptLifetimeMs: 3_600_000 } } });
  leaveUnanswered(till);
  const phones = numbers.map((number) => till.phone(number));
  await Promise.all(phones.map((phone) => phone.dial('1', '20')));
  await Promise.all(phones.map((phone) => phone.send('1')));
  await till.clock.advance(60_000);
  expect((await till.service.statement()).sessions).toEqual([]);
  till.faults.call = (_call, pass) => pass();
  await till.until(async () => (await till.service.statement()).pushes === numbers.length, 60_000);
  await till.clock.advance(30_000);
  const { sessions } = await till.service.statement();
  expect(sessions.map(({ pushes }) => pushes)).toEqual(numbers.map(() => 1));
  for (const number of numbers) expect((await till.only(number)).status).toBe('initiated');
});

/** Returns the answer after checking that all answers are equal. */
function expectAllEqual(answers: readonly RawAnswer[]): RawAnswer {
  for (const answer of answers) expect(answer).toEqual(answers[0]);
  return lastOf(answers);
}

function times<T>(count: number, work: (index: number) => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: count }, (_, index) => work(index)));
}

describe.each(channelNames)('S03: through %s', (channel) => {
  test('S03: of two concurrent inputs one advances, and both get its screen', async () => {
    const till = await createTill();
    const session = till.session(payer, channel);
    await session.walk([]);
    await till.clock.advance(2_500);
    const { body } = expectAllEqual(await Promise.all([session.send(['1']), session.send(['2'])]));
    expect(body).toMatch(/Amount in GHS|Number that pays/);
  });

  test('S03: each request from the dial to the END screen advances once when it is sent twenty times at once', async () => {
    const till = await createTill();
    const session = till.session(payer, channel);
    const inputs = ['1', '20', '1'];
    const seen: string[] = [];
    for (let typed = 0; typed <= inputs.length; typed++) {
      await till.clock.advance(2_500);
      seen.push(expectAllEqual(await times(20, () => session.send(inputs.slice(0, typed)))).body);
    }
    expect(new Set(seen).size).toBe(4);
    const row = await till.untilStatus(payer, 'initiated');
    expect((await till.record(row.id)).turns).toHaveLength(4);
    expect(till.calls.map(({ name }) => name)).toEqual(['create', 'initiate']);
  });

  test('S03: twenty different concurrent inputs advance the dialogue by one step', async () => {
    const till = await createTill();
    const session = till.session(payer, channel);
    await session.walk(['1']);
    await till.clock.advance(2_500);
    const { body } = expectAllEqual(await times(20, (index) => session.send(['1', String(index + 20)])));
    const amount = /Pay GHS (\d+)\.00/.exec(body)?.[1] ?? '';
    await till.clock.advance(2_500);
    await session.send(['1', amount, '1']);
    const row = await till.untilStatus(payer, 'initiated');
    expect(row.goodsMinor).toBe(Number(amount) * 100);
    expect((await till.record(row.id)).turns).toHaveLength(4);
  });

  test('S03: twenty concurrent confirmations open one collection', async () => {
    const till = await createTill();
    const session = till.session(payer, channel);
    await session.walk(['1', '20']);
    await till.clock.advance(2_500);
    const { body } = expectAllEqual(await times(20, () => session.send(['1', '20', '1'])));
    expect(body).toContain('Approve GHS 20.00');
    await till.untilStatus(payer, 'initiated');
    await till.clock.advance(60_000);
    const { sessions, pushes } = await till.service.statement();
    expect({ sessions: sessions.length, pushes }).toEqual({ sessions: 1, pushes: 1 });
  });

  test.each([{ order: ['1', '2'] }, { order: ['2', '1'] }])(
    'S03: of a concurrent Yes and No one takes effect, and both get its screen: $order',
    async ({ order }) => {
      const till = await createTill();
      const session = till.session(payer, channel);
      await session.walk(['1', '20']);
      await till.clock.advance(2_500);
      const { body } = expectAllEqual(
        await Promise.all(order.map((input) => session.send(['1', '20', input]))),
      );
      await till.clock.advance(10_000);
      const agreed = body.includes('Approve GHS 20.00');
      expect(body).toMatch(/Approve GHS 20\.00|Cancelled\./);
      expect(await till.find(payer)).toHaveLength(agreed ? 1 : 0);
      expect((await till.service.statement()).pushes).toBe(agreed ? 1 : 0);
    },
  );
});

test('S03: fifty concurrent sessions of fifty payers do not mix', async () => {
  const till = await createTill();
  const numbers = Array.from({ length: 50 }, (_, index) => `02441000${String(index).padStart(2, '0')}`);
  const sessions = numbers.map((number) => till.session(number, 'nalo'));
  await times(50, async (index) => sessions[index]?.send([]));
  await till.clock.advance(2_500);
  await times(50, async (index) => sessions[index]?.send(['1']));
  await till.clock.advance(2_500);
  await times(50, async (index) => sessions[index]?.send(['1', String(100 + index)]));
  await till.clock.advance(2_500);
  const ends = await times(50, async (index) => sessions[index]?.send(['1', String(100 + index), '1']));
  for (const [index, end] of ends.entries()) expect(end?.body).toContain(`Approve GHS ${100 + index}.00`);
  for (const [index, number] of numbers.entries()) {
    expect((await till.only(number)).goodsMinor).toBe((100 + index) * 100);
  }
});
