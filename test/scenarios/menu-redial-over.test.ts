import { describe, expect, test } from 'vitest';
import { channelNames } from '../kit/callback.ts';
import {
  checkStatement,
  createPayerPhone,
  createShop,
  decline,
  dialAndConfirm,
  other,
  type PayerPhone,
  payer,
  statuses,
  storedCollections,
  untilNewest,
} from '../kit/payers.ts';
import { approve, booked, deliverHandled } from '../kit/scenes.ts';
import { paidEvent, type Till } from '../kit/till.ts';

const opened = (options: Parameters<typeof createShop>[0] = {}) => createShop(options);
const offers = (phone: PayerPhone) =>
  phone
    .text()
    .split('\n')
    .flatMap((one) => /^\d\. (.*)$/.exec(one)?.[1] ?? []);

/** Confirms a payment, declines its prompt, and returns the collection. */
async function declined(till: Till): Promise<string> {
  await dialAndConfirm(till);
  await untilNewest(till, 'initiated');
  await decline(till);
  return (await untilNewest(till, 'failed')).id;
}

describe('what a redial offers', () => {
  test('after a payment: its state and a new payment', async () => {
    const till = await opened();
    await dialAndConfirm(till);
    await untilNewest(till, 'initiated');
    await approve(till);
    await untilNewest(till, 'paid');
    const phone = createPayerPhone(till, payer);
    expect(await phone.dial()).toContain('was paid at');
    expect(offers(phone)).toEqual(['New payment']);
    expect(await checkStatement(till)).toMatchObject({ pushes: 1, chargedMinor: 2_020 });
  });

  test('after a declined or expired payment: the prompt again', async () => {
    const till = await opened();
    await declined(till);
    const phone = createPayerPhone(till, payer);
    expect(await phone.dial()).toContain('GHS 20.20 to Demo Shop was not paid.');
    expect(offers(phone)).toEqual(['Send prompt again', 'New payment']);
    await phone.press('Send prompt again');
    await untilNewest(till, 'expired', 600_000);
    expect(await phone.dial()).toContain('was not paid.');
    expect(offers(phone)).toEqual(['Send prompt again', 'New payment']);
    expect(await checkStatement(till)).toMatchObject({ pushes: 2, chargedMinor: 0 });
  });

  test('after a payment has lapsed: how to approve it, and no second prompt while it may still be paid', async () => {
    const till = await opened({ service: { rail: { promptLifetimeMs: 3_600_000 } } });
    await dialAndConfirm(till);
    await untilNewest(till, 'initiated');
    await till.until(async () => (await storedCollections(till))[0]?.lapsed === 1, 600_000);
    const phone = createPayerPhone(till, payer);
    expect(await phone.dial()).toContain('result not yet known');
    expect(offers(phone)).toEqual(['How to approve', 'New payment']);
    await phone.press('How to approve');
    await approve(till);
    await untilNewest(till, 'paid');
    expect(await phone.dial()).toContain('was paid at');
    expect(await checkStatement(till)).toMatchObject({ pushes: 1, chargedMinor: 2_020 });
  });

  test('after the payment is no longer recent: the menu', async () => {
    const till = await opened();
    await declined(till);
    await till.clock.advance(900_000);
    expect(await createPayerPhone(till, payer).dial()).toMatch(/^Demo Shop\n/);
    expect(await checkStatement(till)).toMatchObject({ pushes: 1, chargedMinor: 0 });
  });
});

describe('Send prompt again', () => {
  test('opens a new collection that is linked to the old one, with one prompt', async () => {
    const till = await opened();
    const old = await declined(till);
    const phone = createPayerPhone(till, payer);
    await phone.dial();
    expect(await phone.press('Send prompt again')).toContain('Approve GHS 20.20 to Demo Shop with your PIN.');
    expect(await untilNewest(till, 'initiated')).toMatchObject({ retryOf: old, goodsMinor: 2_000 });
    await approve(till);
    await untilNewest(till, 'paid');
    expect(await statuses(till)).toEqual(['failed', 'paid']);
    expect(await checkStatement(till)).toMatchObject({ pushes: 2, chargedMinor: 2_020 });
  });

  test('does nothing when the old collection was paid after the screen was shown', async () => {
    const till = await opened();
    const old = await declined(till);
    const phone = createPayerPhone(till, payer);
    await phone.dial();
    await deliverHandled(till, paidEvent(await till.only(payer)));
    expect(await phone.press('Send prompt again')).toBe('Session ended. Please dial again.');
    expect(await phone.dial()).toContain('result not yet known');
    expect(offers(phone)).toEqual(['How to approve', 'New payment']);
    await till.clock.advance(60_000);
    expect((await storedCollections(till)).map(({ id, review }) => [id, review])).toEqual([
      [old, 'paid_while_failed'],
    ]);
    expect((await till.service.statement()).pushes).toBe(1);
    expect((await till.verify()).faults).toEqual([]);
  });

  test.each([2, 10])('pressed in %i sessions at once, sends one prompt', async (count) => {
    const till = await opened();
    const old = await declined(till);
    const phones = Array.from({ length: count }, (_, n) =>
      createPayerPhone(till, payer, n % 2 === 0 ? 'nalo' : 'africastalking'),
    );
    for (const phone of phones) await phone.dial();
    await till.clock.advance(2_500);
    const ends = await Promise.all(phones.map((phone) => phone.send(phone.keyOf('Send prompt again'))));
    expect(ends.filter((text) => text.startsWith('Approve GHS 20.20'))).toHaveLength(1);
    expect(ends.filter((text) => text.includes('is already waiting'))).toHaveLength(count - 1);
    await till.clock.advance(30_000);
    expect((await storedCollections(till)).map(({ retryOf }) => retryOf)).toEqual([null, old]);
    expect(await checkStatement(till)).toMatchObject({ pushes: 2, chargedMinor: 0 });
  });

  test('pressed on a screen from before the retry, sends nothing, also when the retry was declined', async () => {
    const till = await opened();
    await declined(till);
    const [late, line] = [createPayerPhone(till, payer, 'nalo'), createPayerPhone(till, payer)];
    await late.dial();
    await line.dial();
    await line.press('Send prompt again');
    await untilNewest(till, 'initiated');
    await decline(till);
    await untilNewest(till, 'failed');
    expect(await late.press('Send prompt again')).toBe('Session ended. Please dial again.');
    await till.clock.advance(30_000);
    expect(await statuses(till)).toEqual(['failed', 'failed']);
    expect(await checkStatement(till)).toMatchObject({ pushes: 2, chargedMinor: 0 });
  });

  test('after a retry, applies to the newest collection: each one is retried once', async () => {
    const till = await opened();
    await declined(till);
    const phone = createPayerPhone(till, payer, 'nalo');
    for (let n = 0; n < 3; n++) {
      await phone.dial();
      await phone.press('Send prompt again');
      await untilNewest(till, 'initiated');
      await decline(till);
      await untilNewest(till, 'failed');
    }
    const all = await storedCollections(till);
    expect(all.map(({ retryOf }) => retryOf)).toEqual([null, ...all.slice(0, -1).map(({ id }) => id)]);
    expect(await checkStatement(till)).toMatchObject({ pushes: 4, chargedMinor: 0 });
  });

  test.each([
    ['africastalking', false],
    ['nalo', false],
    ['nalo', true],
    ['wigal-v1', false],
    ['hubtel', false],
  ])(
    'on %s (the number as session: %s), a copy of the request gets the same screen and sends nothing',
    async (channel, numberIsSession) => {
      const till = await opened();
      await declined(till);
      const phone = createPayerPhone(till, payer, channel, { numberIsSession });
      await phone.dial();
      await till.clock.advance(2_500);
      const [end, ...copies] = await Promise.all([
        phone.send(phone.keyOf('Send prompt again')),
        phone.repeat(),
        phone.repeat(),
      ]);
      expect(end).toContain('Approve GHS 20.20');
      expect(copies).toEqual([end, end]);
      await untilNewest(till, 'initiated');
      await decline(till);
      await untilNewest(till, 'failed');
      expect(await phone.repeat()).toBe(end);
      await till.clock.advance(30_000);
      expect(await storedCollections(till)).toHaveLength(2);
      expect(await checkStatement(till)).toMatchObject({ pushes: 2, chargedMinor: 0 });
    },
  );

  // After the amount 1, the key for Yes is 7, which is otherwise the first key of the redial screen.
  test.each(['20', '1'].flatMap((amount) => [0, 1_000, 2_500].map((later) => [amount, later] as const)))(
    'with the number as session, a copy of the confirmation of %s that arrives %i ms after the redial sends nothing',
    async (amount, later) => {
      const till = await opened();
      const phone = createPayerPhone(till, payer, 'nalo', { numberIsSession: true });
      await phone.dial();
      await phone.type('1', amount);
      // The amount equals the key of the menu: such an input counts the second time.
      if (phone.text().startsWith('Please type it again.')) await phone.type(amount);
      const confirmKey = phone.keyOf('Yes');
      await phone.press('Yes');
      await untilNewest(till, 'initiated');
      await decline(till);
      await untilNewest(till, 'failed');
      await till.clock.advance(2_500);
      await phone.dial();
      await till.clock.advance(later);
      expect(await phone.send(confirmKey)).not.toContain('Approve');
      await till.clock.advance(30_000);
      expect(await checkStatement(till)).toMatchObject({ pushes: 1, chargedMinor: 0 });
    },
  );

  /** Requests a payment from another phone, which the payer declines. Returns that phone. */
  async function requestAndDecline(till: Till): Promise<PayerPhone> {
    const requester = createPayerPhone(till, other);
    await requester.dial();
    await requester.type('2', payer, '20');
    await requester.press('Yes');
    await untilNewest(till, 'initiated');
    await decline(till);
    await untilNewest(till, 'failed');
    return requester;
  }

  test('is offered to the phone that requested the payment, and not to its payer', async () => {
    const till = await opened();
    const requester = await requestAndDecline(till);
    const paying = createPayerPhone(till, payer);
    expect(await paying.dial()).toMatch(
      /^Requested by another phone:\nGHS 20\.20 to Demo Shop was not paid\./,
    );
    expect(offers(paying)).toEqual(['New payment', 'Block requests']);
    await requester.dial();
    expect(await requester.press('Send prompt again')).toContain('Approve GHS 20.20');
    await untilNewest(till, 'initiated');
    await approve(till);
    await untilNewest(till, 'paid');
    expect(await checkStatement(till)).toMatchObject({ pushes: 2, chargedMinor: 2_020 });
  });
});

test.each(channelNames)(
  'on %s, while a request of a third phone is pending, no prompt is sent again and the request is not shown',
  async (channel) => {
    const till = await opened();
    const requester = createPayerPhone(till, other, channel);
    await requester.dial();
    await requester.type('2', payer, '20');
    await requester.press('Yes');
    await untilNewest(till, 'initiated');
    await decline(till);
    await untilNewest(till, 'failed');
    const third = createPayerPhone(till, '0244999888');
    await third.dial();
    await third.type('2', payer, '35');
    expect(await third.press('Yes')).toContain('Approve GHS 35.00');
    // For a dialler that is neither the payer nor the requester, only the insert finds the open collection.
    await requester.dial();
    expect(await requester.press('Send prompt again')).toBe(
      `Sorry, ${payer} cannot be asked to pay now. Nothing was paid.`,
    );
    expect(requester.kind()).toBe('end');
    await till.clock.advance(60_000);
    expect((await storedCollections(till)).map(({ retryOf }) => retryOf)).toEqual([null, null]);
    expect(await checkStatement(till)).toMatchObject({ pushes: 2, chargedMinor: 0 });
  },
);

describe('when the old collection is paid after the retry', () => {
  test.each(['before', 'after'])(
    '%s the new one was paid, both are booked once and reported for review',
    async (when) => {
      const till = await opened();
      const old = await declined(till);
      const oldRow = await till.only(payer);
      const phone = createPayerPhone(till, payer);
      await phone.dial();
      await phone.press('Send prompt again');
      await untilNewest(till, 'initiated');
      if (when === 'before') await deliverHandled(till, paidEvent(oldRow));
      await approve(till);
      const { id } = await untilNewest(till, 'paid');
      await deliverHandled(till, paidEvent(oldRow, 'evt_late'));
      await deliverHandled(till, paidEvent(oldRow, 'evt_late_copy'));
      expect(await storedCollections(till)).toMatchObject([
        { id: old, status: 'review', review: 'paid_while_failed' },
        { id, status: 'paid', retryOf: old },
      ]);
      const sum = async (of: string) =>
        (await booked(till, of)).filter(([, account]) => account === 'payers').map(([, , minor]) => minor);
      expect([await sum(old), await sum(id)]).toEqual([[-2_020], [-2_020]]);
      // The statement of the rail: one prompt for each, and one charge.
      expect(await till.service.statement()).toMatchObject({ pushes: 2, chargedMinor: 2_020 });
      expect((await till.verify()).faults).toEqual([]);
    },
  );

  test('by the rail itself, each has one prompt and both are reported for review', async () => {
    const till = await opened({ service: { session: { longStopMs: 300_000 } } });
    // The first session expires at the long stop, and its prompt is still approved 3 s later.
    const late = '0244123905';
    await dialAndConfirm(till, late);
    await untilNewest(till, 'expired', 600_000);
    const phone = createPayerPhone(till, late);
    await phone.dial();
    await phone.press('Send prompt again');
    await till.clock.advance(900_000);
    const { sessions } = await till.service.statement();
    expect(sessions.map(({ pushes, chargedMinor }) => [pushes, chargedMinor])).toEqual([
      [1, 2_020],
      [1, 2_020],
    ]);
    expect(await storedCollections(till)).toMatchObject([
      { status: 'review', retryOf: null },
      { status: 'review', retryOf: (await storedCollections(till))[0]?.id },
    ]);
    expect(await checkStatement(till)).toMatchObject({ pushes: 2, chargedMinor: 4_040 });
  });
});
