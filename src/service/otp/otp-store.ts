import { and, asc, desc, gt, isNotNull, isNull, lt, sql } from 'drizzle-orm';
import type { EpochMs } from '../../shared/clock.ts';
import { build, equals, parameter, prepareQuery, prepareWrite } from '../../sqlite/statement.ts';
import type { Store, Write } from '../../sqlite/store.ts';
import { otpRequestTable } from '../schema.ts';
import type { SessionOwner } from '../session/session-store.ts';

export type Otp = typeof otpRequestTable.$inferSelect;
export type NewOtp = Omit<Otp, 'wrongCodes' | 'verifiedAt' | 'usedAt'>;

/** The quota of one number: at most `maxInWindow` requests after `windowStart`, and none after `noneSince`. */
export type OtpQuota = { windowStart: EpochMs; maxInWindow: number; noneSince: EpochMs };

export type OtpStore = ReturnType<typeof otpStore>;

const { placeholder } = sql;

const owned = equals(otpRequestTable, 'merchantId', 'livemode');

const ofPayer = and(owned, equals(otpRequestTable, 'payer'));

/** Not used and not expired. */
const open = and(
  equals(otpRequestTable, 'id'),
  isNull(otpRequestTable.usedAt),
  gt(otpRequestTable.expiresAt, placeholder('now')),
);

const find = prepareQuery(
  build
    .select()
    .from(otpRequestTable)
    .where(and(equals(otpRequestTable, 'id'), owned)),
);

const times = prepareQuery(
  build
    .select({ at: otpRequestTable.createdAt })
    .from(otpRequestTable)
    .where(and(ofPayer, gt(otpRequestTable.createdAt, placeholder('after'))))
    .orderBy(desc(otpRequestTable.createdAt))
    .limit(placeholder('limit')),
);

const oldest = prepareQuery(
  build
    .select({ at: otpRequestTable.createdAt })
    .from(otpRequestTable)
    .orderBy(asc(otpRequestTable.createdAt))
    .limit(1),
);

const supersede = prepareWrite<SessionOwner & { payer: string; now: EpochMs }>(
  build
    .update(otpRequestTable)
    .set({ expiresAt: parameter('now') })
    .where(
      and(ofPayer, isNull(otpRequestTable.verifiedAt), gt(otpRequestTable.expiresAt, placeholder('now'))),
    ),
);

const expire = prepareWrite<{ id: string; now: EpochMs }>(
  build
    .update(otpRequestTable)
    .set({ expiresAt: sql`min(${otpRequestTable.expiresAt}, ${placeholder('now')})` })
    .where(equals(otpRequestTable, 'id')),
  1,
);

const unlocked = and(open, lt(otpRequestTable.wrongCodes, placeholder('limit')));

const countWrong = prepareWrite<{ id: string; limit: number; now: EpochMs }>(
  build
    .update(otpRequestTable)
    .set({ wrongCodes: sql`${otpRequestTable.wrongCodes} + 1` })
    .where(unlocked),
  1,
);

const verify = prepareWrite<{ id: string; limit: number; now: EpochMs }>(
  build
    .update(otpRequestTable)
    .set({ verifiedAt: sql`coalesce(${otpRequestTable.verifiedAt}, ${placeholder('now')})` })
    .where(unlocked),
  1,
);

const use = prepareWrite<{ id: string; now: EpochMs }>(
  build
    .update(otpRequestTable)
    .set({ usedAt: parameter('now') })
    .where(and(open, isNotNull(otpRequestTable.verifiedAt))),
  1,
);

export function otpStore(store: Store) {
  return {
    find: (owner: SessionOwner, id: string): Promise<Otp | undefined> =>
      find.get(store, { merchantId: owner.merchantId, livemode: owner.livemode, id }),
    /** The times of the requests for a number after `after`, newest first. */
    times: async (owner: SessionOwner, payer: string, after: EpochMs, limit: number): Promise<EpochMs[]> =>
      (
        await times.all(store, {
          merchantId: owner.merchantId,
          livemode: owner.livemode,
          payer,
          after,
          limit,
        })
      ).map(({ at }) => at),
    oldest: async (): Promise<EpochMs | undefined> => (await oldest.get(store))?.at,
    /** Inserts a request. The guard loses when the quota of its number is used up. */
    insert: (row: NewOtp, quota: OtpQuota): Write => {
      const payerKey = [row.merchantId, row.livemode, row.payer];
      return {
        sql: `INSERT INTO otp_request (id, merchant_id, livemode, payer, amount_minor, sender, salt, digest,
                wrong_codes, created_at, expires_at, verified_at, used_at)
              SELECT ?, ?, ?, ?, ?, ?, ?, ?, 0, ?, ?, NULL, NULL
              WHERE (SELECT count(*) FROM otp_request
                     WHERE merchant_id = ? AND livemode = ? AND payer = ? AND created_at > ?) < ?
                AND NOT EXISTS (SELECT 1 FROM otp_request
                                WHERE merchant_id = ? AND livemode = ? AND payer = ? AND created_at > ?)`,
        args: [
          row.id,
          ...payerKey,
          row.amountMinor,
          row.sender,
          row.salt,
          row.digest,
          row.createdAt,
          row.expiresAt,
          ...payerKey,
          quota.windowStart,
          quota.maxInWindow,
          ...payerKey,
          quota.noneSince,
        ],
        rows: 1,
      };
    },
    /** Expires the requests of a number that are not verified. */
    supersede: (owner: SessionOwner, payer: string, now: EpochMs): Write =>
      supersede({ merchantId: owner.merchantId, livemode: owner.livemode, payer, now }),
    expire,
    /** Counts a wrong code. The guard loses when the request is locked, used or expired. */
    countWrong,
    /** Marks a request as verified. The guard loses as in `countWrong`. */
    verify,
    /** Marks a verified request as used. The guard loses when it is used or expired. */
    use,
    prune: (before: EpochMs, limit: number): Write => ({
      sql: `DELETE FROM otp_request WHERE id IN (SELECT id FROM otp_request WHERE created_at <= ?
              ORDER BY created_at LIMIT ?)`,
      args: [before, limit],
    }),
  };
}
