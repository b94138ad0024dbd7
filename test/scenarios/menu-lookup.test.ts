import { describe, expect, test } from 'vitest';
import type { LookupHandler } from '../../src/menu/effects/handler.ts';
import type { LookupRequest } from '../../src/menu/state/state.ts';
import { channelNames } from '../kit/callback.ts';
import { aggregatorOf } from '../kit/dialects.ts';
import {
  checkStatement,
  createPayerPhone,
  createShop,
  type PayerPhone,
  payer,
  statuses,
  storedCollections,
  untilNewest,
} from '../kit/payers.ts';
import { approve } from '../kit/scenes.ts';
import { shopMenu } from '../kit/shop-menu.ts';
import type { Till } from '../kit/till.ts';

/** A school menu: a student number, the amount due, and a typed amount when the school does not answer. */
const school = shopMenu({
  screens: {
    welcome: {
      kind: 'choose',
      text: '{merchant}',
      options: [
        { label: 'Student', to: 'student' },
        { label: 'Pay in', to: 'amount' },
      ],
    },
    student: {
      kind: 'ask',
      answer: 'text',
      name: 'number',
      pattern: '\\d{4}',
      text: 'Student number:',
      to: 'find',
    },
    find: {
      kind: 'lookup',
      take: { student: { text: 20 }, due: { amount: '500.00' } },
      found: 'owed',
      fallback: 'amount',
    },
    owed: {
      kind: 'choose',
      text: '{student} owes {due}',
      options: [{ label: 'Pay it', set: { amount: '{due}', reference: '{number}' }, to: 'confirm' }],
    },
  },
});

const ama = { student: 'Ama Mensah', due: 20_00 };
const never = () => new Promise<never>(() => {});

/** Creates a till for a school that answers with `handler`, and records the lookups. */
async function createSchool(handler: LookupHandler, options: Parameters<typeof createShop>[0] = {}) {
  const lookups: LookupRequest[] = [];
  const find: LookupHandler = (request, context) => {
    lookups.push(request);
    return handler(request, context);
  };
  return { till: await createShop({ menu: school, handlers: { find }, ...options }), lookups };
}

/** Types an input and advances the clock until the screen arrives. Returns the screen and the time that it took. */
async function typeSlowly(
  till: Till,
  phone: PayerPhone,
  input: string,
): Promise<{ text: string; ms: number }> {
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
  const phone = createPayerPhone(till, payer);
  await phone.dial();
  expect(await phone.type('1', '1234')).toContain('Ama Mensah owes GHS 20.00');
  expect(lookups).toMatchObject([{ lookup: 'find', dialler: '233244123456', values: { number: '1234' } }]);
  expect(await phone.press('Pay it')).toContain('Pay GHS 20.00');
  expect(await storedCollections(till)).toEqual([]);
  await phone.press('Yes');
  await untilNewest(till, 'initiated');
  expect((await till.only(payer)).reference).toBe('1234');
  await approve(till);
  await untilNewest(till, 'paid');
  expect(await checkStatement(till)).toMatchObject({ pushes: 1, chargedMinor: 2_020 });
});

test('a dialogue runs an equal lookup once, also after a resume; another lookup is run', async () => {
  const { till, lookups } = await createSchool(async () => ama);
  const phone = createPayerPhone(till, payer);
  await phone.dial();
  await phone.type('1', '1234', '0', '1234');
  expect(phone.text()).toContain('Ama Mensah owes');
  await phone.dial();
  await phone.press('Continue');
  await phone.type('0', '1234');
  expect(phone.text()).toContain('Ama Mensah owes');
  expect(lookups).toHaveLength(1);
  await phone.type('0', '1235');
  expect(lookups.map(({ values }) => values.number)).toEqual(['1234', '1235']);
});

describe('while the school does not answer', () => {
  test('the fallback is shown within the budget, and paying works', async () => {
    const { till } = await createSchool(never);
    const phone = createPayerPhone(till, payer);
    await phone.dial();
    await phone.type('1');
    const { text, ms } = await typeSlowly(till, phone, '1234');
    expect(text).toContain('Amount:');
    expect(ms).toBeLessThanOrEqual(1_520);
    await phone.type('20');
    await phone.press('Yes');
    await untilNewest(till, 'initiated');
    expect(await checkStatement(till)).toMatchObject({ pushes: 1 });
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
    const till = await createShop({
      menu,
      handlers: { find: never },
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
      const phone = createPayerPhone(till, `02440001${String(n).padStart(2, '0')}`, id);
      await phone.dial();
      await phone.type('1');
      const { text, ms } = await typeSlowly(till, phone, '1234');
      expect(text, id).toContain('Pay GHS 20.00');
      expect(text, id).toContain('A fee may apply.');
      const deadline = replyWithinMs ?? aggregatorOf(aggregator).replyWithinMs;
      expect(ms, id).toBeLessThan(deadline);
    }
    expect(await checkStatement(till)).toMatchObject({ pushes: 0 });
  });

  test('all other dialogues are answered without delay', async () => {
    const { till } = await createSchool(never);
    const waiting = Array.from({ length: 20 }, (_, n) =>
      createPayerPhone(till, `02440002${String(n).padStart(2, '0')}`),
    );
    for (const phone of waiting) await phone.dial();
    await till.clock.advance(2_500);
    for (const phone of waiting) await phone.send('1');
    await till.clock.advance(2_500);
    const open = waiting.map((phone) => phone.send('1234'));
    const startedAt = till.clock.now();
    const others = await Promise.all(
      Array.from({ length: 40 }, async (_, n) => {
        const phone = createPayerPhone(till, `02440003${String(n).padStart(2, '0')}`, channelNames[n % 2]);
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
    expect(await checkStatement(till)).toMatchObject({ pushes: 40 });
  });

  test('an answer after the time limit does not change a dialogue that has continued', async () => {
    const late = { answer: (_: unknown) => {} };
    const { till } = await createSchool(
      () =>
        new Promise((resolve) => {
          late.answer = resolve;
        }),
    );
    const phone = createPayerPhone(till, payer);
    await phone.dial();
    await phone.type('1');
    await typeSlowly(till, phone, '1234');
    late.answer(ama);
    expect(await phone.type('30')).toContain('Pay GHS 30.00');
    await phone.press('Yes');
    await untilNewest(till, 'initiated');
    expect(await storedCollections(till)).toMatchObject([{ goodsMinor: 3_000 }]);
    expect(await checkStatement(till)).toMatchObject({ pushes: 1 });
  });
});

test.each([
  ['an error', () => Promise.reject(new Error('no database'))],
  ['a text', async () => 'Ama'],
  ['a negative amount', async () => ({ ...ama, due: -1 })],
  ['an amount as text', async () => ({ ...ama, due: '20' })],
  ['more than the menu allows', async () => ({ ...ama, due: 500_01 })],
  ['half a pesewa', async () => ({ ...ama, due: 20.5 })],
] satisfies [string, LookupHandler][])(
  'an answer that is %s is invalid: the fallback is shown',
  async (_, handler) => {
    const { till } = await createSchool(handler);
    const phone = createPayerPhone(till, payer);
    await phone.dial();
    expect(await phone.type('1', '1234')).toContain('Amount:');
    expect(await checkStatement(till)).toMatchObject({ pushes: 0 });
  },
);

describe('an unknown student', () => {
  test.each([
    ['three numbers', ['1234', '1235', '1236']],
    ['one number three times', ['1234', '1234', '1234']],
  ])('%s end the dialogue politely', async (_, [first = '', second = '', third = '']) => {
    const { till } = await createSchool(async () => undefined);
    const phone = createPayerPhone(till, payer);
    await phone.dial();
    expect(await phone.type('1', first)).toMatch(
      /^Not found\. Please check and try again\.\nStudent number:/,
    );
    expect(await phone.type(second)).toMatch(/^Not found\./);
    expect(await phone.type(third)).toBe('Too many invalid entries. Nothing was paid. Please dial again.');
    expect(phone.kind()).toBe('end');
    await till.clock.advance(30_000);
    expect(await checkStatement(till)).toMatchObject({ pushes: 0 });
  });

  test('resets the not-found count when another student is found', async () => {
    const { till } = await createSchool(async ({ values }) => (values.number === '1234' ? ama : undefined));
    const phone = createPayerPhone(till, payer);
    await phone.dial();
    await phone.type('1', '1111', '2222', '1234');
    expect(phone.text()).toContain('Ama Mensah owes');
    await phone.type('0', '3333');
    expect(phone.text()).toMatch(/^Not found\./);
    expect(phone.kind()).toBe('continue');
  });
});

test.each(channelNames)(
  'on %s, a request that is repeated during the lookup runs it twice at most, and advances once',
  async (channel) => {
    let answer = (_: unknown) => {};
    const waiting: ((value: unknown) => void)[] = [];
    const { till, lookups } = await createSchool(
      () =>
        new Promise((resolve) => {
          waiting.push(resolve);
          answer = (value) => {
            for (const one of waiting) one(value);
          };
        }),
    );
    const phone = createPayerPhone(till, payer, channel);
    await phone.dial();
    await phone.type('1');
    await till.clock.advance(2_500);
    const sent = [phone.send('1234')];
    await till.clock.advance(300);
    sent.push(phone.repeat());
    await till.clock.advance(300);
    expect(lookups.length).toBeLessThanOrEqual(2);
    answer(ama);
    const texts = await Promise.all(sent);
    expect(new Set(texts).size).toBe(1);
    expect(texts[0]).toContain('Ama Mensah owes');
    await till.clock.advance(2_500);
    expect(await phone.press('Pay it')).toContain('Pay GHS 20.00');
    await phone.press('Yes');
    await untilNewest(till, 'initiated');
    expect(await statuses(till)).toEqual(['initiated']);
    const { turns } = await till.record((await storedCollections(till))[0]?.id ?? '');
    // The dial, 1, the number, the amount, the confirmation.
    expect(turns).toHaveLength(5);
    expect(await checkStatement(till)).toMatchObject({ pushes: 1 });
  },
);
