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

/** A collection that its payer has declined. */
async function declined(till: Till): Promise<string> {
  await dialAndConfirm(till);
  await untilNewest(till, 'initiated');
  await decline(till);
  return (await untilNewest(till, 'failed')).id;
}

describe('what a redial offers', () => {
  test('after it was paid: that, and a new payment', async () => {
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

  test('after it was declined, and after it has expired: the prompt again', async () => {
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

  test('after nobody has answered for long: how to approve it, and no prompt again while it may still be paid', async () => {
    const till = await opened({ service: { rail: { promptLifetimeMs: 3_600_000 } } });
    await dialAndConfirm(till);
    await untilNewest(till, 'initiated');
    await till.until(() => storedCollections(till)[0]?.lapsed === 1, 600_000);
    const phone = createPayerPhone(till, payer);
    expect(await phone.dial()).toContain('result not yet known');
    expect(offers(phone)).toEqual(['How to approve', 'New payment']);
    await phone.press('How to approve');
    await approve(till);
    await untilNewest(till, 'paid');
    expect(await phone.dial()).toContain('was paid at');
    expect(await checkStatement(till)).toMatchObject({ pushes: 1, chargedMinor: 2_020 });
  });

  test('after the time that a payment is recent: the menu', async () => {
    const till = await opened();
    await declined(till);
    await till.clock.advance(900_000);
    expect(await createPayerPhone(till, payer).dial()).toMatch(/^Demo Shop\n/);
    expect(await checkStatement(till)).toMatchObject({ pushes: 1, chargedMinor: 0 });
  });
});

describe('Send prompt again', () => {
  test('is a collection of its own, linked to the old one, and one prompt more', async () => {
    const till = await opened();
    const old = await declined(till);
    const phone = createPayerPhone(till, payer);
    await phone.dial();
    expect(await phone.press('Send prompt again')).toContain('Approve GHS 20.20 to Demo Shop with your PIN.');
    expect(await untilNewest(till, 'initiated')).toMatchObject({ retryOf: old, goodsMinor: 2_000 });
    await approve(till);
    await untilNewest(till, 'paid');
    expect(statuses(till)).toEqual(['failed', 'paid']);
    expect(await checkStatement(till)).toMatchObject({ pushes: 2, chargedMinor: 2_020 });
  });

  test('does nothing when the old one turned out to be paid between the screen and the key', async () => {
    const till = await opened();
    const old = await declined(till);
    const phone = createPayerPhone(till, payer);
    await phone.dial();
    await deliverHandled(till, paidEvent(await till.only(payer)));
    expect(await phone.press('Send prompt again')).toBe('Session ended. Please dial again.');
    expect(await phone.dial()).toContain('result not yet known');
    expect(offers(phone)).toEqual(['How to approve', 'New payment']);
    await till.clock.advance(60_000);
    expect(storedCollections(till).map(({ id, review }) => [id, review])).toEqual([
      [old, 'paid_while_failed'],
    ]);
    expect((await till.service.statement()).pushes).toBe(1);
    expect((await till.verify()).faults).toEqual([]);
  });

  test.each([2, 10])('pressed on %i sessions at once, sends one', async (count) => {
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
    expect(storedCollections(till).map(({ retryOf }) => retryOf)).toEqual([null, old]);
    expect(await checkStatement(till)).toMatchObject({ pushes: 2, chargedMinor: 0 });
  });

  test('pressed on a screen from before it was sent again, sends nothing: also when that one was declined too', async () => {
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
    expect(statuses(till)).toEqual(['failed', 'failed']);
    expect(await checkStatement(till)).toMatchObject({ pushes: 2, chargedMinor: 0 });
  });

  test('after its own again, goes by the newest: each is sent again once', async () => {
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
    const all = storedCollections(till);
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
      expect(storedCollections(till)).toHaveLength(2);
      expect(await checkStatement(till)).toMatchObject({ pushes: 2, chargedMinor: 0 });
    },
  );

  // After an amount of 1 the key for yes is 7, which is the first of the redial's keys otherwise.
  test.each(['20', '1'].flatMap((amount) => [0, 1_000, 2_500].map((later) => [amount, later] as const)))(
    'with the number as session, a copy of the yes to %s that comes %i ms after the redial sends nothing',
    async (amount, later) => {
      const till = await opened();
      const phone = createPayerPhone(till, payer, 'nalo', { numberIsSession: true });
      await phone.dial();
      await phone.type('1', amount);
      // The key that led to the question may be a copy: it counts the second time.
      if (phone.text().startsWith('Please type it again.')) await phone.type(amount);
      const yes = phone.keyOf('Yes');
      await phone.press('Yes');
      await untilNewest(till, 'initiated');
      await decline(till);
      await untilNewest(till, 'failed');
      await till.clock.advance(2_500);
      await phone.dial();
      await till.clock.advance(later);
      expect(await phone.send(yes)).not.toContain('Approve');
      await till.clock.advance(30_000);
      expect(await checkStatement(till)).toMatchObject({ pushes: 1, chargedMinor: 0 });
    },
  );

  /** What another phone asked the payer for, and the payer has declined. */
  async function askedAndDeclined(till: Till): Promise<PayerPhone> {
    const asking = createPayerPhone(till, other);
    await asking.dial();
    await asking.type('2', payer, '20');
    await asking.press('Yes');
    await untilNewest(till, 'initiated');
    await decline(till);
    await untilNewest(till, 'failed');
    return asking;
  }

  test('is offered to the phone that asked, and not to a payer who was asked by another', async () => {
    const till = await opened();
    const asking = await askedAndDeclined(till);
    const paying = createPayerPhone(till, payer);
    expect(await paying.dial()).toMatch(
      /^Requested by another phone:\nGHS 20\.20 to Demo Shop was not paid\./,
    );
    expect(offers(paying)).toEqual(['New payment', 'Block requests']);
    await asking.dial();
    expect(await asking.press('Send prompt again')).toContain('Approve GHS 20.20');
    await untilNewest(till, 'initiated');
    await approve(till);
    await untilNewest(till, 'paid');
    expect(await checkStatement(till)).toMatchObject({ pushes: 2, chargedMinor: 2_020 });
  });
});

test.each(channelNames)(
  'on %s, while a third phone has asked the same payer, nothing is sent again, and what waits is not told',
  async (channel) => {
    const till = await opened();
    const asking = createPayerPhone(till, other, channel);
    await asking.dial();
    await asking.type('2', payer, '20');
    await asking.press('Yes');
    await untilNewest(till, 'initiated');
    await decline(till);
    await untilNewest(till, 'failed');
    const third = createPayerPhone(till, '0244999888');
    await third.dial();
    await third.type('2', payer, '35');
    expect(await third.press('Yes')).toContain('Approve GHS 35.00');
    // Of a phone that neither pays nor has asked for it, only the insert knows what is in the way.
    await asking.dial();
    expect(await asking.press('Send prompt again')).toMatch(/^Sorry, too many requests for now\./);
    expect(asking.kind()).toBe('end');
    await till.clock.advance(60_000);
    expect(storedCollections(till).map(({ retryOf }) => retryOf)).toEqual([null, null]);
    expect(await checkStatement(till)).toMatchObject({ pushes: 2, chargedMinor: 0 });
  },
);

describe('the old one is paid late, after it was sent again', () => {
  test.each(['before', 'after'])(
    '%s the new one was paid: both are booked once, and a person is asked',
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
      expect(storedCollections(till)).toMatchObject([
        { id: old, status: 'review', review: 'paid_while_failed' },
        { id, status: 'paid', retryOf: old },
      ]);
      const sum = async (of: string) =>
        (await booked(till, of)).filter(([, account]) => account === 'payers').map(([, , minor]) => minor);
      expect([await sum(old), await sum(id)]).toEqual([[-2_020], [-2_020]]);
      // The book of the rail: one prompt for each, and it took the money of one.
      expect(await till.service.statement()).toMatchObject({ pushes: 2, chargedMinor: 2_020 });
      expect((await till.verify()).faults).toEqual([]);
    },
  );

  test('by the rail itself: each has its one prompt, and a person is asked about both', async () => {
    const till = await opened();
    // Expired, and approved 3 s later still.
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
    expect(storedCollections(till)).toMatchObject([
      { status: 'review', retryOf: null },
      { status: 'review', retryOf: storedCollections(till)[0]?.id },
    ]);
    expect(await checkStatement(till)).toMatchObject({ pushes: 2, chargedMinor: 4_040 });
  });
});
