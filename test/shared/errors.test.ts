import { join } from 'node:path';
import { expect, test } from 'vitest';
import { collectionStore } from '../../src/gateway/collection/store/collection-store.ts';
import { messageOf } from '../../src/shared/errors.ts';
import { parseMsisdn } from '../../src/shared/msisdn.ts';
import { createSqliteStore } from '../../src/sqlite/sqlite.ts';
import { testClock } from '../kit/clock.ts';
import { temporaryFolder } from '../kit/folder.ts';

test('the message of a failed query contains its cause and none of its parameters', async () => {
  const store = createSqliteStore({
    file: join(temporaryFolder(), 'ledger.db'),
    schema: 'gateway',
    clock: testClock(),
  });
  const collections = collectionStore(store);
  await store.close();
  const payer = parseMsisdn('0244123456');
  if (!payer) throw new Error('expected a phone number');
  const text = await collections
    .findOpen({ merchantId: 'demo-shop', livemode: 0, payer, dialler: payer })
    .then(
      () => 'no error',
      (error) => messageOf(error),
    );
  expect(text).toMatch(/^a query failed: .*not open/);
  expect(text).not.toContain('244123456');
});
