import { describe, expect, test } from 'vitest';
import { type ChannelName, channelNames, type Phone, type RawSession } from '../kit/phone.ts';
import { createTill, payer, type Till } from '../kit/till.ts';

/** The text for an open collection. Its sum includes the fee as soon as the fee is known. */
const waitingFor = (sum: string) => `GHS ${sum} to Demo Shop is already waiting. To approve: Dial *170#`;

/** Dials past the screen of the recent payment and confirms a new one. */
async function confirmNewPayment(till: Till, amount: string, channel?: ChannelName): Promise<Phone> {
  const phone = till.phone(payer, channel);
  await phone.dial();
  await phone.press('New payment');
  await phone.type('1', amount);
  await phone.press('Yes');
  return phone;
}

/** Opens sessions of one payer, each on its confirm screen. */
async function openConfirmScreens(till: Till, count: number): Promise<RawSession[]> {
  const sessions = Array.from({ length: count }, (_, index) =>
    till.session(payer, channelNames[index % 2] ?? 'nalo', { session: `session-${index}` }),
  );
  await Promise.all(sessions.map((session) => session.walk([])));
  for (const typed of [['1'], ['1', '20']]) {
    await till.clock.advance(2_500);
    await Promise.all(sessions.map((session) => session.send(typed)));
  }
  await till.clock.advance(2_500);
  return sessions;
}

describe.each(['accepted', 'initiated'] as const)('S04: while a collection is %s', (status) => {
  test.each(channelNames)(
    'S04: a second dial through %s shows it and opens no collection',
    async (channel) => {
      const till = await createTill();
      if (status === 'accepted') till.faults.call = () => new Promise(() => {});
      await till.pay(payer);
      const row = await till.untilStatus(payer, status);
      const sum = status === 'accepted' ? '20.00' : '20.20';
      expect((await confirmNewPayment(till, '500', channel)).text()).toContain(waitingFor(sum));
      till.faults.call = (_call, pass) => pass();
      await till.untilStatus(payer, 'initiated');
      await till.clock.advance(60_000);
      expect((await till.only(payer)).id).toBe(row.id);
      const { sessions, pushes } = await till.service.statement();
      expect({ sessions: sessions.length, pushes }).toEqual({ sessions: 1, pushes: 1 });
      expect(till.calls.filter(({ name }) => name === 'initiate')).toHaveLength(1);
    },
  );
});

test.each([2, 20])('S04: %i sessions that confirm at the same instant open one collection', async (count) => {
  const till = await createTill();
  const sessions = await openConfirmScreens(till, count);
  const ends = await Promise.all(sessions.map((session) => session.send(['1', '20', '1'])));
  expect(ends.filter(({ body }) => body.includes('Approve GHS 20.00'))).toHaveLength(1);
  // The fee is known as soon as the create call of the first one is answered.
  const isWaiting = (body: string) => ['20.00', '20.20'].some((sum) => body.includes(waitingFor(sum)));
  expect(ends.filter(({ body }) => isWaiting(body))).toHaveLength(count - 1);
  await till.untilStatus(payer, 'initiated');
  await till.clock.advance(30_000);
  const book = await till.service.statement();
  expect({ sessions: book.sessions.length, pushes: book.pushes }).toEqual({ sessions: 1, pushes: 1 });
});

test('S04: one open collection for each wallet: another phone that names the same payer is rejected and sees no details', async () => {
  const till = await createTill();
  await till.pay(payer);
  expect(await till.pay('0201234567', ['2', payer, '1', '20', '1'])).toBe(
    `Sorry, ${payer} cannot be asked to pay now. Nothing was paid.`,
  );
  expect(await till.pay('0201234567', ['1', '20', '1'])).toContain('Approve GHS 20.00');
  expect((await till.find(payer)).map(({ dialler }) => dialler)).toEqual(['233244123456']);
});

test('S04: a repeated request gets the screen of the open collection again', async () => {
  const till = await createTill();
  await till.pay(payer);
  const phone = await confirmNewPayment(till, '20');
  const end = phone.text();
  expect(end).toContain(waitingFor('20.20'));
  await till.untilStatus(payer, 'initiated');
  await till.approved();
  expect(await phone.repeat()).toBe(end);
  expect(await till.find(payer)).toHaveLength(1);
});

describe('S04: a new collection is allowed', () => {
  const newest = async (till: Till) => (await till.find(payer))[0];

  async function expectSecond(till: Till): Promise<void> {
    expect((await confirmNewPayment(till, '30')).text()).toContain('Approve GHS 30.00');
    await till.until(async () => (await newest(till))?.status === 'initiated');
    expect((await newest(till))?.goodsMinor).toBe(3_000);
    expect(await till.find(payer)).toHaveLength(2);
  }

  test('S04: after the first was paid', async () => {
    const till = await createTill();
    await till.paidPayment();
    await expectSecond(till);
  });

  test('S04: after the payer declined the first', async () => {
    const till = await createTill();
    await till.prompted();
    await till.declined();
    await expectSecond(till);
  });

  test('S04: after the service rejected the first', async () => {
    const till = await createTill({
      faults: {
        call: async () =>
          Response.json({ error: { code: 'offline_mode_not_enabled', message: 'no' } }, { status: 403 }),
      },
    });
    await till.pay(payer);
    await till.untilStatus(payer, 'abandoned');
    till.faults.call = (_call, pass) => pass();
    await expectSecond(till);
  });

  test('S04: after the first has lapsed, and its late approval is booked next to the second', async () => {
    const till = await createTill({ service: { rail: { promptLifetimeMs: 3_600_000 } } });
    const first = await till.prompted();
    const prompt = await till.prompt(payer);
    await till.clock.advance(300_000);
    expect((await confirmNewPayment(till, '20')).text()).toContain(waitingFor('20.20'));
    await till.until(async () => (await till.only(payer)).lapsedAt !== null, 120_000);
    await expectSecond(till);
    await till.service.phone.approve(prompt.id, '1234');
    await till.until(async () => (await till.record(first.id)).collection.status === 'paid');
    expect((await till.record(first.id)).collection.late).toBe(1);
    expect((await newest(till))?.status).toBe('initiated');
    expect((await till.verify()).faults).toEqual([]);
  });

  test('S04: as soon as the first can no longer be prompted, even during a long pause for the service', async () => {
    const till = await createTill({
      faults: { call: async () => new Response('busy', { status: 429, headers: { 'retry-after': '3600' } }) },
    });
    await till.pay(payer);
    await till.clock.advance(181_000);
    expect(await till.only(payer)).toMatchObject({ status: 'abandoned', reason: 'prompt_deadline' });
    till.faults.call = (_call, pass) => pass();
    await expectSecond(till);
  });
});

test('S04: an open collection that is no longer recent is shown too, and none is opened beside it', async () => {
  const till = await createTill({
    timings: { recentPaymentMs: 30_000, duplicateWindowMs: 30_000 },
  });
  const row = await till.prompted();
  await till.clock.advance(60_000);

  expect(await till.pay(payer, ['1', '500', '1'])).toContain(waitingFor('20.20'));

  expect((await till.only(payer)).id).toBe(row.id);
});
