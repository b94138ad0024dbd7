import { describe, expect, test } from 'vitest';
import { createShop } from '../kit/payers.ts';
import { channelNames, type Phone } from '../kit/phone.ts';
import { type Call, payer, type Till } from '../kit/till.ts';

/* Fees, quotes and refusals of the service. The screens: test/menu/confirm; quotes alone: test/gateway/collection/quote. */

const feeLine = 'Fee GHS 0.20, total GHS 20.20';
const feeMayApply = 'A fee may apply.';

const isQuote = ({ name, idempotencyKey }: Call) =>
  name === 'create' && idempotencyKey?.startsWith('quote.') === true;
const quotes = (till: Till) => till.calls.filter(isQuote);

/** Dials and types up to the confirm screen, and advances the clock by `waitMs` while the last request is pending. */
async function toConfirm(till: Till, phone: Phone, amount = '20', waitMs = 0): Promise<string> {
  await phone.dial();
  await phone.type('1');
  await till.clock.advance(2_500);
  const [text] = await Promise.all([phone.send(amount), till.clock.advance(waitMs)]);
  return text;
}

/** Replaces the answers to the calls that match. */
function answer(
  till: Till,
  matches: (call: Call) => boolean,
  respond: (pass: () => Promise<Response>) => Promise<Response>,
) {
  till.faults.call = (call, pass) => (matches(call) ? respond(pass) : pass());
}

async function changed(pass: () => Promise<Response>, fields: object): Promise<Response> {
  const passed = await pass();
  const session = (await passed.json()) as object;
  return Response.json({ ...session, ...fields }, { status: passed.status });
}

describe('the fee on the confirm screen', () => {
  test.each(channelNames)('on %s, exactly the total shown is prompted and charged', async (channel) => {
    const till = await createShop();
    const phone = till.phone(payer, channel);
    expect(await toConfirm(till, phone)).toContain(feeLine);
    expect(till.calls.map(({ name }) => name)).toEqual(['create']);
    await phone.press('Yes');
    await till.untilNewest('initiated');
    // The collection sends the same bytes under the same key, and so uses the quoted session.
    const [first, second] = till.calls.filter(({ name }) => name === 'create');
    expect([second?.idempotencyKey, second?.body]).toEqual([first?.idempotencyKey, first?.body]);
    expect((await till.service.statement()).sessions.map(({ amountMinor }) => amountMinor)).toEqual([2_020]);
    await till.approve();
    await till.untilNewest('paid');
    expect(await till.checkStatement()).toEqual({ pushes: 1, sessions: 1, chargedMinor: 2_020 });
  });

  test('does not open a collection after a No or without an answer: the quoted session is never initiated', async () => {
    const till = await createShop();
    const phone = till.phone(payer);
    await toConfirm(till, phone);
    await phone.press('No');
    await toConfirm(till, phone, '30');
    await till.clock.skip(7_200_000);
    await till.clock.advance(60_000);
    expect(await till.storedCollections()).toEqual([]);
    expect(till.callsOf('initiate')).toBe(0);
    const { sessions } = await till.service.statement();
    expect(sessions.map(({ status, pushes }) => [status, pushes])).toEqual([
      ['expired', 0],
      ['expired', 0],
    ]);
    expect(await till.checkStatement()).toMatchObject({ pushes: 0, chargedMinor: 0 });
  });

  test('is quoted once, however often the screen is shown or the request is repeated', async () => {
    const till = await createShop();
    const phone = till.phone(payer);
    await phone.dial();
    await phone.type('1');
    await till.clock.advance(2_500);
    const texts = await Promise.all([phone.send('20'), phone.repeat(), phone.repeat()]);
    expect(new Set(texts).size).toBe(1);
    await phone.type('5', '0', '20');
    expect(phone.text()).toContain(feeLine);
    expect(new Set(quotes(till).map(({ idempotencyKey }) => idempotencyKey)).size).toBe(1);
    expect(quotes(till)).toHaveLength(1);
    expect(await till.checkStatement()).toMatchObject({ pushes: 0, sessions: 1 });
  });

  test('is quoted again for another amount, and the first session is never initiated', async () => {
    const till = await createShop();
    const phone = till.phone(payer);
    await toConfirm(till, phone);
    await phone.type('0', '50');
    expect(phone.text()).toContain('Fee GHS 0.50, total GHS 50.50');
    await phone.press('Yes');
    await till.approveNewest();
    const { sessions } = await till.service.statement();
    expect(sessions.map(({ amountMinor, pushes }) => [amountMinor, pushes])).toEqual([
      [2_020, 0],
      [5_050, 1],
    ]);
    expect(await till.checkStatement()).toMatchObject({ pushes: 1, chargedMinor: 5_050 });
  });
});

describe('without a quote in time, the screen shows that a fee may apply, and the payment succeeds', () => {
  test.each([
    ['withheld', () => new Promise<Response>(() => {})],
    ['200 in HTML', async () => new Response('<html>welcome</html>')],
    ['for another price', (pass) => changed(pass, { goods_minor: 1_900 })],
  ] satisfies [string, (pass: () => Promise<Response>) => Promise<Response>][])(
    'an answer that is %s',
    async (_, respond) => {
      const till = await createShop();
      answer(till, isQuote, respond);
      const phone = till.phone(payer);
      const text = await toConfirm(till, phone, '20', 3_000);
      expect(text).toContain(feeMayApply);
      expect(text).not.toContain('Fee GHS');
      await till.clock.advance(2_500);
      expect(await phone.press('Yes')).toContain('Approve GHS 20.00');
      await till.untilNewest('initiated', 120_000);
      await till.approve();
      await till.untilNewest('paid');
      const { sessions } = await till.service.statement();
      expect(sessions.filter(({ pushes }) => pushes > 0)).toMatchObject([
        { amountMinor: 2_020, chargedMinor: 2_020 },
      ]);
      expect(await till.checkStatement()).toMatchObject({ pushes: 1, chargedMinor: 2_020 });
    },
  );

  test('an answer after the time limit: its session is never initiated', async () => {
    const till = await createShop();
    answer(till, isQuote, async (pass) => {
      await till.clock.sleep(1_500);
      return pass();
    });
    const phone = till.phone(payer);
    expect(await toConfirm(till, phone, '20', 3_000)).toContain(feeMayApply);
    await phone.press('Yes');
    await till.approveNewest();
    const { sessions } = await till.service.statement();
    expect(sessions.map(({ pushes }) => pushes).sort()).toEqual([0, 1]);
    expect(await till.checkStatement()).toMatchObject({ pushes: 1, chargedMinor: 2_020 });
  });

  test('a service that answers no quote delays a screen by the time limit at most', async () => {
    const till = await createShop();
    answer(till, isQuote, () => new Promise<Response>(() => {}));
    const phones = Array.from({ length: 10 }, (_, n) => till.phone(`02440000${n}1`));
    for (const phone of phones) {
      await phone.dial();
      await phone.send('1');
    }
    await till.clock.advance(2_500);
    const startedAt = till.clock.now();
    const took: number[] = [];
    const replies = phones.map(async (phone) => {
      const text = await phone.send('20');
      took.push(till.clock.now() - startedAt);
      return text;
    });
    for (let ms = 0; ms < 1_200; ms += 50) await till.clock.advance(50);
    expect((await Promise.all(replies)).every((text) => text.includes(feeMayApply))).toBe(true);
    expect(Math.max(...took)).toBeLessThanOrEqual(1_050);
    expect(await till.checkStatement()).toMatchObject({ pushes: 0 });
  });

  test('a time limit of 0 requests no quotes', async () => {
    const till = await createShop({ timings: { quoteTimeoutMs: 0 } });
    const phone = till.phone(payer);
    expect(await toConfirm(till, phone)).toContain(feeMayApply);
    expect(till.calls).toEqual([]);
    await phone.press('Yes');
    await till.untilNewest('initiated');
    expect(await till.checkStatement()).toMatchObject({ pushes: 1 });
  });
});

describe('the total shown is the only amount that may be charged', () => {
  test.each([
    ['another fee', { expected_fee_minor: 40, amount_minor: 2_040 }, 'quote_shown_total'],
    ['another price', { goods_minor: 1_900 }, 'quote_goods'],
  ])('a session with %s is never prompted, and the ledger states the reason', async (_, fields, reason) => {
    const till = await createShop();
    const phone = till.phone(payer);
    expect(await toConfirm(till, phone)).toContain(feeLine);
    answer(
      till,
      ({ name }) => name === 'create',
      (pass) => changed(pass, fields),
    );
    await phone.press('Yes');
    expect(await till.untilNewest('abandoned')).toMatchObject({ reason });
    await till.clock.advance(60_000);
    expect(till.callsOf('initiate')).toBe(0);
    expect(till.alarms()).toEqual([reason]);
    const { facts } = await till.record((await till.storedCollections())[0]?.id ?? '');
    expect(facts.map(({ kind }) => kind)).toContain('abandoned');
    expect(await phone.dial()).toContain('was not paid.');
    expect(await till.checkStatement()).toMatchObject({ pushes: 0, chargedMinor: 0 });
  });

  test('when the repeated call returns another session with the same total, only that session is prompted', async () => {
    const till = await createShop();
    const phone = till.phone(payer);
    await toConfirm(till, phone);
    // The service has lost the idempotency key.
    answer(
      till,
      ({ name }) => name === 'create',
      () => till.createSession('another-key', till.calls.at(-1)?.body ?? ''),
    );
    await phone.press('Yes');
    await till.approveNewest();
    const { sessions } = await till.service.statement();
    expect(sessions.map(({ pushes }) => pushes)).toEqual([0, 1]);
    expect(await till.checkStatement()).toMatchObject({ pushes: 1, chargedMinor: 2_020 });
  });

  test('an expired quote is not used: a new session is created and must have the total shown', async () => {
    const till = await createShop({ timings: { dialogueLifetimeMs: 900_000 } });
    const phone = till.phone(payer);
    await toConfirm(till, phone);
    await till.clock.advance(11 * 60_000);
    await phone.press('Yes');
    await till.untilNewest('initiated');
    expect(
      new Set(till.calls.filter(({ name }) => name === 'create').map((call) => call.idempotencyKey)).size,
    ).toBe(2);
    await till.approve();
    await till.untilNewest('paid');
    expect(await till.checkStatement()).toEqual({ pushes: 1, sessions: 2, chargedMinor: 2_020 });
  });
});

describe('a retried prompt must have the total shown for the first one', () => {
  /** Quotes, confirms and declines a payment, and redials. */
  async function declined(till: Till): Promise<Phone> {
    const phone = till.phone(payer);
    expect(await toConfirm(till, phone)).toContain(feeLine);
    await phone.press('Yes');
    await till.declineNewest();
    await till.clock.advance(2_500);
    await phone.dial();
    return phone;
  }

  test('the same fee is charged, in a session of its own', async () => {
    const till = await createShop();
    const phone = await declined(till);
    expect(await phone.press('Send prompt again')).toContain('Approve GHS 20.20 to Demo Shop');
    const { id } = await till.untilNewest('initiated');
    expect((await till.record(id)).collection.shownTotalMinor).toBe(2_020);
    await till.approve();
    await till.untilNewest('paid');
    expect(await till.checkStatement()).toEqual({ pushes: 2, sessions: 2, chargedMinor: 2_020 });
  });

  test('a larger fee is never prompted, and the ledger states the reason', async () => {
    const till = await createShop();
    const phone = await declined(till);
    answer(
      till,
      ({ name }) => name === 'create',
      (pass) => changed(pass, { expected_fee_minor: 40, amount_minor: 2_040 }),
    );
    await phone.press('Send prompt again');
    expect(await till.untilNewest('abandoned')).toMatchObject({
      reason: 'quote_shown_total',
      retryOf: (await till.storedCollections())[0]?.id,
    });
    await till.clock.advance(60_000);
    expect(till.callsOf('initiate')).toBe(1);
    expect(till.alarms()).toEqual(['quote_shown_total']);
    // A further retry would fail too: the payer must see the new fee first.
    expect(await phone.dial()).toContain('was not paid.');
    expect(phone.text()).not.toContain('Send prompt again');
    expect(await till.checkStatement()).toMatchObject({ pushes: 1, chargedMinor: 0 });
  });

  test('without a fee on the first screen, the total of the first prompt is shown', async () => {
    const till = await createShop({ timings: { quoteTimeoutMs: 0 } });
    const phone = till.phone(payer);
    expect(await toConfirm(till, phone)).toContain(feeMayApply);
    await phone.press('Yes');
    await till.declineNewest();
    await phone.dial();
    expect(await phone.press('Send prompt again')).toContain('Approve GHS 20.20 to Demo Shop');
    expect(await till.untilNewest('initiated')).toMatchObject({
      retryOf: (await till.storedCollections())[0]?.id,
    });
    await till.approve();
    await till.untilNewest('paid');
    expect(await till.checkStatement()).toMatchObject({ pushes: 2, chargedMinor: 2_020 });
  });
});

test('a gateway that restarts between the quote and the confirmation prompts the quoted session once', async () => {
  const till = await createShop();
  const phone = till.phone(payer);
  expect(await toConfirm(till, phone)).toContain(feeLine);
  await till.restart();
  expect(await phone.press('Yes')).toContain('Approve GHS 20.00');
  await till.untilNewest('initiated');
  await till.restart();
  await till.approve();
  await till.untilNewest('paid');
  expect(await till.checkStatement()).toEqual({ pushes: 1, sessions: 1, chargedMinor: 2_020 });
});

test('a gateway that restarts while a quote is pending prompts once after the confirmation', async () => {
  const till = await createShop();
  answer(till, isQuote, async (pass) => {
    await till.clock.sleep(2_000);
    return pass();
  });
  const phone = till.phone(payer);
  expect(await toConfirm(till, phone, '20', 1_200)).toContain(feeMayApply);
  await till.restart();
  await phone.press('Yes');
  await till.untilNewest('initiated');
  await till.clock.advance(30_000);
  expect(await till.checkStatement()).toMatchObject({ pushes: 1, chargedMinor: 0 });
});

describe("collections and quotes share the rate limit of the merchant's key", () => {
  /** Opens the confirm screen on `count` phones at once. */
  const openConfirmScreens = (till: Till, count: number) =>
    Promise.all(
      Array.from({ length: count }, async (_, n) => {
        const phone = till.phone(`02012345${10 + n}`);
        await phone.dial();
        await phone.send('1');
        return phone.send('20');
      }),
    );
  const limited = () =>
    Response.json(
      { error: { code: 'rate_limited', message: 'slow' } },
      { status: 429, headers: { 'retry-after': '30' } },
    );

  test('a 429 to a collection pauses all quotes', async () => {
    const till = await createShop();
    const phone = till.phone(payer);
    await toConfirm(till, phone);
    answer(
      till,
      ({ name }) => name === 'initiate',
      async () => limited(),
    );
    await phone.press('Yes');
    await till.until(() => till.callsOf('initiate') === 1);
    await till.clock.advance(250);
    till.faults = Object.assign(till.faults, { call: undefined });
    const before = till.calls.length;
    const texts = await openConfirmScreens(till, 40);
    expect(texts.every((text) => text.includes(feeMayApply))).toBe(true);
    expect(till.calls.slice(before)).toEqual([]);
    await till.untilNewest('initiated', 120_000);
    expect(await till.checkStatement()).toMatchObject({ pushes: 1 });
  });

  test('a 429 to a quote pauses the collections, which continue after the pause', async () => {
    const till = await createShop();
    answer(till, isQuote, async () => limited());
    const phone = till.phone(payer);
    expect(await toConfirm(till, phone)).toContain(feeMayApply);
    const at = till.clock.now();
    await phone.press('Yes');
    await till.clock.advance(at + 29_999 - till.clock.now());
    expect(till.calls).toHaveLength(1);
    await till.untilNewest('initiated');
    expect(await till.checkStatement()).toMatchObject({ pushes: 1 });
  });

  test('quotes use at most half of the rate limit, so that a confirmed collection is prompted in time', async () => {
    const till = await createShop({
      configure: (config) => {
        config.service.callsPerSecond = 10;
      },
    });
    const phone = till.phone(payer);
    expect(await toConfirm(till, phone)).toContain(feeLine);
    await till.clock.advance(2_500);
    const before = till.calls.length;
    const [, texts] = await Promise.all([phone.send(phone.keyOf('Yes')), openConfirmScreens(till, 40)]);
    expect(texts.filter((text) => text.includes(feeLine)).length).toBeLessThanOrEqual(5);
    expect(texts.filter((text) => text.includes(feeLine)).length).toBeGreaterThan(0);
    await till.clock.advance(1_000);
    expect(till.calls.slice(before).length).toBeLessThanOrEqual(20);
    await till.untilNewest('initiated', 5_000);
    expect(await till.checkStatement()).toMatchObject({ pushes: 1 });
  });
});

describe('a payment that is not possible', () => {
  test.each([
    { status: 403, code: 'offline_mode_not_enabled', alarmed: ['key_rejected'] },
    { status: 400, code: 'invalid_msisdn', alarmed: [] },
  ])(
    'because its quote was rejected with $status $code, is refused without a collection, and asked about again later',
    async ({ status, code, alarmed }) => {
      const till = await createShop();
      till.faults.call = async () => Response.json({ error: { code, message: 'no' } }, { status });
      expect(await toConfirm(till, till.phone(payer))).toBe(
        'Sorry, payment to Demo Shop is not possible now. Nothing was paid.',
      );
      await till.clock.advance(300_000);
      expect(await till.storedCollections()).toEqual([]);
      expect(till.calls.map(({ name }) => name)).toEqual(['create']);
      expect(till.alarms()).toEqual(alarmed);
      delete till.faults.call;
      expect(await toConfirm(till, till.phone(payer))).toContain(feeLine);
    },
  );

  test('because the network is not offered, also one that was shown before that, opens no collection', async () => {
    const till = await createShop({ timings: { quoteTimeoutMs: 0 } });
    expect(await toConfirm(till, till.phone('0231234567'))).toBe(
      'Sorry, Demo Shop cannot take payment from the network of 0231234567. Nothing was paid.',
    );
    const phone = till.phone('0201234567');
    expect(await toConfirm(till, phone)).toContain('Pay GHS 20.00');
    till.config.service.networks.telecel = null;
    await till.restart();
    expect(await phone.press('Yes')).toContain('Nothing was paid');
    await till.clock.advance(300_000);
    expect([await till.storedCollections(), till.calls]).toEqual([[], []]);
  });
});
