import { and, asc, eq, sql } from 'drizzle-orm';
import type { Channel } from '../../contract/session.ts';
import { build, prepareQuery } from '../../sqlite/statement.ts';
import type { Store, Write } from '../../sqlite/store.ts';
import { feeOverride } from '../schema.ts';

export type FeeOverride = typeof feeOverride.$inferSelect;

export type FeeStore = ReturnType<typeof feeStore>;

const { placeholder } = sql;

const find = prepareQuery(
  build
    .select()
    .from(feeOverride)
    .where(
      and(
        eq(feeOverride.merchantId, placeholder('merchantId')),
        eq(feeOverride.channel, placeholder('channel')),
      ),
    ),
);

export function feeStore(store: Store) {
  return {
    find: (merchantId: string, channel: Channel): Promise<FeeOverride | undefined> =>
      find.get(store, { merchantId, channel }),
    list: (merchantId: string): Promise<FeeOverride[]> =>
      store.read
        .select()
        .from(feeOverride)
        .where(eq(feeOverride.merchantId, merchantId))
        .orderBy(asc(feeOverride.channel)),
    set: ({ merchantId, channel, schedule, setAt }: FeeOverride): Write => ({
      sql: `INSERT INTO fee_override (merchant_id, channel, schedule, set_at) VALUES (?, ?, ?, ?)
            ON CONFLICT DO UPDATE SET schedule = excluded.schedule, set_at = excluded.set_at`,
      args: [merchantId, channel, schedule, setAt],
      rows: 1,
    }),
    clear: (merchantId: string, channel: Channel): Write => ({
      sql: 'DELETE FROM fee_override WHERE merchant_id = ? AND channel = ?',
      args: [merchantId, channel],
    }),
  };
}
