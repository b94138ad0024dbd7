import { sql } from 'drizzle-orm';
import type { EpochMs } from '../../shared/clock.ts';
import { build, prepareWrite, rowParameters } from '../../sqlite/statement.ts';
import type { Store, Write } from '../../sqlite/store.ts';
import { accountDayTotal, accountTotal, fact, posting } from '../database/schema.ts';
import type { ChainedFact, ChainedPosting } from './chain.ts';
import { dayMs, type TimeSpan } from './day.ts';
import type { Booking } from './posting.ts';

/** The sum and the number of the postings of an account in one mode. */
export type Balance = { account: string; livemode: number; amountMinor: number; postings: number };

/** A total that differs from its postings. `day` is null for the total of all days. */
type WrongTotal = { account: string; livemode: number; day: number | null };

type Total = typeof accountTotal.$inferSelect;
type DayTotal = typeof accountDayTotal.$inferSelect;

/** Upper bound of the wrong totals that the audit reports. */
const maxWrongTotals = 100;

const addToTotal = prepareWrite<Total>(
  build
    .insert(accountTotal)
    .values(rowParameters(accountTotal))
    .onConflictDoUpdate({
      target: [accountTotal.account, accountTotal.livemode],
      set: {
        amountMinor: sql`${accountTotal}.amount_minor + excluded.amount_minor`,
        postings: sql`${accountTotal}.postings + excluded.postings`,
      },
    }),
  1,
);

const addToDayTotal = prepareWrite<DayTotal>(
  build
    .insert(accountDayTotal)
    .values(rowParameters(accountDayTotal))
    .onConflictDoUpdate({
      target: [accountDayTotal.day, accountDayTotal.account, accountDayTotal.livemode],
      set: {
        amountMinor: sql`${accountDayTotal}.amount_minor + excluded.amount_minor`,
        postings: sql`${accountDayTotal}.postings + excluded.postings`,
      },
    }),
  1,
);

const getDay = (at: number) => Math.floor(at / dayMs);

/** Returns the writes that add postings to the totals of their accounts. They belong to the batch that seals the postings. */
export function totalWrites(postings: readonly ChainedPosting[]): Write[] {
  const totals = new Map<string, Total>();
  const dayTotals = new Map<string, DayTotal>();
  for (const { account, livemode, amountMinor, at } of postings) {
    const none = { account, livemode, amountMinor: 0, postings: 0 };
    const day = getDay(at);
    add(totals, `${livemode} ${account}`, none, amountMinor);
    add(dayTotals, `${day} ${livemode} ${account}`, { day, ...none }, amountMinor);
  }
  return [...[...totals.values()].map(addToTotal), ...[...dayTotals.values()].map(addToDayTotal)];
}

function add<Row extends Total>(totals: Map<string, Row>, key: string, none: Row, amountMinor: number): void {
  const total = totals.get(key) ?? none;
  totals.set(key, {
    ...total,
    amountMinor: total.amountMinor + amountMinor,
    postings: total.postings + 1,
  });
}

/** The last posting that the totals contain. */
const lastSealed = sql.raw(
  'coalesce((SELECT posting_seq FROM seal WHERE number = (SELECT max(number) FROM seal)), 0)',
);

/** Reads balances: the stored totals of the sealed postings, and the few postings that no block has yet. */
export function totalsStore({ read }: Store) {
  return {
    /** Returns the sum of the postings of each account, in total or within one business day. */
    async balances(day?: TimeSpan): Promise<Balance[]> {
      const totals =
        day === undefined ? sql`account_total` : sql`account_day_total WHERE day = ${getDay(day.from)}`;
      // The plus keeps SQLite from reading all postings of the day by their time.
      const isCounted = day === undefined ? sql`` : sql`AND +at >= ${day.from} AND +at < ${day.to}`;
      const rows = await read.all<[string, number, number, number]>(sql`
        SELECT account, livemode, sum(amount_minor), sum(postings) FROM (
          SELECT account, livemode, amount_minor, postings FROM ${totals}
          UNION ALL SELECT account, livemode, amount_minor, 1 FROM posting WHERE seq > ${lastSealed} ${isCounted}
        ) AS counted GROUP BY account, livemode ORDER BY livemode, account`);
      return rows.map(([account, livemode, amountMinor, postings]) => ({
        ...{ account, livemode, amountMinor, postings },
      }));
    },
    /** Returns the sum of an account's postings, in pesewas, for each business day of a span with postings. */
    async byDay(
      { account, livemode }: Pick<Balance, 'account' | 'livemode'>,
      { from, to }: TimeSpan,
    ): Promise<{ day: number; amountMinor: number }[]> {
      const rows = await read.all<[number, number]>(sql`
        SELECT day, sum(amount_minor) FROM (
          SELECT day, account, livemode, amount_minor FROM account_day_total WHERE day >= ${getDay(from)} AND day < ${getDay(to)}
          UNION ALL SELECT at / ${sql.raw(String(dayMs))}, account, livemode, amount_minor FROM posting
            WHERE seq > ${lastSealed} AND +at >= ${from} AND +at < ${to}
        ) AS counted WHERE account = ${account} AND livemode = ${livemode} GROUP BY day ORDER BY day`);
      return rows.map(([day, amountMinor]) => ({ day, amountMinor }));
    },
    /** Returns the totals that differ from the sealed postings, by summing all of them. */
    async wrongTotals(): Promise<WrongTotal[]> {
      const isWrong = sql.raw('HAVING sum(amount_minor) <> 0 OR sum(postings) <> 0');
      const negated = sql.raw('account, livemode, -amount_minor AS amount_minor, -postings AS postings');
      const ofDays = await read.all<[string, number, number]>(sql`SELECT account, livemode, day FROM (
          SELECT account, livemode, at / ${sql.raw(String(dayMs))} AS day, amount_minor, 1 AS postings
            FROM posting WHERE seq <= ${lastSealed}
          UNION ALL SELECT account, livemode, day, -amount_minor, -postings FROM account_day_total
        ) AS compared GROUP BY account, livemode, day ${isWrong} ORDER BY 1, 2, 3 LIMIT ${maxWrongTotals}`);
      const ofAll = await read.all<[string, number]>(sql`SELECT account, livemode FROM (
          SELECT account, livemode, amount_minor, postings FROM account_day_total
          UNION ALL SELECT ${negated} FROM account_total
        ) AS compared GROUP BY account, livemode ${isWrong} ORDER BY 1, 2 LIMIT ${maxWrongTotals}`);
      return [
        ...ofAll.map(([account, livemode]) => ({ account, livemode, day: null })),
        ...ofDays.map(([account, livemode, day]) => ({ account, livemode, day })),
      ];
    },
  };
}

const insertFact = prepareWrite<Omit<ChainedFact, 'seq'>>(
  build.insert(fact).values(rowParameters(fact, 'seq')),
  1,
);

const insertPosting = prepareWrite<Omit<ChainedPosting, 'seq'>>(
  build.insert(posting).values(rowParameters(posting, 'seq')),
  1,
);

/** The subject of facts and postings: a collection or an unplaced payment. */
type Subject = { id: string; merchantId: string; livemode: number };

/** Returns the write of one fact of a subject, with its version. */
export function factWrite(
  { id: subjectId, merchantId }: Omit<Subject, 'livemode'>,
  version: number,
  { kind, data }: { kind: string; data: unknown },
  at: EpochMs,
): Write {
  return insertFact({ subjectId, merchantId, version, kind, data: JSON.stringify(data), at });
}

/** Returns the writes of a subject's bookings. `version` is the one after the facts that require them. */
export function bookingWrites(
  { id: subjectId, merchantId, livemode, version }: Subject & { version: number },
  bookings: readonly Booking[],
  at: EpochMs,
): Write[] {
  return bookings.flatMap(({ kind: booking, postings }) =>
    postings.map((side) => insertPosting({ subjectId, merchantId, livemode, version, booking, ...side, at })),
  );
}
