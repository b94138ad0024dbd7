import { merchantScopes } from '../../src/contract/merchant/merchant-api.ts';
import { digestOfKey, merchantKeyWrites } from '../../src/gateway/staff/merchant-key-store.ts';
import { systemClock } from '../../src/shared/clock.ts';
import { createSqliteStore } from '../../src/sqlite/sqlite.ts';
import { seedMerchant } from '../collection/tills.ts';

/** Adds a key with all scopes of the merchant of the seeded ledger to a ledger without a gateway. Returns the key. */
export async function insertKey(file: string): Promise<string> {
  const clock = systemClock();
  const store = createSqliteStore({ file, schema: 'gateway', clock });
  const key = `dk_test_${'b'.repeat(43)}`;
  const row = { id: 'mk_bench', merchantId: seedMerchant, livemode: 0, digest: digestOfKey(key) };
  const times = { createdAt: clock.now(), lastUsedAt: null, revokedAt: null };
  await store.apply([merchantKeyWrites.insert({ ...row, ...times, scopes: merchantScopes.join(' ') }, 1)]);
  await store.close();
  return key;
}
