import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { aggregatorNames } from '../../src/aggregators/registry.ts';
import { StoreFault } from '../../src/sqlite/store.ts';
import { createShop } from '../kit/payers.ts';
import { channelNames, lastOf, type RawAnswer } from '../kit/phone.ts';
import { shopMenu } from '../kit/shop-menu.ts';
import { rowsOf } from '../kit/size.ts';
import { createTill, minute, payer, type Till } from '../kit/till.ts';

/** Approves the prompt and checks that everything happened once. */
async function expectOneCollection(till: Till, turns: number): Promise<void> {
  await till.untilStatus(payer, 'initiated');
  const row = await till.approved();
  const { pushes, chargedMinor, sessions } = await till.service.statement();
  expect({ pushes, chargedMinor, sessions: sessions.length }).toEqual({
    pushes: 1,
    chargedMinor: row.amountMinor,
    sessions: 1,
  });
  expect((await till.record(row.id)).turns).toHaveLength(turns);
}

describe('S01: when requests carry everything typed so far', () => {
  const inputs = ['1', '20', '1'];

  test('S01: every earlier request that is repeated at any later step gets its first answer byte for byte', async () => {
    const till = await createTill();
    const session = till.session(payer, 'africastalking');
    const first: RawAnswer[] = [];
    for (let typed = 0; typed <= inputs.length; typed++) {
      await till.clock.advance(2_500);
      first.push(await session.send(inputs.slice(0, typed)));
      for (const [earlier, answer] of first.entries()) {
        expect(await session.send(inputs.slice(0, earlier))).toEqual(answer);
      }
    }
    expect(new Set(first.map(({ body }) => body)).size).toBe(4);
    expect(lastOf(first).body).toMatch(/^END Approve GHS 20\.00/);
    await expectOneCollection(till, 4);
  });

  test('S01: repeats in any order do not move the dialogue', async () => {
    const till = await createTill();
    let runs = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(3), { maxLength: 12 }), async (repeats) => {
        const number = `024${String(1_000_000 + runs++)}`;
        const session = till.session(number, 'africastalking');
        const first: RawAnswer[] = [];
        for (const step of [0, 1, 2, 3]) {
          first.push(await session.send(inputs.slice(0, step)));
          for (const earlier of repeats.filter((one) => one <= step)) {
            expect(await session.send(inputs.slice(0, earlier))).toEqual(first[earlier]);
          }
        }
        expect(first.map(({ body }) => body.slice(0, 3))).toEqual(['CON', 'CON', 'CON', 'END']);
        expect((await till.record((await till.only(number)).id)).turns).toHaveLength(4);
      }),
      { numRuns: 25 },
    );
  });

  test('S01: the END request repeated after the payment and after a restart gets the same bytes and opens no collection', async () => {
    const till = await createTill();
    const session = till.session(payer, 'africastalking');
    const end = lastOf(await session.walk(inputs));
    await expectOneCollection(till, 4);
    expect(await session.send(inputs)).toEqual(end);
    await till.restart();
    expect(await session.send(inputs)).toEqual(end);
    expect(await session.send([...inputs, '1'])).toEqual(end);
    await till.clock.advance(10_000);
    expect(await till.find(payer)).toHaveLength(1);
    expect((await till.service.statement()).pushes).toBe(1);
  });

  test('S01: a request that contradicts the accepted inputs gets the accepted screen and changes nothing', async () => {
    const till = await createTill();
    const session = till.session(payer, 'africastalking');
    const [dialled, chosen] = await session.walk(['1']);
    expect(await session.send(['2'])).toEqual(chosen);
    expect(await session.send(['2', '0201234567'])).toEqual(chosen);
    expect(await session.send([])).toEqual(dialled);
    expect((await session.send(['1', '20'])).body).toContain('from 0244123456?');
  });
});

describe('S01: when requests carry only the last input', () => {
  test('S01: each immediate repeat gets the same bytes, and a repeat of the dial and of the END request does at any time', async () => {
    const till = await createTill();
    const session = till.session(payer, 'nalo');
    const inputs = ['1', '2', '1'];
    const answers: RawAnswer[] = [];
    for (let typed = 0; typed <= inputs.length; typed++) {
      await till.clock.advance(2_500);
      const answer = await session.send(inputs.slice(0, typed));
      answers.push(answer);
      expect(await session.send(inputs.slice(0, typed))).toEqual(answer);
      await till.clock.advance(1_900);
      expect(await session.send(inputs.slice(0, typed))).toEqual(answer);
      if (typed < inputs.length) expect(await session.send([])).toEqual(answer);
    }
    expect(new Set(answers.map(({ body }) => body)).size).toBe(4);
    await till.clock.advance(60_000);
    expect(await session.send(inputs)).toEqual(lastOf(answers));
    await expectOneCollection(till, 4);
  });
});

test.each(channelNames)(
  'S01: any input after the END screen through %s gets that screen again',
  async (channel) => {
    const till = await createTill();
    const session = till.session(payer, channel);
    const end = lastOf(await session.walk(['1', '20', '1']));
    for (const stray of ['1', '2', '', '*920*5#', 'x'.repeat(160)]) {
      await till.clock.advance(2_500);
      expect(await session.send(['1', '20', '1', stray])).toEqual(end);
    }
    expect(await till.find(payer)).toHaveLength(1);
  },
);

test.each([0, 300, 1_900])(
  'a copy that arrives %i ms after the screen of a turn with two slow lookups is a repeat and not the next answer',
  async (later) => {
    const menu = shopMenu({
      screens: {
        welcome: { kind: 'ask', answer: 'text', name: 'number', text: 'Number:', to: 'one' },
        one: { kind: 'lookup', take: {}, found: 'two', fallback: 'two' },
        two: { kind: 'lookup', take: {}, found: 'nick', fallback: 'nick' },
        nick: { kind: 'ask', answer: 'text', name: 'nick', text: 'Nick name:', to: 'amount' },
      },
    });
    const opened: { till?: Till } = {};
    const slow = async () => {
      await opened.till?.clock.sleep(1_400);
      return {};
    };
    const till = await createShop({ menu, handlers: { one: slow, two: slow } });
    opened.till = till;
    const phone = till.phone(payer, 'nalo');
    await phone.dial();
    await till.clock.advance(2_500);
    const askedAt = till.clock.now();
    const sent = phone.send('7');
    await till.clock.advance(1_400);
    await till.clock.advance(1_400);
    expect(await sent).toContain('Nick name:');
    // Longer than the repeat window, counted from the request.
    expect(till.clock.now() - askedAt).toBe(2_800);
    await till.clock.advance(later);
    expect(await phone.repeat()).toBe(await sent);
    await till.clock.advance(2_500);
    expect(await phone.type('Kofi')).toContain('Amount:');
    expect(await till.checkStatement()).toMatchObject({ pushes: 0 });
  },
);

test('S02: an input whose turn was written slowly, with a lost answer of the database, is not applied twice', async () => {
  let isSlow = false;
  const till = await createTill({
    wrapStore: (store, clock) => ({
      ...store,
      async apply(batch, signal) {
        const isWritten = await store.apply(batch, signal);
        if (!isSlow || !batch.some(({ sql }) => sql.includes('"turn"'))) return isWritten;
        isSlow = false;
        // Longer than the window in which an equal input is a repeat.
        await clock.sleep(2_500);
        throw new StoreFault('unknown', 'the connection to the database was lost');
      },
    }),
  });
  const phone = till.phone('0244123456', 'moolre');
  await phone.dial();
  await till.clock.advance(5_000);
  isSlow = true;
  const sent = phone.send('1');
  await till.clock.advance(3_000);
  expect(await sent).toMatch(/^Amount in GHS/);
});

/** Every request of Kairos has the mark of a first one, so that an input without a live session opens a dialogue. */
const opening = 'kairos';

test('S01: an input that opens a dialogue after its session has ended gets the same bytes when it is repeated', async () => {
  const till = await createTill();
  const session = till.session(payer, opening);
  await session.send([]);
  await till.clock.advance(2_500);
  await session.send(['1']);
  await till.clock.skip(10 * minute);
  const first = await session.send(['1', '20']);
  expect(first.body).toContain('1. Pay with this number');
  for (const later of [300, 900]) {
    await till.clock.advance(later);
    expect(await session.send(['1', '20'])).toEqual(first);
  }
});

const channels = rowsOf(aggregatorNames, 3);

describe.each(channels.filter((channel) => channel !== opening))('through %s', (channel) => {
  test('S01: an input after its session has ended gets the same bytes each time, also from the next process', async () => {
    const till = await createTill();
    const session = till.session(payer, channel);
    await session.send([]);
    await till.clock.advance(2_500);
    await session.send(['1']);
    await till.clock.skip(10 * minute);
    const first = await session.send(['1', '20']);
    expect(first.body).toContain('Session ended');
    for (const later of [300, 900, minute]) {
      await till.clock.advance(later);
      expect(await session.send(['1', '20'])).toEqual(first);
    }
    await till.restart();
    await till.clock.advance(minute);
    expect(await session.send(['1', '20'])).toEqual(first);
  });

  test('S01: a request whose screen is not stored gets the same bytes when it is repeated', async () => {
    // An input of a session that the gateway has not seen, or a dial where the input is cumulative.
    const till = await createTill();
    const session = till.session(payer, channel);
    const first = await session.send(['7']);
    expect(first.status).toBe(200);
    await till.clock.advance(900);
    expect(await session.send(['7'])).toEqual(first);
  });
});
