import { createHash } from 'node:crypto';
import { and, asc, isNull, sql } from 'drizzle-orm';
import type { MerchantScope } from '../../contract/merchant/merchant-api.ts';
import type { EpochMs } from '../../shared/clock.ts';
import { build, equals, insertRowIf, parameter, prepareQuery, prepareWrite } from '../../sqlite/statement.ts';
import type { Store, Write } from '../../sqlite/store.ts';
import { merchantKey } from '../database/schema.ts';

export type MerchantKey = typeof merchantKey.$inferSelect;

export type MerchantKeyStore = ReturnType<typeof merchantKeyStore>;

const { placeholder } = sql;

const byDigest = prepareQuery(build.select().from(merchantKey).where(equals(merchantKey, 'digest')));
const byId = prepareQuery(build.select().from(merchantKey).where(equals(merchantKey, 'id')));
const list = prepareQuery(
  build
    .select()
    .from(merchantKey)
    .where(equals(merchantKey, 'livemode'))
    .orderBy(asc(merchantKey.merchantId), asc(merchantKey.id)),
);

const isActive = and(equals(merchantKey, 'id'), isNull(merchantKey.revokedAt));

const revoke = prepareWrite<{ id: string; now: EpochMs }>(
  build
    .update(merchantKey)
    .set({ revokedAt: parameter('now') })
    .where(isActive),
  1,
);
const touch = prepareWrite<{ id: string; now: EpochMs }>(
  build
    .update(merchantKey)
    .set({ lastUsedAt: parameter('now') })
    .where(isActive),
);

/** Returns what the database has of a key. A key has 256 random bits, so a plain digest is enough. */
export function digestOfKey(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}

/** Returns the scopes of a key. */
export function listScopes({ scopes }: Pick<MerchantKey, 'scopes'>): MerchantScope[] {
  return scopes.split(' ') as MerchantScope[];
}

/** Returns whether a key has the scope. */
export function hasScope({ scopes }: Pick<MerchantKey, 'scopes'>, scope: MerchantScope): boolean {
  return scopes.split(' ').includes(scope);
}

/** Reads and writes the keys of merchants' own systems. */
export function merchantKeyStore(store: Store) {
  return {
    findByDigest: (digest: string): Promise<MerchantKey | undefined> => byDigest.get(store, { digest }),
    find: (id: string): Promise<MerchantKey | undefined> => byId.get(store, { id }),
    /** Returns the keys of all merchants, revoked ones included. */
    list: (livemode: 0 | 1): Promise<MerchantKey[]> => list.all(store, { livemode }),
    apply: store.apply,
  };
}

/** Loses when the merchant has as many keys that are not revoked. */
const insert = insertRowIf<typeof merchantKey, { max: number }>(
  merchantKey,
  sql`(SELECT count(*) FROM ${merchantKey} WHERE ${and(
    equals(merchantKey, 'merchantId', 'livemode'),
    isNull(merchantKey.revokedAt),
  )}) < ${placeholder('max')}`,
);

export const merchantKeyWrites = {
  insert: (row: MerchantKey, max: number): Write => ({
    ...insert({ ...row, max }),
    locks: [`keys of ${row.merchantId}`],
  }),
  revoke,
  touch,
};
