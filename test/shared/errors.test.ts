import { DrizzleQueryError } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { collectionStore } from '../../src/gateway/collection/store/collection-store.ts';
import { errorMessage } from '../../src/shared/errors.ts';
import { openOwnStore } from '../kit/migrated.ts';
import { msisdnOf } from '../kit/msisdn.ts';

test('the message of a failed prepared query is that of the database, without parameters', async () => {
  const { store } = openOwnStore();
  const collections = collectionStore(store);
  await store.close();
  const payer = msisdnOf('0244123456');
  const text = await collections
    .findOpen({ merchantId: 'demo-shop', livemode: 0, payer, dialler: payer })
    .then(
      () => 'no error',
      (error) => errorMessage(error),
    );
  expect(text).toMatch(/not open/);
  expect(text).not.toContain('244123456');
});

test('the message of a query that failed in Drizzle contains its cause and none of its parameters', () => {
  const failed = new DrizzleQueryError('select ?', ['233244123456'], new Error('disk I/O error'));
  expect(failed.message).toContain('244123456');
  expect(errorMessage(failed)).toBe('a query failed: disk I/O error');
});
