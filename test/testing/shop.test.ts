import { expect, onTestFinished, test } from 'vitest';
import { createTill } from '../../src/testing/index.ts';

/* An example for merchants' developers, who use `import { createTill } from 'dialtill/testing'`. */

test('a bill is paid with the PIN on the phone that dialled', async () => {
  const till = await createTill({
    menu: 'fixtures/menus/shop.yaml',
    merchant: 'Abena Stores',
    channel: { aggregator: 'nalo', serviceCode: '*920*5#' },
  });
  onTestFinished(() => till.close());
  const phone = till.phone('0244123456');

  await phone.dial();
  expect(phone.screen()).toContain('3. Pay a bill');
  await phone.send('3');
  await phone.send('INV-1234');
  await phone.send('20');
  expect(phone.screen()).toContain('Bill INV-1234');
  await phone.send('1');
  phone.expectEnd(
    'Approve GHS 20.20 to Abena Stores with your PIN.\nNo prompt? Dial *170#, Wallet, My Approvals',
  );

  const prompt = await phone.prompt();
  expect(prompt.amountMinor).toBe(2_020);
  await prompt.approve();
  expect(await phone.untilStatus('paid')).toMatchObject({ reference: 'INV-1234', goodsMinor: 2_000 });
});
