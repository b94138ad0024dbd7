import { and, asc, desc, eq, gt, isNotNull, isNull, lt, sql } from 'drizzle-orm';
import type { EpochMs } from '../../shared/clock.ts';
import { build, prepareWrite } from '../../sqlite/statement.ts';
import type { Store, Write } from '../../sqlite/store.ts';
import { filled } from '../row-store.ts';
import { otpRequest } from '../schema.ts';
import type { Owner } from '../session/session-store.ts';

export type Otp = typeof otpRequest.$inferSelect;
export type NewOtp = Omit<Otp, 'wrongCodes' | 'verifiedAt' | 'usedAt'>;

/** For how many OTPs a number may be asked: so many since `after`, and none since `notSince`. */
export type OtpQuota = { windowStart: EpochMs; maxInWindow: number; noneSince: EpochMs };

export type OtpStore = ReturnType<typeof otpStore>;

export function otpStore({ read }: Store) {
  const { placeholder } = sql;

  const owned = and(
    eq(otpRequest.merchantId, placeholder('merchantId')),
    eq(otpRequest.livemode, placeholder('livemode')),
  );
  const ofPayer = and(owned, eq(otpRequest.payer, placeholder('payer')));
  /** Not used, and not over. */
  const open = and(
    eq(otpRequest.id, placeholder('id')),
    isNull(otpRequest.usedAt),
    gt(otpRequest.expiresAt, placeholder('now')),
  );

  const find = read
    .select()
    .from(otpRequest)
    .where(and(eq(otpRequest.id, placeholder('id')), owned))
    .prepare();
  const times = read
    .select({ at: otpRequest.createdAt })
    .from(otpRequest)
    .where(and(ofPayer, gt(otpRequest.createdAt, placeholder('after'))))
    .orderBy(desc(otpRequest.createdAt))
    .limit(placeholder('limit'))
    .prepare();
  const oldest = read
    .select({ at: otpRequest.createdAt })
    .from(otpRequest)
    .orderBy(asc(otpRequest.createdAt))
    .limit(1)
    .prepare();

  const supersede = prepareWrite<Owner & { payer: string; now: EpochMs }>(
    build
      .update(otpRequest)
      .set({ expiresAt: filled('now') })
      .where(and(ofPayer, isNull(otpRequest.verifiedAt), gt(otpRequest.expiresAt, placeholder('now')))),
  );
  const end = prepareWrite<{ id: string; now: EpochMs }>(
    build
      .update(otpRequest)
      .set({ expiresAt: sql`min(${otpRequest.expiresAt}, ${placeholder('now')})` })
      .where(eq(otpRequest.id, placeholder('id'))),
    1,
  );
  const unlocked = and(open, lt(otpRequest.wrongCodes, placeholder('limit')));
  const countWrong = prepareWrite<{ id: string; limit: number; now: EpochMs }>(
    build
      .update(otpRequest)
      .set({ wrongCodes: sql`${otpRequest.wrongCodes} + 1` })
      .where(unlocked),
    1,
  );
  const verify = prepareWrite<{ id: string; limit: number; now: EpochMs }>(
    build
      .update(otpRequest)
      .set({ verifiedAt: sql`coalesce(${otpRequest.verifiedAt}, ${placeholder('now')})` })
      .where(unlocked),
    1,
  );
  const use = prepareWrite<{ id: string; now: EpochMs }>(
    build
      .update(otpRequest)
      .set({ usedAt: filled('now') })
      .where(and(open, isNotNull(otpRequest.verifiedAt))),
    1,
  );

  return {
    find: (owner: Owner, id: string): Promise<Otp | undefined> =>
      find.get({ merchantId: owner.merchantId, livemode: owner.livemode, id }),
    /** When OTPs were requested for a number since `after`, newest first. */
    times: async (owner: Owner, payer: string, after: EpochMs, limit: number): Promise<EpochMs[]> =>
      (await times.all({ merchantId: owner.merchantId, livemode: owner.livemode, payer, after, limit })).map(
        ({ at }) => at,
      ),
    oldest: async (): Promise<EpochMs | undefined> => (await oldest.get())?.at,
    /** Inserts the row while there is a place for its number; loses when there is none. */
    insert: (row: NewOtp, places: OtpQuota): Write => {
      const ofPayer = [row.merchantId, row.livemode, row.payer];
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
          ...ofPayer,
          row.amountMinor,
          row.sender,
          row.salt,
          row.digest,
          row.createdAt,
          row.expiresAt,
          ...ofPayer,
          places.windowStart,
          places.maxInWindow,
          ...ofPayer,
          places.noneSince,
        ],
        rows: 1,
      };
    },
    /** Ends whatever requests of this number still wait for their code. */
    supersede: (owner: Owner, payer: string, now: EpochMs): Write =>
      supersede({ merchantId: owner.merchantId, livemode: owner.livemode, payer, now }),
    /** Ends one request. */
    end,
    /** Counts a wrong code; loses when there is no try left, or nothing to try. */
    countWrong,
    /** Notes that the code was right; loses like `countWrong`. */
    verify,
    /** Uses a verified request up; loses when it is used or over. */
    use,
    prune: (before: EpochMs, limit: number): Write => ({
      sql: `DELETE FROM otp_request WHERE id IN (SELECT id FROM otp_request WHERE created_at <= ?
              ORDER BY created_at LIMIT ?)`,
      args: [before, limit],
    }),
  };
}
