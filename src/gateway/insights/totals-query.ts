import { type SQL, sql } from 'drizzle-orm';
import type { EpochMs } from '../../shared/clock.ts';
import type { Store } from '../../sqlite/store.ts';
import {
  countDialogues,
  readChange,
  readEnd,
  readMark,
  type TotalsChange,
  type TotalsMark,
} from './insight-store.ts';

/** Whose totals are read, and which of them. */
export type TotalsScope = {
  merchantId: string | null;
  livemode: 0 | 1;
  channel?: string | undefined;
  language?: string | undefined;
};

/** The beginnings of hours or days. */
type TotalsSpan = { unit: 'hour' | 'day'; starts: readonly EpochMs[] };

/** A sum of payments with one outcome. */
export type PaymentSum = {
  unit: 'hour' | 'day';
  start: EpochMs;
  channel: string;
  network: string;
  outcome: string;
  payments: number;
  prompted: number;
  priceMinor: number;
  chargedMinor: number;
};

/** A count of one measure of a screen; `screen` is empty for the dialogue as a whole. */
export type ScreenSum = {
  unit: 'hour' | 'day';
  start: EpochMs;
  screen: string;
  measure: string;
  count: number;
};

/** Turns, and facts, that a read counts beside the stored totals. With more, it returns the totals, which are some seconds old. */
const maxUncounted = 300;

/** Reads that are repeated because the job wrote meanwhile. */
const maxRepeats = 3;

/** Reads totals together with the rows that they do not contain yet, each row once. */
export async function readWithUncounted<Result>(
  store: Store,
  read: (uncounted: TotalsChange) => Promise<Result>,
): Promise<Result> {
  for (let repeats = 0; ; repeats++) {
    const mark = await readMark(store);
    const uncounted = await readUncounted(store, mark);
    const result = await read(uncounted);
    const after = await readMark(store);
    const isSettled = after.turnSeq === mark.turnSeq && after.factSeq === mark.factSeq;
    if (isSettled || repeats >= maxRepeats) return result;
  }
}

/** Reads what the rows after the mark add; nothing when they are too many for one page. */
async function readUncounted(store: Store, mark: TotalsMark): Promise<TotalsChange> {
  const end = await readEnd(store);
  const isFew = end.turnSeq - mark.turnSeq <= maxUncounted && end.factSeq - mark.factSeq <= maxUncounted;
  return isFew
    ? readChange(store, mark, end, maxUncounted + 1)
    : { next: mark, isWhole: false, payments: [], screens: [] };
}

/** Returns the time of the last counted row; null when every row is counted. */
export async function readCountedUntil(
  { read }: Store,
  { next, isWhole }: TotalsChange,
): Promise<EpochMs | null> {
  if (isWhole) return null;
  // Before the first row is counted, it is the time of that row.
  const [row] = await read.all<[number | null]>(sql`SELECT min(at) FROM (
    SELECT at FROM (SELECT at FROM turn WHERE seq >= ${next.turnSeq} ORDER BY seq LIMIT 1) AS counted_turn
    UNION ALL SELECT at FROM (SELECT at FROM fact WHERE seq >= ${next.factSeq} ORDER BY seq LIMIT 1) AS counted_fact
  ) AS counted`);
  return row?.[0] ?? 0;
}

/** Sums payments by hour or day, channel, network and outcome. */
export async function sumPayments(
  { read }: Store,
  scope: TotalsScope,
  span: TotalsSpan,
  uncounted: TotalsChange,
): Promise<PaymentSum[]> {
  const rows = await read.all<[EpochMs, string, string, string, number, number, number, number]>(sql`
    SELECT start, channel, network, outcome, sum(payments), sum(prompted), sum(price_minor), sum(charged_minor)
    FROM payment_total WHERE ${isWithin(span, scope)} AND livemode = ${scope.livemode}
    GROUP BY start, channel, network, outcome`);
  const kept = rows.map(
    ([start, channel, network, outcome, payments, prompted, priceMinor, chargedMinor]): PaymentSum => ({
      ...{ unit: span.unit, start, channel, network, outcome },
      ...{ payments, prompted, priceMinor, chargedMinor },
    }),
  );
  const more = uncounted.payments.filter((one) => isOf(one, span, scope) && one.livemode === scope.livemode);
  return [...kept, ...more];
}

/** Sums the measures of screens by hour or day. `isWhole` sums those of dialogues as a whole only. */
export async function sumScreens(
  { read }: Store,
  scope: TotalsScope,
  span: TotalsSpan,
  { uncounted, isWhole = false }: { uncounted: TotalsChange; isWhole?: boolean },
): Promise<ScreenSum[]> {
  const ofLanguage = scope.language === undefined ? sql`` : sql`AND language = ${scope.language}`;
  const ofDialogues = isWhole ? sql`AND screen = ''` : sql``;
  const rows = await read.all<[string, string, number]>(sql`SELECT screen, measure, sum(count)
    FROM screen_total WHERE ${isWithin(span, scope)} ${ofLanguage} ${ofDialogues} GROUP BY screen, measure`);
  const kept = rows.map(
    ([screen, measure, count]): ScreenSum => ({
      ...{ unit: span.unit, start: 0, screen, measure, count },
    }),
  );
  const more = uncounted.screens.filter(
    (one) =>
      isOf(one, span, scope) &&
      (scope.language === undefined || one.language === scope.language) &&
      (!isWhole || one.screen === ''),
  );
  return [...kept, ...more];
}

/** Lists the starts, so that the key finds the rows of one merchant without those of others. */
function isWithin({ unit, starts }: TotalsSpan, { merchantId, channel }: TotalsScope): SQL {
  const ofMerchant = merchantId === null ? sql`` : sql`AND merchant_id = ${merchantId}`;
  const ofChannel = channel === undefined ? sql`` : sql`AND channel = ${channel}`;
  return sql`unit = ${unit} AND start IN (SELECT CAST(value AS BIGINT) FROM json_each(${JSON.stringify(starts)}))
    ${ofMerchant} ${ofChannel}`;
}

type Keyed = { unit: string; start: EpochMs; merchantId: string; channel: string };

function isOf(one: Keyed, { unit, starts }: TotalsSpan, { merchantId, channel }: TotalsScope): boolean {
  return (
    one.unit === unit &&
    starts.includes(one.start) &&
    (merchantId === null || one.merchantId === merchantId) &&
    (channel === undefined || one.channel === channel)
  );
}

/** Dialogues of a part of an hour that are counted one by one. */
const maxDialogues = 2_000;

/** Counts the dialogues that began in a part of an hour, as a whole. The totals have whole hours only. */
export async function countBegun(
  store: Store,
  scope: TotalsScope,
  { from, until }: { from: EpochMs; until: EpochMs },
): Promise<ScreenSum[]> {
  const ofMerchant =
    scope.merchantId === null ? sql`` : sql`AND first_turn.merchant_id = ${scope.merchantId}`;
  const ofChannel = scope.channel === undefined ? sql`` : sql`AND first_turn.channel = ${scope.channel}`;
  const rows = await store.read.all<[string]>(sql`SELECT first_turn.dialogue_id FROM turn AS first_turn
    WHERE first_turn.at >= ${from} AND first_turn.at < ${until} ${ofMerchant} ${ofChannel}
      AND NOT EXISTS (SELECT 1 FROM turn AS earlier WHERE earlier.dialogue_id = first_turn.dialogue_id
        AND earlier.sequence < first_turn.sequence)
    ORDER BY first_turn.at LIMIT ${maxDialogues}`);
  const counted = await countDialogues(
    store,
    rows.map(([id]) => id),
    Number.MAX_SAFE_INTEGER,
  );
  const { language } = scope;
  return counted.filter((one) => one.screen === '' && (language === undefined || one.language === language));
}

/** The payments of a day with one outcome. */
type DayPayments = {
  merchant: string;
  channel: string;
  network: string;
  outcome: string;
  payments: number;
  chargedMinor: number;
};

/** The dialogues of a day by their result: `begun`, `answered`, `opened`, or how they ended without a payment. */
type DayDialogues = { merchant: string; channel: string; result: string; dialogues: number };

export type TodayTotals = { payments: DayPayments[]; dialogues: DayDialogues[] };

/** Reads the stored totals of one day, UTC, of each merchant: those of `dialtill insights`, without the rows of the last seconds. */
export async function readDayTotals(
  { read }: Store,
  { start, livemode }: { start: EpochMs; livemode: 0 | 1 },
): Promise<TodayTotals> {
  const payments = await read.all<[string, string, string, string, number, number]>(sql`
    SELECT merchant_id, channel, network, outcome, payments, charged_minor
    FROM payment_total WHERE unit = 'day' AND start = ${start} AND livemode = ${livemode}`);
  const dialogues = await read.all<[string, string, string, number]>(sql`
    SELECT merchant_id, channel, measure, sum(count)
    FROM screen_total WHERE unit = 'day' AND start = ${start}
      AND (measure LIKE 'left.%' OR (screen = '' AND measure IN ('begun', 'answered', 'opened')))
    GROUP BY merchant_id, channel, measure`);
  return {
    payments: payments.map(([merchant, channel, network, outcome, count, chargedMinor]) => ({
      ...{ merchant, channel, network, outcome, payments: count, chargedMinor },
    })),
    dialogues: dialogues.map(([merchant, channel, measure, count]) => ({
      ...{ merchant, channel, result: measure.replace('left.', ''), dialogues: count },
    })),
  };
}
