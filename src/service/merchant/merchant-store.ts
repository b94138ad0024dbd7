import { and, asc, eq, gt, sql } from 'drizzle-orm';
import type { EpochMs } from '../../shared/clock.ts';
import { build, insertRow, prepareQuery, prepareWrite } from '../../sqlite/statement.ts';
import type { Store, Write } from '../../sqlite/store.ts';
import { type ApiError, apiError } from '../api-error.ts';
import { merchant, platform, sender } from '../schema.ts';

export type Merchant = typeof merchant.$inferSelect;
export type Platform = typeof platform.$inferSelect;
export type Sender = typeof sender.$inferSelect;

export type MerchantStore = ReturnType<typeof merchantStore>;

const { placeholder } = sql;

const find = prepareQuery(
  build
    .select()
    .from(merchant)
    .where(eq(merchant.id, placeholder('id'))),
);

const findPlatform = prepareQuery(
  build
    .select()
    .from(platform)
    .where(and(eq(platform.merchantId, placeholder('merchantId')), eq(platform.id, placeholder('id')))),
);

const platforms = prepareQuery(
  build
    .select()
    .from(platform)
    .where(eq(platform.merchantId, placeholder('merchantId')))
    .orderBy(asc(platform.id))
    .limit(placeholder('limit')),
);

const findSender = prepareQuery(
  build
    .select()
    .from(sender)
    .where(and(eq(sender.merchantId, placeholder('merchantId')), eq(sender.name, placeholder('name')))),
);

const insertMerchant = insertRow(merchant);

const insertPlatform = insertRow(platform);

const approve = prepareWrite<{ id: string; at: EpochMs }>(
  build
    .update(merchant)
    .set({ offlineApprovedAt: sql`coalesce(${merchant.offlineApprovedAt}, ${placeholder('at')})` })
    .where(eq(merchant.id, placeholder('id'))),
  1,
);

const withdraw = prepareWrite<{ id: string }>(
  build
    .update(merchant)
    .set({ offlineApprovedAt: null })
    .where(eq(merchant.id, placeholder('id'))),
  1,
);

/** Merchants, their platforms and their approved SMS senders. */
export function merchantStore(store: Store) {
  return {
    find: (id: string): Promise<Merchant | undefined> => find.get(store, { id }),
    /** Merchants in the order of their identifiers. `after` is the last identifier of the page before. */
    list: (limit: number, after: string | undefined): Promise<Merchant[]> =>
      store.read
        .select()
        .from(merchant)
        .where(after === undefined ? undefined : gt(merchant.id, after))
        .orderBy(asc(merchant.id))
        .limit(limit),
    insert: (row: Merchant): Write => insertMerchant(row),
    /** Approves a merchant for offline collections. The guard loses when the merchant does not exist. */
    approve: (id: string, at: EpochMs): Write => approve({ id, at }),
    withdraw: (id: string): Write => withdraw({ id }),

    findPlatform: (merchantId: string, id: string): Promise<Platform | undefined> =>
      findPlatform.get(store, { merchantId, id }),
    /** A merchant's platforms, oldest first. */
    platforms: (merchantId: string, limit: number): Promise<Platform[]> =>
      platforms.all(store, { merchantId, limit }),
    insertPlatform: (row: Platform): Write => insertPlatform(row),

    findSender: (merchantId: string, name: string): Promise<Sender | undefined> =>
      findSender.get(store, { merchantId, name }),
    senders: (merchantId: string, limit: number): Promise<Sender[]> =>
      store.read
        .select()
        .from(sender)
        .where(eq(sender.merchantId, merchantId))
        .orderBy(asc(sender.name))
        .limit(limit),
    approveSender: ({ merchantId, name, approvedAt }: Sender): Write => ({
      sql: 'INSERT INTO sender (merchant_id, name, approved_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING',
      args: [merchantId, name, approvedAt],
    }),
    removeSender: (merchantId: string, name: string): Write => ({
      sql: 'DELETE FROM sender WHERE merchant_id = ? AND name = ?',
      args: [merchantId, name],
    }),
  };
}

/** Finds the platform of an admin call: the one that it names, otherwise the merchant's first. */
export async function resolvePlatform(
  merchants: MerchantStore,
  request: { merchantId: string; platformId?: string | undefined },
): Promise<(Platform & { kind: 'platform' }) | ApiError> {
  if (!(await merchants.find(request.merchantId))) return apiError('merchant_not_found');
  const platform =
    request.platformId === undefined
      ? (await merchants.platforms(request.merchantId, 1))[0]
      : await merchants.findPlatform(request.merchantId, request.platformId);
  return platform
    ? { kind: 'platform', ...platform }
    : apiError('platform_not_found', { param: 'platform_id' });
}
