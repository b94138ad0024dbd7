import { and, asc, desc, eq, gt, lt, sql } from 'drizzle-orm';
import type { EpochMs } from '../../shared/clock.ts';
import { build, equals, findRow, insertRow, prepareQuery, prepareWrite } from '../../sqlite/statement.ts';
import type { Store, Write } from '../../sqlite/store.ts';
import { type ApiError, apiError } from '../http/response.ts';
import { merchantTable, platformTable, senderTable } from '../schema.ts';

export type MerchantRow = typeof merchantTable.$inferSelect;
export type PlatformRow = typeof platformTable.$inferSelect;
export type SenderRow = typeof senderTable.$inferSelect;

export type MerchantStore = ReturnType<typeof merchantStore>;

const { placeholder } = sql;

const find = findRow(merchantTable, 'id');

const findPlatform = prepareQuery(
  build
    .select()
    .from(platformTable)
    .where(equals(platformTable, 'merchantId', 'id')),
);

const platforms = prepareQuery(
  build
    .select()
    .from(platformTable)
    .where(and(equals(platformTable, 'merchantId'), gt(platformTable.id, placeholder('after'))))
    .orderBy(asc(platformTable.id))
    .limit(placeholder('limit')),
);

const findSender = prepareQuery(
  build
    .select()
    .from(senderTable)
    .where(equals(senderTable, 'merchantId', 'name')),
);

const approve = prepareWrite<{ id: string; at: EpochMs }>(
  build
    .update(merchantTable)
    .set({ offlineApprovedAt: sql`coalesce(${merchantTable.offlineApprovedAt}, ${placeholder('at')})` })
    .where(equals(merchantTable, 'id')),
  1,
);

const withdraw = prepareWrite<{ id: string }>(
  build.update(merchantTable).set({ offlineApprovedAt: null }).where(equals(merchantTable, 'id')),
  1,
);

export function merchantStore(store: Store) {
  return {
    find: (id: string): Promise<MerchantRow | undefined> => find.get(store, { id }),
    /** Lists merchants, newest first, starting before `before` if it is given. */
    list: (limit: number, before?: string): Promise<MerchantRow[]> =>
      store.read
        .select()
        .from(merchantTable)
        .where(before === undefined ? undefined : lt(merchantTable.id, before))
        .orderBy(desc(merchantTable.id))
        .limit(limit),
    insert: insertRow(merchantTable),
    /** Approves a merchant for offline collections. The guard loses when the merchant does not exist. */
    approve,
    withdraw,

    findPlatform: (merchantId: string, id: string): Promise<PlatformRow | undefined> =>
      findPlatform.get(store, { merchantId, id }),
    /** A merchant's platforms, oldest first: the first is the default. `after` is the last id of the page before. */
    platforms: (merchantId: string, limit: number, after = ''): Promise<PlatformRow[]> =>
      platforms.all(store, { merchantId, limit, after }),
    insertPlatform: insertRow(platformTable),

    findSender: (merchantId: string, name: string): Promise<SenderRow | undefined> =>
      findSender.get(store, { merchantId, name }),
    /** A merchant's sender names, in alphabetical order. `after` is the last name of the page before. */
    senders: (merchantId: string, limit: number, after = ''): Promise<SenderRow[]> =>
      store.read
        .select()
        .from(senderTable)
        .where(and(eq(senderTable.merchantId, merchantId), gt(senderTable.name, after)))
        .orderBy(asc(senderTable.name))
        .limit(limit),
    approveSender: ({ merchantId, name, approvedAt }: SenderRow): Write => ({
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
): Promise<PlatformRow | ApiError> {
  if (!(await merchants.find(request.merchantId))) return apiError('merchant_not_found');
  const platform =
    request.platformId === undefined
      ? (await merchants.platforms(request.merchantId, 1))[0]
      : await merchants.findPlatform(request.merchantId, request.platformId);
  return platform ?? apiError('platform_not_found', { param: 'platform_id' });
}
