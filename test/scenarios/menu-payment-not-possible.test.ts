import { expect, test } from 'vitest';
import { createPayerPhone, createShop, storedCollections } from '../kit/payers.ts';
import { alarms } from '../kit/scenes.ts';
import { createTill, type Till } from '../kit/till.ts';

/** Dials, opens the payment and types the amount. Returns the screen after it. */
async function typeAmount(till: Till, number: string): Promise<string> {
  const phone = createPayerPhone(till, number);
  await phone.dial();
  await phone.type('1');
  await till.clock.advance(2_500);
  return phone.send('20');
}

test('a payer whose network the service does not offer reads so instead of a confirm screen', async () => {
  const till = await createTill();
  expect(await typeAmount(till, '0231234567')).toBe(
    'Sorry, Demo Shop cannot take payment from the network of 0231234567. Nothing was paid.',
  );
  await till.clock.advance(300_000);
  expect([await storedCollections(till), till.calls]).toEqual([[], []]);
});

test('a confirm screen that was shown before its network was taken out of the configuration opens no payment', async () => {
  const till = await createTill();
  const phone = createPayerPhone(till, '0201234567');
  await phone.dial();
  await phone.type('1');
  await till.clock.advance(2_500);
  await phone.send('20');
  await till.clock.advance(2_500);
  till.config.service.networks.telecel = null;
  await till.restart();
  expect(await phone.press('Yes')).toContain('Nothing was paid');
  await till.clock.advance(300_000);
  expect([await storedCollections(till), till.calls]).toEqual([[], []]);
});

test.each([
  { status: 403, code: 'offline_mode_not_enabled', alarmed: ['key_rejected'] },
  { status: 401, code: 'invalid_api_key', alarmed: ['key_rejected'] },
  { status: 400, code: 'invalid_msisdn', alarmed: [] },
  { status: 422, code: 'unknown_network', alarmed: [] },
])(
  'after a quote that is rejected with $status $code, the payer reads that payment is not possible',
  async ({ status, code, alarmed }) => {
    const till = await createShop();
    till.faults.call = async () => Response.json({ error: { code, message: 'no' } }, { status });
    expect(await typeAmount(till, '0244123456')).toBe(
      'Sorry, payment to Demo Shop is not possible now. Nothing was paid.',
    );
    await till.clock.advance(300_000);
    expect(await storedCollections(till)).toEqual([]);
    expect(till.calls.map(({ name }) => name)).toEqual(['create']);
    expect(alarms(till)).toEqual(alarmed);
    // A later dialogue asks again.
    delete till.faults.call;
    expect(await typeAmount(till, '0244123456')).toContain('total GHS 20.20');
  },
);
