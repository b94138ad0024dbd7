import { describe, expect, test } from 'vitest';
import { channelNames } from '../kit/callback.ts';
import {
  addOtherShop,
  checkStatement,
  createPayerPhone,
  createShop,
  dialAndConfirm,
  msisdnOf,
  other,
  payer,
  statuses,
  storedCollections,
  untilNewest,
} from '../kit/payers.ts';
import { approve } from '../kit/scenes.ts';

const waits = /^GHS 20\.20 to Demo Shop is waiting for the PIN of 0244123456\./;
const waiting = /^GHS 20\.20 to Demo Shop is already waiting\. To approve: Dial \*170#/;
const onePrompt = { pushes: 1, chargedMinor: 0 };

describe.each(['accepted', 'initiated'] as const)('while a collection is %s', (status) => {
  test.each(channelNames)('a redial through %s shows it first and opens no collection', async (channel) => {
    const till = await createShop();
    await dialAndConfirm(till);
    if (status === 'initiated') await untilNewest(till, 'initiated');
    const phone = createPayerPhone(till, payer, channel);
    expect(await phone.dial()).toMatch(waits);
    expect(phone.text()).not.toContain('Send prompt again');
    expect(await phone.press('How to approve')).toMatch(
      /^Approve GHS 20\.20 to Demo Shop with your PIN\. Dial \*170#/,
    );
    expect(phone.kind()).toBe('end');
    await till.clock.advance(60_000);
    expect(await checkStatement(till)).toMatchObject({ ...onePrompt, sessions: 1 });
  });

  test.each(channelNames)(
    'the confirmation of a new payment through %s shows that one is already waiting',
    async (channel) => {
      const till = await createShop();
      await dialAndConfirm(till);
      if (status === 'initiated') await untilNewest(till, 'initiated');
      const phone = createPayerPhone(till, payer, channel);
      await phone.dial();
      await phone.press('New payment');
      await phone.press('My number');
      await phone.type('500');
      expect(await phone.press('Yes')).toMatch(waiting);
      expect(await phone.repeat()).toMatch(waiting);
      await till.clock.advance(60_000);
      expect(await statuses(till)).toEqual(['initiated']);
      expect(await checkStatement(till)).toMatchObject(onePrompt);
    },
  );
});

test('the pending prompt can be approved, and the next dial shows that it was paid', async () => {
  const till = await createShop();
  const end = await dialAndConfirm(till);
  await untilNewest(till, 'initiated');
  const phone = createPayerPhone(till, payer, 'nalo');
  await phone.dial();
  await phone.press('How to approve');
  await approve(till);
  await untilNewest(till, 'paid');
  const reference = /Ref (\d{4} \d{4})/.exec(end)?.[1];
  expect(await phone.dial()).toMatch(
    new RegExp(`^GHS 20\\.00 to Demo Shop was paid at 09:0\\d\\. Ref ${reference}`),
  );
  expect(await checkStatement(till)).toMatchObject({ pushes: 1, chargedMinor: 2_020 });
});

test('a confirmation is decided by the state at that moment, not by the state on the screen', async () => {
  const till = await createShop();
  const first = createPayerPhone(till, payer);
  await first.dial();
  await first.type('1', '20');
  const second = createPayerPhone(till, payer, 'nalo');
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
  expect(await storedCollections(till)).toHaveLength(1);
  expect(await checkStatement(till)).toMatchObject(onePrompt);
});

test('redials in each millisecond of the worker cause no second prompt', async () => {
  const till = await createShop();
  await dialAndConfirm(till);
  const texts = new Set<string>();
  for (let n = 0; n < 12; n++) {
    const phone = createPayerPhone(till, payer, channelNames[n % 2]);
    const [text] = await Promise.all([phone.dial(), till.clock.advance(250)]);
    texts.add(text.split('\n')[0] ?? '');
    await phone.press('New payment');
    await phone.press('My number');
    await phone.type('20');
    await Promise.all([phone.press('Yes'), till.clock.advance(250)]);
  }
  expect([...texts]).toEqual([expect.stringMatching(waits)]);
  // The prompt waits for the end of the last dialogue.
  await till.clock.advance(5_000);
  expect(await checkStatement(till)).toMatchObject(onePrompt);
});

test('a payment that the dialler requested from another payer is shown to both, with a masked number', async () => {
  const till = await createShop();
  const asking = createPayerPhone(till, other);
  await asking.dial();
  await asking.type('2', payer, '20');
  expect(asking.text()).toContain("The number's owner must agree.");
  await asking.press('Yes');
  await untilNewest(till, 'initiated');
  expect(await asking.dial()).toContain('is waiting for the PIN of 0244***456.');
  expect(asking.text()).not.toContain('Block requests');
  expect(await createPayerPhone(till, payer).dial()).toContain('Block requests');
  expect(await checkStatement(till)).toMatchObject(onePrompt);
});

describe('a pending request of a third phone', () => {
  const third = '0244999888';

  test.each(channelNames)(
    'prevents a second request on %s, and neither its amount nor its existence is revealed',
    async (channel) => {
      const till = await createShop();
      const phone = createPayerPhone(till, other, channel);
      await phone.dial();
      await phone.type('2', payer, '35');
      const asking = createPayerPhone(till, third);
      await asking.dial();
      await asking.type('2', payer, '20');
      expect(await asking.press('Yes')).toContain('Approve GHS 20.00');
      const refused = await phone.press('Yes');
      expect(refused).toBe(`Sorry, ${payer} cannot be asked to pay now. Nothing was paid.`);
      expect(await phone.repeat()).toBe(refused);
      await till.clock.advance(60_000);
      expect(await storedCollections(till)).toMatchObject([{ dialler: msisdnOf(third), goodsMinor: 2_000 }]);
      expect(await checkStatement(till)).toMatchObject({ ...onePrompt, sessions: 2 });
    },
  );

  test('does not affect other payers, and blocks nothing after it is paid', async () => {
    const till = await createShop();
    const asking = createPayerPhone(till, third);
    await asking.dial();
    await asking.type('2', payer, '20');
    await asking.press('Yes');
    await untilNewest(till, 'initiated');
    const phone = createPayerPhone(till, other);
    await phone.dial();
    await phone.type('2', payer, '35');
    await approve(till);
    await untilNewest(till, 'paid');
    expect(await phone.press('Yes')).toContain('Approve GHS 35.00');
    await untilNewest(till, 'initiated');
    expect(await statuses(till)).toEqual(['paid', 'initiated']);
    expect(await checkStatement(till)).toMatchObject({ pushes: 2, chargedMinor: 2_020 });
  });
});

test('a pending payment at one merchant is neither shown nor blocking at another', async () => {
  const till = await createShop();
  await addOtherShop(till);
  await dialAndConfirm(till);
  await untilNewest(till, 'initiated');
  const phone = createPayerPhone(till, payer, 'other-shop');
  expect(await phone.dial()).toMatch(/^Other Shop\n1\. My number/);
  await phone.type('1', '20');
  expect(await phone.press('Yes')).toContain('Approve GHS 20.00');
  await untilNewest(till, 'initiated');
  expect((await storedCollections(till)).map(({ merchant }) => merchant)).toEqual([
    'demo-shop',
    'other-shop',
  ]);
  expect(await checkStatement(till)).toMatchObject({ pushes: 2, chargedMinor: 0 });
});

test('a restarted gateway shows the pending payment and prompts nothing twice', async () => {
  const till = await createShop();
  await dialAndConfirm(till);
  await untilNewest(till, 'initiated');
  await till.restart();
  const phone = createPayerPhone(till, payer);
  expect(await phone.dial()).toMatch(waits);
  await phone.press('New payment');
  await phone.press('My number');
  await phone.type('20');
  expect(await phone.press('Yes')).toMatch(waiting);
  await till.clock.advance(60_000);
  expect(await checkStatement(till)).toMatchObject(onePrompt);
});
