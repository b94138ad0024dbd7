import { and, asc, eq, gte, inArray, lte, max, sql } from 'drizzle-orm';
import type { DayTotals } from '../../contract/staff/staff.ts';
import type { EpochMs } from '../../shared/clock.ts';
import { equals, prepareWrite, toWrite } from '../../sqlite/statement.ts';
import type { Store, Write } from '../../sqlite/store.ts';
import { serviceStatement, staffAction } from '../database/schema.ts';
import type { MerchantDay } from '../service-statement/statement-store.ts';

/** A person's statement that the books of a merchant agree with the totals of a day. */
export type DayClose = {
  /** The number of its row in the audit. */
  seq: number;
  date: string;
  merchantId: string;
  actor: string;
  at: EpochMs;
  totals: DayTotals;
  /** The digest of the statement of the service with which it was closed; null without one. */
  digest: string | null;
};

const totalOf = (name: keyof DayTotals) =>
  sql<number>`CAST(${staffAction.detail} ->> ${sql.raw(`'$.${name}'`)} AS BIGINT)`;

const totals = {
  ...{ opened: totalOf('opened'), paid: totalOf('paid'), notPaid: totalOf('notPaid') },
  ...{ chargedMinor: totalOf('chargedMinor'), feeMinor: totalOf('feeMinor'), netMinor: totalOf('netMinor') },
};

/** Returns the last close of each merchant and day, dates included. Closes are actions: none can be removed without a trace. */
export async function listDayCloses(
  { read }: Store,
  livemode: number,
  first: string,
  last = first,
): Promise<DayClose[]> {
  const isClose = and(
    gte(staffAction.subjectId, first),
    lte(staffAction.subjectId, last),
    eq(staffAction.subjectKind, 'day'),
    eq(staffAction.action, 'close_day'),
    eq(staffAction.result, 'done'),
    eq(staffAction.livemode, livemode),
  );
  const lastOfEach = read
    .select({ seq: max(staffAction.seq) })
    .from(staffAction)
    .where(isClose)
    .groupBy(staffAction.subjectId, staffAction.merchantId);
  // Without the explanations, which can be long.
  const rows = await read
    .select({
      ...{
        seq: staffAction.seq,
        date: staffAction.subjectId,
        merchantId: sql<string>`${staffAction.merchantId}`,
      },
      ...{ actor: staffAction.actor, at: staffAction.at, ...totals },
      digest: sql<string | null>`${staffAction.detail} ->> '$.statement.digest'`,
    })
    .from(staffAction)
    .where(inArray(staffAction.seq, lastOfEach))
    .orderBy(asc(staffAction.seq));
  return rows.map(({ seq, date, merchantId, actor, at, digest, ...sums }) => {
    return { seq, date, merchantId, actor, at, totals: sums, digest };
  });
}

/** What a close was decided on: the digest of the statement, null without one, and the last close before it. */
type CloseBasis = MerchantDay & { digest: string | null; lastSeq: number };

const { placeholder } = sql;

const digestNow = sql`SELECT ${serviceStatement.digest} FROM ${serviceStatement}
  WHERE ${equals(serviceStatement, 'merchantId', 'livemode', 'date')}`;

const isClosedSince = sql`EXISTS (SELECT 1 FROM ${staffAction} WHERE ${staffAction.subjectId} = ${placeholder('date')}
  AND ${staffAction.seq} > ${placeholder('lastSeq')} AND ${staffAction.subjectKind} = 'day'
  AND ${staffAction.action} = 'close_day' AND ${staffAction.result} = 'done'
  AND ${staffAction.merchantId} = ${placeholder('merchantId')} AND ${staffAction.livemode} = ${placeholder('livemode')})`;

/** Inserts no row as long as nothing has changed. A row of no day, because one that exists would not be inserted. */
const insertWhenChanged = prepareWrite<MerchantDay & { digest: string; lastSeq: number }>(
  toWrite(sql`INSERT INTO ${serviceStatement} (merchant_id, livemode, date, digest, lines, imported_by, imported_at)
    SELECT '', 0, '', '', '', '', 0 WHERE coalesce((${digestNow}), '') <> ${placeholder('digest')} OR ${isClosedSince}`),
  0,
);

/** Returns the write with which a batch loses when the day has another statement, or was closed, meanwhile. */
export function closeGuardWrite({ digest, ...basis }: CloseBasis): Write {
  return insertWhenChanged({ ...basis, digest: digest ?? '' });
}
