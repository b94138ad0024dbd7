import { and, gte, isNotNull, lt, type SQL, sql } from 'drizzle-orm';
import type { DayStatementView } from '../../contract/staff/statement.ts';
import type { EpochMs } from '../../shared/clock.ts';
import { maskedForm, maskNumbers } from '../../shared/msisdn.ts';
import type { Store } from '../../sqlite/store.ts';
import { maskStoredAnswers } from '../collection/answers.ts';
import { byMerchant, type DaySums, sumDay, sumDayOfMerchants } from '../collection/store/sums-query.ts';
import { collection, hasJob, openStatusesText } from '../database/schema.ts';
import { dayMs, showDay, type TimeSpan } from '../ledger/day.ts';
import { totalsStore } from '../ledger/entry-store.ts';
import { readComparison } from '../service-statement/comparison-query.ts';
import { listWithStatement } from '../service-statement/statement-store.ts';
import { type DayClose, listDayCloses } from '../staff/day-close-query.ts';
import { viewComparison } from '../staff/operations/statements.ts';
import { readBookings } from '../support/export/export-query.ts';
import { type ExportRow, exportLine } from '../support/export/lines.ts';
import { allMerchants, type PageRequest, type Scope, type UnknownCursor } from '../support/page.ts';
import { type ExportNumbers, type ExportPart, filePart, type PartRequest } from './parts/export-stream.ts';

export type DayRow = {
  date: string;
  /** Merchants with payments, and those of them whose day was closed. */
  merchants: number;
  closed: number;
  open: number;
  toDecide: number;
  /** The amount that the ledger received on the day, in pesewas: from payers, or for the merchant of the scope. */
  receivedMinor: number;
};

export type DaysRequest = { livemode: 0 | 1; now: EpochMs; merchantIds: readonly string[] };

/** The days of the list, with today. */
export const listedDays = 14;

/** The merchants of one day. */
const maxMerchants = 200;

/** Lists the last days, newest first. `merchantIds`: those of the configuration. */
async function readDays(
  store: Store,
  scope: Scope,
  { livemode, now, merchantIds: all }: DaysRequest,
): Promise<DayRow[]> {
  const merchantIds = scope.merchantId === null ? all : [scope.merchantId];
  const today = Math.floor(now / dayMs);
  const first = today - listedDays + 1;
  const span = { from: first * dayMs, to: (today + 1) * dayMs };
  const closes = await listDayCloses(store, livemode, showDay(first), showDay(today));
  const open = await countByDay(
    store,
    span,
    and(sql`${hasJob} AND ${collection.status} IN ${openStatusesText}`, ofScope(scope)),
  );
  const toDecide = await countByDay(store, span, and(isNotNull(collection.review), ofScope(scope)));
  const account = scope.merchantId === null ? 'payers' : `merchant:${scope.merchantId}`;
  const sums = await totalsStore(store).byDay({ account, livemode }, span);
  // Money of payers leaves their account.
  const received = new Map(sums.map(({ day, amountMinor }) => [day, Math.abs(amountMinor)]));
  const rows: DayRow[] = [];
  for (let day = today; day >= first; day--) {
    const date = showDay(day);
    const active = await activeMerchants(store, livemode, merchantIds, {
      from: day * dayMs,
      to: (day + 1) * dayMs,
    });
    const closed = closes.filter((one) => one.date === date && active.includes(one.merchantId)).length;
    const counts = { open: open.get(day) ?? 0, toDecide: toDecide.get(day) ?? 0 };
    const receivedMinor = received.get(day) ?? 0;
    rows.push({ date, merchants: active.length, closed, receivedMinor, ...counts });
  }
  return rows;
}

/** Counts the merchants and days that are over and not closed, since the first day of the list that was closed. */
async function countUnclosedDays(
  store: Store,
  request: DaysRequest,
): Promise<{ count: number; oldestAt: EpochMs | null } | null> {
  const { livemode, now } = request;
  const today = Math.floor(now / dayMs);
  const closes = await listDayCloses(store, livemode, showDay(today - listedDays + 1), showDay(today));
  // Where no one closes days, an open day is no work.
  const [firstClosed] = closes.map(({ date }) => date).toSorted();
  if (firstClosed === undefined) return null;
  const rows = await readDays(store, allMerchants, request);
  const missing = rows.filter(
    ({ date, merchants, closed }) => date >= firstClosed && date < showDay(today) && closed < merchants,
  );
  const oldest = missing.at(-1);
  return {
    count: missing.length,
    oldestAt: oldest === undefined ? null : Date.parse(`${oldest.date}T00:00:00.000Z`) + dayMs,
  };
}

/** Returns the merchants that have a payment in a span. Each one is a step in an index. */
async function activeMerchants(
  { read }: Store,
  livemode: number,
  merchantIds: readonly string[],
  { from, to }: TimeSpan,
): Promise<string[]> {
  const rows = await read.all<[string]>(sql`SELECT value FROM json_each(${JSON.stringify(merchantIds)})
    WHERE EXISTS (SELECT 1 FROM collection WHERE merchant_id = value AND livemode = ${livemode}
      AND opened_at >= ${from} AND opened_at < ${to})`);
  return rows.map(([id]) => id);
}

/** Selects the payments of a scope among those that wait. The index of the merchant would lead to all its payments. */
function ofScope({ merchantId }: Scope): SQL | undefined {
  return merchantId === null ? undefined : sql`${byMerchant} = ${merchantId}`;
}

/** Counts the payments of each day, in an index of those that wait. */
async function countByDay(
  { read }: Store,
  { from, to }: TimeSpan,
  condition: SQL | undefined,
): Promise<Map<number, number>> {
  const day = sql<number>`${collection.openedAt} / ${sql.raw(String(dayMs))}`;
  // A plus keeps SQLite from reading all payments of the days.
  const openedAt = sql`+${collection.openedAt}`;
  const rows = await read
    .select({ day, count: sql<number>`count(*)` })
    .from(collection)
    .where(and(condition, gte(openedAt, from), lt(openedAt, to)))
    .groupBy(day);
  return new Map(rows.map((row) => [row.day, row.count]));
}

export type MerchantSums = DaySums & { merchantId: string };

/** One day: the totals by merchant, the closes, the books beside the statements, and the days before it. */
export type Day = {
  sums: MerchantSums[];
  isCut: boolean;
  closes: DayClose[];
  /** Empty for people of a merchant. */
  statements: DayStatementView[];
  /** What the suspense account received on the day; null for people of a merchant. */
  suspendedMinor: number | null;
  /** The last days up to this one, newest first. */
  days: DayRow[];
};

/** Differences of one merchant on the page. The command lists more. */
const maxDifferences = 50;

const noSums: DaySums = {
  ...{ opened: 0, open: 0, paid: 0, notPaid: 0, review: 0, toDecide: 0 },
  ...{ chargedMinor: 0, feeMinor: 0, netMinor: 0 },
};

async function readDayTotals(
  store: Store,
  scope: Scope,
  { livemode, merchantIds }: DaysRequest,
  date: string,
  span: TimeSpan,
): Promise<Day> {
  const all = await listDayCloses(store, livemode, date);
  const days = await readDays(store, scope, { livemode, merchantIds, now: span.from });
  const { merchantId } = scope;
  if (merchantId !== null) {
    const own = { merchantId, ...(await sumDay(store, { merchantId, livemode }, span)) };
    const closes = all.filter((close) => close.merchantId === merchantId);
    return {
      ...{ sums: own.opened === 0 ? [] : [own], isCut: false, closes },
      ...{ statements: [], suspendedMinor: null, days },
    };
  }
  const found = await sumDayOfMerchants(store, livemode, span, maxMerchants + 1);
  const withStatement = await listWithStatement(store, { livemode, date }, merchantIds);
  // A statement can have payments of a merchant of which the books have none.
  const others = withStatement.filter((id) => found.every((one) => one.merchantId !== id));
  const sums = [...found, ...others.map((id) => ({ merchantId: id, ...noSums }))].slice(0, maxMerchants);
  const statements: DayStatementView[] = [];
  for (const { merchantId: id } of sums) {
    if (!withStatement.includes(id)) continue;
    const comparison = await readComparison(store, { merchantId: id, livemode, date });
    if (comparison) statements.push(viewComparison(comparison, maxDifferences));
  }
  const [suspended] = await totalsStore(store).byDay({ account: 'suspense', livemode }, span);
  return {
    ...{ sums, isCut: found.length + others.length > maxMerchants, closes: all },
    ...{ statements, suspendedMinor: suspended?.amountMinor ?? 0, days },
  };
}

export const daysReads = { days: readDays, day: readDayTotals, unclosedDays: countUnclosedDays };

/** The bookings of a span of time, of one merchant or of all. */
export type BookingsRequest = { span: TimeSpan; merchantId: string | undefined; livemode: 0 | 1 };

/** The accounts of one day. Those of a thousand merchants fit on a page; the command lists all. */
const maxAccounts = 200;

/** A part of the bookings of a day, and the balances of its accounts. */
export type FoundBookings = Exclude<Awaited<ReturnType<typeof readBookingsPage>>, UnknownCursor>;

/** Reads a page of bookings, oldest first, with the balances of the day: with a merchant, of its account. */
async function readBookingsPage(store: Store, asked: BookingsRequest, page: PageRequest) {
  const part = await readBookings(store, getFilter(asked), page);
  if (part === 'unknown_cursor') return part;
  const { span, merchantId, livemode } = asked;
  const all = (await totalsStore(store).balances(span)).filter(
    (one) =>
      one.livemode === livemode && (merchantId === undefined || one.account === `merchant:${merchantId}`),
  );
  return {
    ...part,
    balances: all.slice(0, maxAccounts),
    /** True when there are more accounts. */ isCut: all.length > maxAccounts,
  };
}

/** Reads a part of the file of bookings. */
async function readBookingsPart(
  store: Store,
  asked: BookingsRequest,
  { numbers, ...page }: PartRequest,
): Promise<ExportPart | UnknownCursor> {
  const part = await readBookings(store, getFilter(asked), page);
  if (part === 'unknown_cursor') return part;
  return filePart(part, (row) => exportLine(withNumbers(row, numbers)));
}

function getFilter({ span: { from, to }, ...others }: BookingsRequest) {
  return { from, before: to, ...others };
}

/** Returns a line with its phone numbers as they are, or masked, also in texts that people and payers typed. */
function withNumbers(line: ExportRow, numbers: ExportNumbers): ExportRow {
  if (numbers === 'whole') return line;
  const { subject } = line;
  if (subject.kind === 'collection') {
    const { payer, dialler, reference } = subject.row;
    const masked = {
      payer: maskedForm(payer),
      dialler: maskedForm(dialler),
      reference: maskNumbers(reference),
      answers: maskStoredAnswers(subject.row),
    };
    return { ...line, subject: { kind: 'collection', row: Object.assign({}, subject.row, masked) } };
  }
  const { payer, reference } = subject.row;
  const masked = {
    payer: payer && maskNumbers(payer),
    reference: reference && maskNumbers(reference),
  };
  return { ...line, subject: { kind: 'unplaced', row: { ...subject.row, ...masked } } };
}

export const bookingsReads = { bookings: readBookingsPage, bookingsPart: readBookingsPart };
