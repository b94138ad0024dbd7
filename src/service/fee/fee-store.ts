import { and, asc, eq, sql } from 'drizzle-orm';
import type { Channel } from '../../contract/session.ts';
import type { Store, Write } from '../../sqlite/store.ts';
import { feeOverride } from '../schema.ts';

export type FeeOverride = typeof feeOverride.$inferSelect;

export type FeeStore = ReturnType<typeof feeStore>;

export function feeStore({ read }: Store) {
  const find = read
    .select()
    .from(feeOverride)
    .where(
      and(
        eq(feeOverride.merchantId, sql.placeholder('merchantId')),
        eq(feeOverride.channel, sql.placeholder('channel')),
      ),
    )
    .prepare();

  return {
    find: (merchantId: string, channel: Channel): Promise<FeeOverride | undefined> =>
      find.get({ merchantId, channel }),
    list: (merchantId: string): Promise<FeeOverride[]> =>
      read
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
