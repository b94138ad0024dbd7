import { and, asc, desc, eq, gt, lt, sql } from 'drizzle-orm';
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
    .where(and(eq(platform.merchantId, placeholder('merchantId')), gt(platform.id, placeholder('after'))))
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
    /** Lists merchants, newest first, starting before `before` if it is given. */
    list: (limit: number, before?: string): Promise<Merchant[]> =>
      store.read
        .select()
        .from(merchant)
        .where(before === undefined ? undefined : lt(merchant.id, before))
        .orderBy(desc(merchant.id))
        .limit(limit),
    insert: (row: Merchant): Write => insertMerchant(row),
    /** Approves a merchant for offline collections. The guard loses when the merchant does not exist. */
    approve: (id: string, at: EpochMs): Write => approve({ id, at }),
    withdraw: (id: string): Write => withdraw({ id }),

    findPlatform: (merchantId: string, id: string): Promise<Platform | undefined> =>
      findPlatform.get(store, { merchantId, id }),
    /** A merchant's platforms, oldest first: the first is the default. `after` is the last id of the page before. */
    platforms: (merchantId: string, limit: number, after = ''): Promise<Platform[]> =>
      platforms.all(store, { merchantId, limit, after }),
    insertPlatform: (row: Platform): Write => insertPlatform(row),

    findSender: (merchantId: string, name: string): Promise<Sender | undefined> =>
      findSender.get(store, { merchantId, name }),
    /** A merchant's sender names, in alphabetical order. `after` is the last name of the page before. */
    senders: (merchantId: string, limit: number, after = ''): Promise<Sender[]> =>
      store.read
        .select()
        .from(sender)
        .where(and(eq(sender.merchantId, merchantId), gt(sender.name, after)))
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
