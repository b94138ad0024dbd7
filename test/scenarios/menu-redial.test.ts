import { describe, expect, test } from 'vitest';
import { msisdnOf } from '../kit/msisdn.ts';
import { addOtherShop, createShop, other } from '../kit/payers.ts';
import { channelNames, type Phone } from '../kit/phone.ts';
import { shopMenu } from '../kit/shop-menu.ts';
import { paidEvent, payer, type Till } from '../kit/till.ts';

/* What redials and second payments open and charge. Their screens: test/menu/redial and test/menu/duplicate. */

const third = '0244999888';
const waits = /^GHS 20\.20 to Demo Shop is waiting for the PIN of 0244123456\./;
const waiting = /^GHS 20\.20 to Demo Shop is already waiting\. To approve: Dial \*170#/;
const onePrompt = { pushes: 1, chargedMinor: 0 };

async function pay(till: Till): Promise<void> {
  await till.dialAndConfirm();
  await till.approveNewest();
}

async function declined(till: Till): Promise<string> {
  await till.dialAndConfirm();
  return (await till.declineNewest()).id;
}

/** Requests a payment of GHS 20.00 from the payer with another phone. */
async function request(till: Till, number: string, channel = 'africastalking'): Promise<Phone> {
  const phone = till.phone(number, channel);
  await phone.dial();
  await phone.type('2', payer, '20');
  await phone.press('Yes');
  return phone;
}

describe('while a collection is open', () => {
  test.each([
    ['accepted', 'africastalking'],
    ['initiated', 'nalo'],
  ])('(%s, %s) redials show it and open no second one, also after a restart', async (status, channel) => {
    const till = await createShop();
    const end = await till.dialAndConfirm();
    if (status === 'initiated') {
      await till.untilNewest('initiated');
      await till.restart();
    }
    const phone = till.phone(payer, channel);
    expect(await phone.dial()).toMatch(waits);
    expect(await phone.press('How to approve')).toMatch(/^Approve GHS 20\.20 to Demo Shop with your PIN\./);
    await phone.dial();
    await phone.press('New payment', 'My number');
    await phone.type('500');
    expect(await phone.press('Yes')).toMatch(waiting);
    expect(await phone.repeat()).toMatch(waiting);
    await till.clock.advance(30_000);
    expect(await till.statuses()).toEqual(['initiated']);
    await till.approve();
    await till.untilNewest('paid');
    const reference = /Ref \d{4} \d{4}/.exec(end)?.[0];
    expect(await phone.dial()).toContain('GHS 20.00 to Demo Shop was paid at 09:0');
    expect(phone.text()).toContain(reference);
    expect(await till.checkStatement()).toMatchObject({ pushes: 1, chargedMinor: 2_020 });
  });

  test('a payer whose number was ported reads the approval code of the network of the payment, on each screen', async () => {
    const till = await createShop();
    const phone = till.phone(payer, 'africastalking', { operator: 'telecel' });
    await phone.dial();
    await phone.press('My number');
    await phone.type('20');
    await phone.press('Yes');
    await phone.dial();
    expect(await phone.press('How to approve')).toContain('*110#');
    await phone.dial();
    await phone.press('New payment', 'My number');
    await phone.type('500');
    expect(await phone.press('Yes')).toMatch(/already waiting\. To approve: .*\*110#/);
  });

  test('a confirmation is decided by the state at that moment, not by the state on the screen', async () => {
    const till = await createShop();
    const [first, second] = [till.phone(payer), till.phone(payer, 'nalo')];
    await first.dial();
    await first.type('1', '20');
    await second.dial();
    await second.press('Start over');
    await second.type('1', '20');
    await till.clock.advance(2_500);
    const ends = await Promise.all([
      first.send(first.keyOf('Yes')),
      second.send(second.keyOf('Yes')),
      first.repeat(),
      second.repeat(),
    ]);
    expect(ends.filter((text) => /^Approve/.test(text)).length).toBeGreaterThan(0);
    await till.clock.advance(60_000);
    expect(await till.storedCollections()).toHaveLength(1);
    expect(await till.checkStatement()).toMatchObject(onePrompt);
  });

  test('redials in each millisecond of the worker cause no second prompt', async () => {
    const till = await createShop();
    await till.dialAndConfirm();
    const texts = new Set<string>();
    for (let n = 0; n < 12; n++) {
      const phone = till.phone(payer, channelNames[n % 2]);
      const [text] = await Promise.all([phone.dial(), till.clock.advance(250)]);
      texts.add(text.split('\n')[0] ?? '');
      await phone.press('New payment', 'My number');
      await phone.type('20');
      await Promise.all([phone.press('Yes'), till.clock.advance(250)]);
    }
    expect([...texts]).toEqual([expect.stringMatching(waits)]);
    // The prompt waits for the end of the last dialogue.
    await till.clock.advance(5_000);
    expect(await till.checkStatement()).toMatchObject(onePrompt);
  });

  test('a third phone requests no second one, learns nothing about it, and can request after it is paid', async () => {
    const till = await createShop();
    const phone = till.phone(other, 'nalo');
    await phone.dial();
    await phone.type('2', payer, '35');
    expect((await request(till, third)).text()).toContain('Approve GHS 20.00');
    const refused = await phone.press('Yes');
    expect(refused).toBe(`Sorry, ${payer} cannot be asked to pay now. Nothing was paid.`);
    expect(await phone.repeat()).toBe(refused);
    await till.untilNewest('initiated');
    expect(await till.storedCollections()).toMatchObject([{ dialler: msisdnOf(third), goodsMinor: 2_000 }]);
    await till.approve();
    await till.untilNewest('paid');
    await phone.dial();
    await phone.type('2', payer, '35');
    expect(await phone.press('Yes')).toContain('Approve GHS 35.00');
    await till.untilNewest('initiated');
    expect(await till.checkStatement()).toMatchObject({ pushes: 2, chargedMinor: 2_020 });
  });

  test('it is neither shown nor blocking at another merchant', async () => {
    const till = await createShop();
    await addOtherShop(till);
    await till.dialAndConfirm();
    await till.untilNewest('initiated');
    const phone = till.phone(payer, 'other-shop');
    expect(await phone.dial()).toMatch(/^Other Shop\n1\. My number/);
    await phone.type('1', '20');
    expect(await phone.press('Yes')).toContain('Approve GHS 20.00');
    await till.untilNewest('initiated');
    const merchants = (await till.storedCollections()).map(({ merchant }) => merchant);
    expect(merchants).toEqual(['demo-shop', 'other-shop']);
    expect(await till.checkStatement()).toMatchObject({ pushes: 2, chargedMinor: 0 });
  });
});

describe('Send prompt again', () => {
  test('opens one linked collection for each final, unpaid one: declined, expired, and then paid', async () => {
    const till = await createShop();
    await declined(till);
    const phone = till.phone(payer, 'nalo');
    for (let n = 0; n < 3; n++) {
      await phone.dial();
      expect(await phone.press('Send prompt again')).toContain('Approve GHS 20.20 to Demo Shop');
      await till.untilNewest('initiated');
      if (n === 0) await till.declineNewest();
      if (n === 1) await till.untilNewest('expired', 600_000);
    }
    await till.approve();
    await till.untilNewest('paid');
    const all = await till.storedCollections();
    expect(all.map(({ retryOf }) => retryOf)).toEqual([null, ...all.slice(0, -1).map(({ id }) => id)]);
    expect(await till.statuses()).toEqual(['failed', 'failed', 'expired', 'paid']);
    expect(await till.checkStatement()).toMatchObject({ pushes: 4, chargedMinor: 2_020 });
  });

  test('does nothing when the old collection was paid after the screen was shown', async () => {
    const till = await createShop();
    const old = await declined(till);
    const phone = till.phone(payer);
    await phone.dial();
    await till.deliverHandled(paidEvent(await till.only(payer)));
    expect(await phone.press('Send prompt again')).toBe('Session ended. Please dial again.');
    expect(await phone.dial()).toContain('result not yet known');
    await till.clock.advance(60_000);
    const stored = await till.storedCollections();
    expect(stored.map(({ id, review }) => [id, review])).toEqual([[old, 'paid_while_failed']]);
    expect((await till.service.statement()).pushes).toBe(1);
    expect((await till.verify()).faults).toEqual([]);
  });

  test('pressed in ten sessions at once, sends one prompt', async () => {
    const till = await createShop();
    const old = await declined(till);
    const phones = Array.from({ length: 10 }, (_, n) => till.phone(payer, channelNames[n % 2]));
    for (const phone of phones) await phone.dial();
    await till.clock.advance(2_500);
    const ends = await Promise.all(phones.map((phone) => phone.send(phone.keyOf('Send prompt again'))));
    expect(ends.filter((text) => text.startsWith('Approve GHS 20.20'))).toHaveLength(1);
    expect(ends.filter((text) => text.includes('is already waiting'))).toHaveLength(9);
    await till.clock.advance(30_000);
    expect((await till.storedCollections()).map(({ retryOf }) => retryOf)).toEqual([null, old]);
    expect(await till.checkStatement()).toMatchObject({ pushes: 2, chargedMinor: 0 });
  });

  test('pressed on a screen from before the retry, sends nothing, also when the retry was declined', async () => {
    const till = await createShop();
    await declined(till);
    const [late, phone] = [till.phone(payer, 'nalo'), till.phone(payer)];
    await late.dial();
    await phone.dial();
    await phone.press('Send prompt again');
    await till.declineNewest();
    expect(await late.press('Send prompt again')).toBe('Session ended. Please dial again.');
    await till.clock.advance(30_000);
    expect(await till.statuses()).toEqual(['failed', 'failed']);
    expect(await till.checkStatement()).toMatchObject({ pushes: 2, chargedMinor: 0 });
  });

  test.each([
    ['africastalking', false],
    ['nalo', true],
  ])(
    'on %s (the number as session: %s), copies get the same screen and send nothing',
    async (channel, numberIsSession) => {
      const till = await createShop();
      await declined(till);
      const phone = till.phone(payer, channel, { numberIsSession });
      await phone.dial();
      await till.clock.advance(2_500);
      const [end, ...copies] = await Promise.all([
        phone.send(phone.keyOf('Send prompt again')),
        phone.repeat(),
        phone.repeat(),
      ]);
      expect(end).toContain('Approve GHS 20.20');
      expect(copies).toEqual([end, end]);
      await till.declineNewest();
      expect(await phone.repeat()).toBe(end);
      await till.clock.advance(30_000);
      expect(await till.storedCollections()).toHaveLength(2);
      expect(await till.checkStatement()).toMatchObject({ pushes: 2, chargedMinor: 0 });
    },
  );

  // After the amount 1, the key for Yes is 7, which is otherwise the first key of the redial screen.
  test.each([
    ['20', 0],
    ['1', 2_500],
  ])(
    'with the number as session, a copy of the confirmation of %s that arrives %i ms after the redial sends nothing',
    async (amount, later) => {
      const till = await createShop();
      const phone = till.phone(payer, 'nalo', { numberIsSession: true });
      await phone.dial();
      await phone.type('1', amount);
      // The amount equals the key of the menu: such an input counts the second time.
      if (phone.text().startsWith('Please type it again.')) await phone.type(amount);
      const confirmKey = phone.keyOf('Yes');
      await phone.press('Yes');
      await till.declineNewest();
      await till.clock.advance(2_500);
      await phone.dial();
      await till.clock.advance(later);
      expect(await phone.send(confirmKey)).not.toContain('Approve');
      await till.clock.advance(30_000);
      expect(await till.checkStatement()).toMatchObject(onePrompt);
    },
  );

  test('is rejected while a request of a third phone is pending, which is not shown', async () => {
    const till = await createShop();
    const requester = await request(till, other, 'nalo');
    await till.declineNewest();
    await request(till, third);
    // For a dialler that is neither the payer nor the requester, only the insert finds the open collection.
    await requester.dial();
    expect(await requester.press('Send prompt again')).toBe(
      `Sorry, ${payer} cannot be asked to pay now. Nothing was paid.`,
    );
    await till.clock.advance(60_000);
    expect((await till.storedCollections()).map(({ retryOf }) => retryOf)).toEqual([null, null]);
    expect(await till.checkStatement()).toMatchObject({ pushes: 2, chargedMinor: 0 });
  });

  test('uses the network that the dialler chose for another number, whatever its prefix', async () => {
    const options = [{ label: 'Telecel', set: { operator: 'telecel' }, to: 'amount' }];
    const menu = shopMenu({
      screens: {
        number: { kind: 'ask', answer: 'msisdn', text: 'Number that pays:', to: 'network' },
        network: { kind: 'choose', text: 'Network?', options },
      },
    });
    const till = await createShop({ menu });
    const phone = till.phone(other);
    await phone.dial();
    await phone.type('2', payer, '1', '50');
    await phone.press('Yes');
    await till.declineNewest();
    await phone.dial();
    expect(await phone.press('Send prompt again')).toContain(till.config.approvals.telecel);
    await till.untilNewest('initiated');
    expect(await till.ledger.rows('SELECT DISTINCT network FROM collection')).toEqual([
      { network: 'telecel' },
    ]);
    expect(await till.checkStatement()).toMatchObject({ pushes: 2, chargedMinor: 0 });
  });
});

describe('when the old collection is paid after the retry', () => {
  test.each(['before', 'after'])(
    '%s the new one was paid, both are booked once and reported for review',
    async (when) => {
      const till = await createShop();
      const old = await declined(till);
      const oldRow = await till.only(payer);
      const phone = till.phone(payer);
      await phone.dial();
      await phone.press('Send prompt again');
      await till.untilNewest('initiated');
      if (when === 'before') await till.deliverHandled(paidEvent(oldRow));
      await till.approve();
      const { id } = await till.untilNewest('paid');
      await till.deliverHandled(paidEvent(oldRow, 'evt_late'));
      await till.deliverHandled(paidEvent(oldRow, 'evt_late_copy'));
      expect(await till.storedCollections()).toMatchObject([
        { id: old, status: 'review', review: 'paid_while_failed' },
        { id, status: 'paid', retryOf: old },
      ]);
      const sum = async (of: string) =>
        (await till.booked(of)).filter(([, account]) => account === 'payers').map(([, , minor]) => minor);
      expect([await sum(old), await sum(id)]).toEqual([[-2_020], [-2_020]]);
      // The statement of the rail: one prompt for each, and one charge.
      expect(await till.service.statement()).toMatchObject({ pushes: 2, chargedMinor: 2_020 });
      expect((await till.verify()).faults).toEqual([]);
    },
  );

  test('by the rail itself, each has one prompt and both are reported for review', async () => {
    const till = await createShop({ service: { session: { longStopMs: 300_000 } } });
    // The first session expires at the long stop, and its prompt is still approved 3 s later.
    const late = '0244123905';
    await till.dialAndConfirm(late);
    await till.untilNewest('expired', 600_000);
    const phone = till.phone(late);
    await phone.dial();
    await phone.press('Send prompt again');
    await till.clock.advance(900_000);
    const { sessions } = await till.service.statement();
    expect(sessions.map(({ pushes, chargedMinor }) => [pushes, chargedMinor])).toEqual([
      [1, 2_020],
      [1, 2_020],
    ]);
    expect(await till.storedCollections()).toMatchObject([
      { status: 'review', retryOf: null },
      { status: 'review', retryOf: (await till.storedCollections())[0]?.id },
    ]);
    expect(await till.checkStatement()).toMatchObject({ pushes: 2, chargedMinor: 4_040 });
  });
});

describe('a second payment of the same amount', () => {
  const question = /^You confirmed GHS 20\.00 to Demo Shop at 09:0\d\. Pay the same again\?/;

  /** Dials, passes the screen of the recent payment, and confirms the same payment. */
  async function confirmAgain(till: Till, channel: string): Promise<Phone> {
    const phone = till.phone(payer, channel);
    await phone.dial();
    await phone.press('New payment');
    // A second session finds the interrupted dialogue of the first one.
    if (phone.text().includes('your session was interrupted')) await phone.press('Start over');
    await phone.press('My number');
    await phone.type('20');
    expect(await phone.press('Yes')).toMatch(question);
    return phone;
  }

  test.each(['africastalking', 'nalo', 'hubtel', 'wigal-v1'])(
    'on %s is questioned: no copy of the first confirmation answers, and three copies of the second one pay once',
    async (channel) => {
      const till = await createShop();
      await pay(till);
      const phone = await confirmAgain(till, channel);
      for (const ms of [0, 1_000, 2_500, 60_000]) {
        await till.clock.advance(ms);
        await Promise.all([phone.repeat(), phone.repeat()]);
        expect(await till.storedCollections()).toHaveLength(1);
      }
      await till.clock.advance(2_500);
      const [end, ...copies] = await Promise.all([
        phone.send(phone.keyOf('Yes')),
        phone.repeat(),
        phone.repeat(),
      ]);
      expect(copies).toEqual([end, end]);
      await till.approveNewest();
      expect((await till.storedCollections()).map(({ retryOf }) => retryOf)).toEqual([null, null]);
      expect(await till.checkStatement()).toMatchObject({ pushes: 2, chargedMinor: 4_040 });
    },
  );

  test('that two sessions confirm at once opens one collection', async () => {
    const till = await createShop();
    await pay(till);
    const phones: Phone[] = [];
    for (const channel of channelNames) phones.push(await confirmAgain(till, channel));
    await till.clock.advance(2_500);
    const ends = await Promise.all(phones.map((phone) => phone.send(phone.keyOf('Yes'))));
    expect(ends.filter((text) => text.startsWith('Approve'))).toHaveLength(1);
    expect(ends.filter((text) => text.includes('is already waiting'))).toHaveLength(1);
    await till.clock.advance(30_000);
    expect(await till.checkStatement()).toMatchObject({ pushes: 2, chargedMinor: 2_020 });
  });
});
