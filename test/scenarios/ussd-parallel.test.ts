import { describe, expect, test } from 'vitest';
import { channelNames, lastOf, type RawAnswer } from '../kit/phone.ts';
import { createTill } from '../kit/till.ts';

const payer = '0244123456';

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
