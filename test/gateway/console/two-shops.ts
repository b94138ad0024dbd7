import { expect } from 'vitest';
import type { CollectionRow } from '../../../src/gateway/collection/collection.ts';
import type { Config } from '../../../src/gateway/config/schema.ts';
import { type Browser, createAccount, createConsoleTill } from '../../kit/console.ts';
import { withNotify } from '../../kit/receiver.ts';
import type { Till } from '../../kit/till.ts';

/** The payer of both merchants. */
export const payer = '0244123456';

/** Adds a second merchant, on the channel `hubtel`. */
function withOtherShop(config: Config): void {
  const [shop] = config.merchants;
  if (!shop) throw new Error('the configuration has no merchant');
  config.merchants.push({ ...shop, id: 'other-shop', name: 'Other Shop' });
  config.channels = config.channels.map((channel) =>
    channel.id === 'hubtel' ? { ...channel, merchant: 'other-shop' } : channel,
  );
  withNotify(config);
}

/** A gateway of two merchants with one payment of the same payer at each, and a person of the first merchant. */
export type TwoShops = { till: Till; own: CollectionRow; other: CollectionRow; browser: Browser };

export async function createTwoShops(
  overrides?: NonNullable<Parameters<typeof createConsoleTill>[0]>['overrides'],
): Promise<TwoShops> {
  const till = await createConsoleTill({
    configure: withOtherShop,
    ...(overrides && { overrides }),
  });
  await till.pay(payer);
  await till.pay(payer, ['1', '20', '1'], 'hubtel');
  const rows = await till.find(payer);
  const [own, other] = ['demo-shop', 'other-shop'].map((id) => rows.find((row) => row.merchantId === id));
  expect(rows).toHaveLength(2);
  if (!own || !other) throw new Error('each merchant has a payment');
  const person = await createAccount(till, 'esi', 'merchant', 'demo-shop');
  return { till, own, other, browser: await person.signIn() };
}
