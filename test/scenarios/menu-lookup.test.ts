import { describe, expect, test } from 'vitest';
import type { LookupHandler } from '../../src/menu/effects/lookup.ts';
import type { LookupRequest, ProxyTurn } from '../../src/menu/state/state.ts';
import { aggregatorOf } from '../kit/dialects.ts';
import { addOtherShop, createShop } from '../kit/payers.ts';
import { channelNames, type Phone } from '../kit/phone.ts';
import { schoolMenu, shopMenu } from '../kit/shop-menu.ts';
import { payer, type Till } from '../kit/till.ts';

/* Menus that ask the merchant's own system, or the ledger. Their screens: test/menu/lookups, proxy and payment-status. */

const ama = { student: 'Ama Mensah', due: 20_00 };
const never = () => new Promise<never>(() => {});

/** Creates a till for a school that answers with `handler`, and records the lookups. */
async function createSchool(handler: LookupHandler, options: Parameters<typeof createShop>[0] = {}) {
  const lookups: LookupRequest[] = [];
  const find: LookupHandler = (request, context) => {
    lookups.push(request);
    return handler(request, context);
  };
  return { till: await createShop({ menu: schoolMenu, handlers: { find }, ...options }), lookups };
}

/** Types an input and advances the clock until the screen arrives. Returns the screen and the time that it took. */
async function typeSlowly(till: Till, phone: Phone, input: string): Promise<{ text: string; ms: number }> {
  await till.clock.advance(2_500);
  const startedAt = till.clock.now();
  let endedAt: number | undefined;
  const sent = phone.send(input).finally(() => {
    endedAt = till.clock.now();
  });
  for (let n = 0; endedAt === undefined && n < 1_000; n++) await till.clock.advance(20);
  return { text: await sent, ms: (endedAt ?? Number.POSITIVE_INFINITY) - startedAt };
}

test("the school's answer is shown, and the amount due is paid after a confirmation", async () => {
  const { till, lookups } = await createSchool(async () => ama);
  const phone = till.phone(payer);
  await phone.dial();
  expect(await phone.type('1', '1234')).toContain('Ama Mensah owes GHS 20.00');
  expect(lookups).toMatchObject([{ lookup: 'find', dialler: '233244123456', values: { number: '1234' } }]);
  expect(await phone.press('Pay it')).toContain('Pay GHS 20.00');
  expect(await till.storedCollections()).toEqual([]);
  await phone.press('Yes');
  await till.untilNewest('initiated');
  expect((await till.only(payer)).reference).toBe('1234');
  await till.approve();
  await till.untilNewest('paid');
  expect(await till.checkStatement()).toMatchObject({ pushes: 1, chargedMinor: 2_020 });
});

describe('while the school does not answer', () => {
  test('the fallback is shown within the budget, and a late answer does not change the payment', async () => {
    const late = { answer: (_: unknown) => {} };
    const { till } = await createSchool(
      () =>
        new Promise((resolve) => {
          late.answer = resolve;
        }),
    );
    const phone = till.phone(payer);
    await phone.dial();
    await phone.type('1');
    const { text, ms } = await typeSlowly(till, phone, '1234');
    expect(text).toContain('Amount:');
    expect(ms).toBeLessThanOrEqual(1_520);
    late.answer(ama);
    expect(await phone.type('30')).toContain('Pay GHS 30.00');
    await phone.press('Yes');
    await till.untilNewest('initiated');
    expect(await till.storedCollections()).toMatchObject([{ goodsMinor: 3_000 }]);
    expect(await till.checkStatement()).toMatchObject({ pushes: 1 });
  });

  test('and the service does not answer either, every channel gets its reply in time, also the one with the shortest limit', async () => {
    const menu = shopMenu({
      screens: {
        welcome: {
          kind: 'choose',
          text: '{merchant}',
          options: [{ label: 'Student', set: { amount: '20.00' }, to: 'student' }],
        },
        student: { kind: 'ask', answer: 'text', name: 'number', text: 'Student number:', to: 'find' },
        find: { kind: 'lookup', take: {}, found: 'confirm', fallback: 'confirm' },
      },
    });
    const { till } = await createSchool(never, {
      menu,
      configure(config) {
        config.channels = config.channels.map((one) =>
          one.id === 'nalo' ? { ...one, replyWithinMs: 1_000 } : one,
        );
      },
    });
    till.faults.call = never;
    for (const [n, { id, aggregator, replyWithinMs }] of till.config.channels.entries()) {
      // Longer than the circuit breaker stays open.
      await till.clock.advance(11_000);
      const phone = till.phone(`02440001${String(n).padStart(2, '0')}`, id);
      await phone.dial();
      await phone.type('1');
      const { text, ms } = await typeSlowly(till, phone, '1234');
      expect(text, id).toContain('Pay GHS 20.00');
      expect(text, id).toContain('A fee may apply.');
      const deadline = replyWithinMs ?? aggregatorOf(aggregator).replyWithinMs;
      expect(ms, id).toBeLessThan(deadline);
    }
    expect(await till.checkStatement()).toMatchObject({ pushes: 0 });
  });

  test('all other dialogues are answered without delay', async () => {
    const { till } = await createSchool(never);
    const phonesFrom = (prefix: string, count: number) =>
      Array.from({ length: count }, (_, n) =>
        till.phone(`${prefix}${String(n).padStart(2, '0')}`, channelNames[n % 2]),
      );
    const waiting = phonesFrom('02440002', 20);
    for (const phone of waiting) await phone.dial();
    await till.clock.advance(2_500);
    for (const phone of waiting) await phone.send('1');
    await till.clock.advance(2_500);
    const open = waiting.map((phone) => phone.send('1234'));
    const startedAt = till.clock.now();
    const others = await Promise.all(
      phonesFrom('02440003', 10).map(async (phone) => {
        await phone.dial();
        await phone.send('2');
        await phone.send('20');
        return phone.send(phone.keyOf('Yes'));
      }),
    );
    expect(others.every((text) => text.includes('Approve GHS 20.00'))).toBe(true);
    expect(till.clock.now()).toBe(startedAt);
    await till.clock.advance(1_600);
    expect((await Promise.all(open)).every((text) => text.includes('Amount:'))).toBe(true);
    await till.clock.advance(30_000);
    expect(await till.checkStatement()).toMatchObject({ pushes: 10 });
  });
});

test.each(channelNames)(
  'on %s, a request that is repeated during the lookup runs it twice at most, and advances once',
  async (channel) => {
    const waiting: ((value: unknown) => void)[] = [];
    const { till, lookups } = await createSchool(() => new Promise((resolve) => waiting.push(resolve)));
    const phone = till.phone(payer, channel);
    await phone.dial();
    await phone.type('1');
    await till.clock.advance(2_500);
    const sent = [phone.send('1234')];
    await till.clock.advance(300);
    sent.push(phone.repeat());
    await till.clock.advance(300);
    expect(lookups.length).toBeLessThanOrEqual(2);
    for (const answer of waiting) answer(ama);
    const texts = await Promise.all(sent);
    expect(new Set(texts).size).toBe(1);
    expect(texts[0]).toContain('Ama Mensah owes');
    await phone.press('Pay it', 'Yes');
    await till.untilNewest('initiated');
    const { turns } = await till.record((await till.storedCollections())[0]?.id ?? '');
    // The dial, 1, the number, the amount, the confirmation.
    expect(turns).toHaveLength(5);
    expect(await till.checkStatement()).toMatchObject({ pushes: 1 });
  },
);

describe('a kitchen that answers the screens of an order', () => {
  const kitchen = shopMenu({
    screens: {
      welcome: { kind: 'choose', text: '{merchant}', options: [{ label: 'Order', to: 'order' }] },
      order: { kind: 'proxy', take: { due: { amount: '500.00' } }, done: 'basket', fallback: 'amount' },
      basket: {
        kind: 'choose',
        text: 'Order for {due}',
        options: [{ label: 'Pay it', set: { amount: '{due}', reference: 'ORDER' }, to: 'confirm' }],
      },
    },
  });

  /** Counts dishes in `state`, and is done after an input of 9. */
  const counting: LookupHandler = async ({ input, state = '0' }) => {
    if (input === undefined) return { text: 'Dish 1 to 8, 9 ends:', state };
    if (input === '9') return { done: true, due: Number(state) * 10_00 };
    const count = Number(state) + 1;
    return { text: `${count} dishes, last ${input}. Next:`, state: String(count) };
  };

  /** Creates a till for a kitchen that answers with `handler`, and records the requests. */
  async function createKitchen(handler: LookupHandler = counting) {
    const requests: (LookupRequest & Partial<ProxyTurn>)[] = [];
    const order: LookupHandler = (request, options) => {
      requests.push(request);
      return handler(request, options);
    };
    return { till: await createShop({ menu: kitchen, handlers: { order } }), requests };
  }

  test.each(channelNames)(
    'on %s, an order is paid once: repeats are no inputs, and an interruption sends no request',
    async (channel) => {
      const { till, requests } = await createKitchen();
      const phone = till.phone(payer, channel);
      await phone.dial();
      expect(await phone.type('1')).toContain('Dish 1 to 8, 9 ends:');
      const last = await phone.type('3', '5');
      expect(last).toContain('2 dishes, last 5. Next:');
      expect(await phone.repeat()).toBe(last);
      await till.clock.advance(2_500);
      // Later than the repeat window, only a numbered request is known to be a repeat.
      expect(await phone.repeat()).toContain('2 dishes, last 5. Next:');
      await phone.dial();
      expect(await phone.press('Continue')).toBe(last);
      expect(await phone.type('9')).toContain('Order for GHS 20.00');
      expect(requests.map(({ turn, input, state }) => [turn, input, state])).toEqual([
        [1, undefined, undefined],
        [2, '3', '0'],
        [3, '5', '1'],
        [4, '9', '2'],
      ]);
      await phone.press('Pay it');
      expect(await till.storedCollections()).toEqual([]);
      await phone.press('Yes');
      await till.untilNewest('initiated');
      expect((await till.only(payer)).reference).toBe('ORDER');
      await till.approve();
      await till.untilNewest('paid');
      expect(await till.checkStatement()).toMatchObject({ pushes: 1, chargedMinor: 2_020 });
    },
  );

  test('a screen that does not arrive in time is replaced by the fallback, and its late answer changes nothing', async () => {
    const opened: { till?: Till } = {};
    const { till } = await createKitchen(async (request, options) => {
      if (request.input === '5') await opened.till?.clock.sleep(5_000);
      return counting(request, options);
    });
    opened.till = till;
    const phone = till.phone(payer);
    await phone.dial();
    await phone.type('1', '3');
    const sent = phone.send('5');
    await till.clock.advance(1_600);
    expect(await sent).toContain('Amount:');
    await till.clock.advance(10_000);
    expect(await phone.type('7')).toContain('Pay GHS 7.00');
  });
});

test('attendants of the merchant read the status of a payment by its short reference; no other phone does', async () => {
  const attendant = '0277654321';
  const till = await createShop({ attendants: [attendant] });
  await addOtherShop(till);
  const phone = till.phone(payer);
  await phone.dial();
  await phone.type('1', '20');
  const [, digits = ''] = /Ref (\d{4} \d{4})/.exec(await phone.press('Yes')) ?? [];
  await till.untilNewest('initiated');
  const desk = till.phone(attendant);
  await desk.dial();
  await desk.press('Paid?');
  expect(await desk.type(digits)).toMatch(
    /^WAITING FOR PIN\nGHS 20\.00 from 0244\*\*\*456\nsince 09:0\d\nRef/,
  );
  await till.approve();
  await till.untilNewest('paid');
  await till.until(async () => (await till.only(payer)).confirmedAt !== null);
  const suffix = digits.replace(' ', '');
  for (const channel of channelNames) {
    expect(await till.phone(attendant, channel).dial('6', suffix)).toMatch(/^PAID\nGHS 20\.00/);
  }
  expect(await till.phone(attendant, 'other-shop').dial('6', suffix)).toContain('NOT FOUND');
  expect(await till.phone('0244999888').dial('6', suffix)).toMatch(/^Invalid option\./);
  await desk.dial();
  await desk.press('Paid?');
  till.config.merchants = till.config.merchants.map((one) => ({ ...one, attendants: [] }));
  await till.restart();
  expect(await desk.type(digits)).toBe('For attendants only.');
  expect(await till.checkStatement()).toMatchObject({ pushes: 1 });
});
