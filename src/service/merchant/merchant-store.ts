import { and, asc, desc, eq, gt, isNull, sql } from 'drizzle-orm';
import { build, prepareWrite } from '../../db/statement.ts';
import type { Store, Write } from '../../db/store.ts';
import type { EpochMs } from '../../shared/clock.ts';
import { filled, insertRow } from '../row-store.ts';
import { apiKey, merchant } from '../schema.ts';

export type Merchant = typeof merchant.$inferSelect;
export type ApiKey = typeof apiKey.$inferSelect;

export type MerchantStore = ReturnType<typeof merchantStore>;

/** Merchants and their keys. */
export function merchantStore({ read }: Store) {
  const { placeholder } = sql;

  const find = read
    .select()
    .from(merchant)
    .where(eq(merchant.id, placeholder('id')))
    .prepare();
  const byHandle = read
    .select({ key: apiKey, merchant })
    .from(apiKey)
    .innerJoin(merchant, eq(merchant.id, apiKey.merchantId))
    .where(and(eq(apiKey.handle, placeholder('handle')), isNull(apiKey.revokedAt)))
    .prepare();

  const insertMerchant = insertRow(merchant);
  const insertKey = insertRow(apiKey);
  const approve = prepareWrite<{ id: string; at: EpochMs }>(
    build
      .update(merchant)
      .set({ offlineApprovedAt: sql`coalesce(${merchant.offlineApprovedAt}, ${placeholder('at')})` })
      .where(eq(merchant.id, placeholder('id'))),
    1,
  );
  const revoke = prepareWrite<{ id: string; at: EpochMs }>(
    build
      .update(apiKey)
      .set({ revokedAt: sql`coalesce(${apiKey.revokedAt}, ${filled('at')})` })
      .where(eq(apiKey.id, placeholder('id'))),
    1,
  );

  return {
    find: (id: string): Promise<Merchant | undefined> => find.get({ id }),
    /** Merchants in the order of their identifiers, those after `after` if it is given. */
    list: (limit: number, after: string | undefined): Promise<Merchant[]> =>
      read
        .select()
        .from(merchant)
        .where(after === undefined ? undefined : gt(merchant.id, after))
        .orderBy(asc(merchant.id))
        .limit(limit),
    insert: (row: Merchant): Write => insertMerchant(row),
    /** Touches one row, or loses when there is no such merchant. */
    approve: (id: string, at: EpochMs): Write => approve({ id, at }),

    /** The keys in use whose digest starts so, with their merchants. */
    keysByHandle: (handle: string): Promise<{ key: ApiKey; merchant: Merchant }[]> =>
      byHandle.all({ handle }),
    /** Newest first. */
    listKeys: (merchantId: string, limit: number): Promise<ApiKey[]> =>
      read
        .select()
        .from(apiKey)
        .where(eq(apiKey.merchantId, merchantId))
        .orderBy(desc(apiKey.createdAt), desc(apiKey.id))
        .limit(limit),
    insertKey: (row: ApiKey): Write => insertKey(row),
    revokeKey: (id: string, at: EpochMs): Write => revoke({ id, at }),
  };
}
