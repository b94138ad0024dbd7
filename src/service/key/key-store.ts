import { and, desc, eq, isNull, lt, sql } from 'drizzle-orm';
import type { EpochMs } from '../../shared/clock.ts';
import {
  build,
  equals,
  findRow,
  insertRow,
  parameter,
  prepareQuery,
  prepareWrite,
} from '../../sqlite/statement.ts';
import type { Store } from '../../sqlite/store.ts';
import { apiKey, merchantTable } from '../schema.ts';

export type ApiKey = typeof apiKey.$inferSelect;

/** A key that is not revoked, with the rights of its merchant. */
export type UsableKey = Pick<
  ApiKey,
  'merchantId' | 'platformId' | 'livemode' | 'digest' | 'scopes' | 'expiresAt' | 'lastUsedAt'
> & { keyId: string; merchantName: string; offlineApprovedAt: EpochMs | null };

const find = findRow(apiKey, 'id');

const findUsable = prepareQuery(
  build
    .select({
      keyId: apiKey.id,
      merchantId: apiKey.merchantId,
      platformId: apiKey.platformId,
      livemode: apiKey.livemode,
      digest: apiKey.digest,
      scopes: apiKey.scopes,
      expiresAt: apiKey.expiresAt,
      lastUsedAt: apiKey.lastUsedAt,
      merchantName: merchantTable.name,
      offlineApprovedAt: merchantTable.offlineApprovedAt,
    })
    .from(apiKey)
    .innerJoin(merchantTable, eq(merchantTable.id, apiKey.merchantId))
    .where(and(equals(apiKey, 'handle'), isNull(apiKey.revokedAt))),
);

// Literals, as in the partial index.
const hasLive = prepareQuery(
  build
    .select({ found: sql<number>`EXISTS (SELECT 1 FROM ${apiKey} WHERE ${apiKey.livemode} = 1)` })
    .from(sql`(SELECT 1) AS one`),
);

const revoke = prepareWrite<{ id: string; at: EpochMs }>(
  build
    .update(apiKey)
    .set({ revokedAt: sql`coalesce(${apiKey.revokedAt}, ${parameter('at')})` })
    .where(equals(apiKey, 'id')),
  1,
);

const expire = prepareWrite<{ id: string; at: EpochMs }>(
  build
    .update(apiKey)
    .set({ expiresAt: sql`min(coalesce(${apiKey.expiresAt}, ${parameter('at')}), ${parameter('at')})` })
    .where(and(equals(apiKey, 'id'), isNull(apiKey.revokedAt))),
  1,
);

const recordUse = prepareWrite<{ id: string; at: EpochMs }>(
  build
    .update(apiKey)
    .set({ lastUsedAt: parameter('at') })
    .where(equals(apiKey, 'id')),
);

/** Secret keys, of which only digests are stored. */
export function keyStore(store: Store) {
  return {
    find: (id: string): Promise<ApiKey | undefined> => find.get(store, { id }),
    /** The keys with this handle that are not revoked, with their merchants. Some may have expired. */
    findUsable: (handle: string): Promise<UsableKey[]> => findUsable.all(store, { handle }),
    /** True when a live key was ever created, also if it is revoked or expired by now. */
    hasLive: async (): Promise<boolean> => (await hasLive.get(store))?.found === 1,
    /** Lists a merchant's keys, newest first, starting before `before` if it is given. */
    list: (merchantId: string, limit: number, before?: string): Promise<ApiKey[]> =>
      store.read
        .select()
        .from(apiKey)
        .where(
          and(eq(apiKey.merchantId, merchantId), before === undefined ? undefined : lt(apiKey.id, before)),
        )
        .orderBy(desc(apiKey.id))
        .limit(limit),
    insert: insertRow(apiKey),
    /** Revokes a key. A key that is revoked already keeps its time. The guard loses when the key does not exist. */
    revoke,
    /** Expires a key at `at`, or at its present expiry if that is earlier. The guard loses when the key is revoked. */
    expire,
    recordUse,
  };
}
