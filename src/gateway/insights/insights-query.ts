import { sql } from 'drizzle-orm';
import type { Insights, PaymentFigures, ScreenFigures } from '../../contract/merchant/insights.ts';
import type { EpochMs } from '../../shared/clock.ts';
import type { Store } from '../../sqlite/store.ts';
import type { Status } from '../collection/collection.ts';
import { hasJob, openStatusesText } from '../database/schema.ts';
import { dayMs } from '../ledger/day.ts';
import { getCountedOutcome, startOfHour, timeBounds } from './counting.ts';
import type { TotalsChange } from './insight-store.ts';
import { readSlowPrompts } from './slow-prompts-query.ts';
import {
  countBegun,
  type PaymentSum,
  readCountedUntil,
  readWithUncounted,
  type ScreenSum,
  sumPayments,
  sumScreens,
  type TotalsScope,
} from './totals-query.ts';

/** The days whose figures are read: from the beginning of the first one to the end of the last one. */
export type InsightsRequest = TotalsScope & { from: EpochMs; to: EpochMs; now: EpochMs };

const hourMs = 3_600_000;

/** Days of the curve beside a figure. */
const minDays = 14;

/** Reads the figures of some days, from kept totals: what a page costs does not depend on the number of payments. */
export function readInsights(store: Store, request: InsightsRequest): Promise<Insights> {
  return readWithUncounted(store, (uncounted) => readFigures(store, request, uncounted));
}

/** Returns the time of the newest payment, and its mode: a ledger that is read without a gateway has no other one. */
export async function readNewest({ read }: Store): Promise<{ at: EpochMs; livemode: 0 | 1 }> {
  const [row] = await read.all<[EpochMs, 0 | 1]>(
    sql`SELECT opened_at, livemode FROM collection ORDER BY opened_at DESC LIMIT 1`,
  );
  return { at: row?.[0] ?? 0, livemode: row?.[1] ?? 0 };
}

async function readFigures(
  store: Store,
  request: InsightsRequest,
  uncounted: TotalsChange,
): Promise<Insights> {
  const { from, to, now } = request;
  const isOneDay = to - from === dayMs;
  const before = spanBefore(request);
  const firstDay = Math.min(from, to - minDays * dayMs);
  const days = listStarts(firstDay, to, dayMs);
  const hours = isOneDay
    ? [...listStarts(from, to, hourMs), ...listStarts(before.from, before.from + dayMs, hourMs)]
    : [];
  const partHours = before.hours.filter((hour) => !hours.includes(hour));
  const ofDays = await sumPayments(
    store,
    request,
    { unit: 'day', starts: [...new Set([...days, ...before.days])] },
    uncounted,
  );
  const ofHours = await sumPayments(
    store,
    request,
    { unit: 'hour', starts: [...hours, ...partHours] },
    uncounted,
  );
  const current = ofDays.filter(({ start }) => start >= from && start < to);
  const compared = [
    ...ofDays.filter(({ start }) => before.days.includes(start)),
    ...ofHours.filter(({ start }) => before.hours.includes(start)),
    ...(await readPartHour(store, request, before)),
  ];
  const screens = await sumScreens(
    store,
    request,
    { unit: 'day', starts: listStarts(from, to, dayMs) },
    { uncounted },
  );
  const dialogues = getDialogues(screens);
  const payments = getPayments(current);
  const views = listScreens(screens);
  const countedUntil = await readCountedUntil(store, uncounted);
  return {
    from: showDate(from),
    to: showDate(to - dayMs),
    counted_until: countedUntil === null ? null : showTime(countedUntil),
    dialogues,
    payments,
    compared_with: {
      from: showTime(before.from),
      until: showTime(before.until),
      dialogues: await readDialoguesBefore(store, request, { before, uncounted }),
      payments: getPayments(compared),
    },
    steps: listSteps(dialogues, payments, views),
    outcomes: [...groupBy(current, ({ outcome }) => outcome)]
      .map(([outcome, some]) => ({
        outcome,
        payments: sum(some, 'payments'),
        price_minor: sum(some, 'priceMinor'),
      }))
      .filter((one) => one.payments > 0)
      .sort((one, other) => other.payments - one.payments || (one.outcome < other.outcome ? -1 : 1)),
    networks: listShares(current, compared, 'network').map(([network, share]) => ({ network, ...share })),
    channels: listShares(current, compared, 'channel').map(([channel, share]) => ({ channel, ...share })),
    hours: isOneDay
      ? listStarts(from, to, hourMs).map((start) => {
          const { opened, paid, not_paid, charged_minor } = getPayments(
            ofHours.filter((one) => one.start === start),
          );
          const earlier = ofHours.filter((one) => one.start === start - from + before.from);
          return {
            hour: showTime(start),
            ...{ opened, paid, not_paid, charged_minor },
            paid_before: getPayments(earlier).paid,
          };
        })
      : [],
    days: days.map((start) => {
      const { paid, not_paid, charged_minor } = getPayments(ofDays.filter((one) => one.start === start));
      return { date: showDate(start), paid, not_paid, charged_minor };
    }),
    screens: views,
    now: {
      waiting: await readWaiting(store, request),
      suspense: await readSuspense(store, request, now),
      slow_prompts: await readSlowPrompts(store, request),
    },
  };
}

/** An earlier span of the same length: whole days, then whole hours, then a part of an hour. */
type SpanBefore = { from: EpochMs; until: EpochMs; days: EpochMs[]; hours: EpochMs[]; partFrom: EpochMs };

/** Returns the span to compare with. One day is compared with the same weekday of the week before, until the same minute. */
function spanBefore({ from, to, now }: InsightsRequest): SpanBefore {
  const shiftMs = to - from === dayMs ? 7 * dayMs : to - from;
  const until = Math.max(from, Math.min(now, to)) - shiftMs;
  const lastDay = Math.floor(until / dayMs) * dayMs;
  const partFrom = startOfHour(until);
  return {
    ...{ from: from - shiftMs, until, partFrom },
    days: listStarts(from - shiftMs, lastDay, dayMs),
    hours: listStarts(lastDay, partFrom, hourMs),
  };
}

function listStarts(from: EpochMs, to: EpochMs, stepMs: number): EpochMs[] {
  return Array.from({ length: Math.max(0, Math.round((to - from) / stepMs)) }, (_, at) => from + at * stepMs);
}

const showTime = (at: EpochMs) => new Date(at).toISOString();
const showDate = (at: EpochMs) => showTime(at).slice(0, 10);

function groupBy<Row>(rows: readonly Row[], key: (row: Row) => string): Map<string, Row[]> {
  return Map.groupBy(rows, key);
}

type SumName = 'payments' | 'prompted' | 'priceMinor' | 'chargedMinor';

function sum(rows: readonly PaymentSum[], name: SumName): number {
  return rows.reduce((total, row) => total + row[name], 0);
}

function getPayments(rows: readonly PaymentSum[]): PaymentFigures {
  const count = (outcome: string) =>
    sum(
      rows.filter((row) => row.outcome === outcome),
      'payments',
    );
  const opened = sum(rows, 'payments');
  const [paid, review, waiting] = [count('paid'), count('review'), count('waiting')];
  const notPaid = opened - paid - review - waiting;
  return {
    ...{ opened, prompted: sum(rows, 'prompted'), paid, not_paid: notPaid, review, waiting },
    ...{ price_minor: sum(rows, 'priceMinor'), charged_minor: sum(rows, 'chargedMinor') },
    success_rate: getRate(paid, notPaid),
  };
}

/** Returns the share of paid ones to four digits; null without a result. */
function getRate(paid: number, notPaid: number): number | null {
  return paid + notPaid === 0 ? null : Math.round((paid / (paid + notPaid)) * 10_000) / 10_000;
}

/** Returns the shares of networks or channels, the one with the most payments first. */
function listShares(
  current: readonly PaymentSum[],
  compared: readonly PaymentSum[],
  by: 'network' | 'channel',
) {
  return [...groupBy(current, (row) => row[by])]
    .map(([name, rows]) => {
      const { paid, not_paid, success_rate } = getPayments(rows);
      const earlier = getPayments(compared.filter((row) => row[by] === name));
      return [name, { paid, not_paid, success_rate, success_rate_before: earlier.success_rate }] as const;
    })
    .filter(([, { paid, not_paid }]) => paid + not_paid > 0)
    .sort(
      ([name, one], [otherName, other]) =>
        other.paid + other.not_paid - one.paid - one.not_paid || (name < otherName ? -1 : 1),
    );
}

function countMeasure(rows: readonly ScreenSum[], measure: string): number {
  return rows.reduce((total, row) => (row.measure === measure ? total + row.count : total), 0);
}

function getDialogues(screens: readonly ScreenSum[]): Insights['dialogues'] {
  const rows = screens.filter(({ screen }) => screen === '');
  return {
    begun: countMeasure(rows, 'begun'),
    answered: countMeasure(rows, 'answered'),
    opened: countMeasure(rows, 'opened'),
    seconds_to_open: findQuantile(rows, 0.5),
    slowest_tenth_seconds: findQuantile(rows, 0.9),
  };
}

/** Returns a quantile of counted times in whole seconds, within its class by proportion; null without a time. */
function findQuantile(rows: readonly ScreenSum[], share: number): number | null {
  const classes = timeBounds.map((bound) => countMeasure(rows, `time.${bound}`));
  const total = classes.reduce((all, count) => all + count, countMeasure(rows, 'time.over'));
  if (total === 0) return null;
  let passed = 0;
  for (const [at, count] of classes.entries()) {
    const [lower, upper] = [timeBounds[at - 1] ?? 0, timeBounds[at] ?? 0];
    if (count > 0 && passed + count >= share * total)
      return Math.round(lower + ((share * total - passed) / count) * (upper - lower));
    passed += count;
  }
  return timeBounds.at(-1) ?? null;
}

/** Returns the figures of each screen, the one that most dialogues saw first. */
function listScreens(rows: readonly ScreenSum[]): ScreenFigures[] {
  const withPrefix = (some: readonly ScreenSum[], prefix: string) => {
    const named = [...groupBy(some, ({ measure }) => measure)]
      .filter(([measure]) => measure.startsWith(prefix))
      .map(([measure]): [string, number] => [measure.slice(prefix.length), countMeasure(some, measure)])
      .filter(([, count]) => count > 0);
    return Object.fromEntries(named.sort(([, one], [, other]) => other - one));
  };
  return [...groupBy(rows, ({ screen }) => screen)]
    .filter(([screen]) => screen !== '')
    .map(([screen, some]): ScreenFigures => {
      const how = withPrefix(some, 'left.');
      return {
        screen,
        dialogues: countMeasure(some, 'reached'),
        shown: countMeasure(some, 'shown'),
        opened: countMeasure(some, 'opened'),
        gave_up: Object.values(how).reduce((total, count) => total + count, 0),
        how,
        went_back: countMeasure(some, 'back'),
        median_seconds: findQuantile(some, 0.5),
        refused: withPrefix(some, 'refused.'),
      };
    })
    .filter(({ dialogues, gave_up }) => dialogues + gave_up > 0)
    .sort((one, other) => other.dialogues - one.dialogues || (one.screen < other.screen ? -1 : 1));
}

/** Screens that can open a payment and name no new total: a retry, and the second question about a duplicate. */
const repeats: readonly string[] = ['(payment)', '(duplicate)'];

/**
 * Returns how far dialogues came. A screen shows the total when dialogues opened a payment from it, or said no to it. Later steps count
 * payments.
 */
function listSteps(
  { begun, answered, opened }: Insights['dialogues'],
  payments: PaymentFigures,
  screens: readonly ScreenFigures[],
): Insights['steps'] {
  const sawTotal = screens
    .filter((one) => one.opened > 0 || (one.how.chose_no ?? 0) > 0)
    .filter(({ screen }) => !repeats.includes(screen))
    .reduce((total, { dialogues }) => total + dialogues, 0);
  const steps: [string, number][] = [
    ['dialled', begun],
    ['answered', answered],
    ['saw_total', Math.max(sawTotal, opened)],
    ['confirmed', opened],
    ['prompted', Math.min(opened, payments.prompted)],
    ['paid', Math.min(opened, payments.paid)],
  ];
  return steps.map(([step, dialogues]) => ({ step, dialogues }));
}

/** Reads the dialogues of the span to compare with, as a whole. */
async function readDialoguesBefore(
  store: Store,
  request: InsightsRequest,
  { before, uncounted }: { before: SpanBefore; uncounted: TotalsChange },
): Promise<Pick<Insights['dialogues'], 'begun' | 'answered' | 'opened'>> {
  const options = { uncounted, isWhole: true };
  const part = { from: before.partFrom, until: before.until };
  const rows = [
    ...(await sumScreens(store, request, { unit: 'day', starts: before.days }, options)),
    ...(await sumScreens(store, request, { unit: 'hour', starts: before.hours }, options)),
    ...(part.until > part.from ? await countBegun(store, request, part) : []),
  ];
  const { begun, answered, opened } = getDialogues(rows);
  return { begun, answered, opened };
}

/** Sums the payments that were opened in a part of an hour, by their index. */
async function readPartHour(
  { read }: Store,
  { merchantId, livemode, channel }: TotalsScope,
  { partFrom, until }: SpanBefore,
): Promise<PaymentSum[]> {
  if (until <= partFrom) return [];
  const ofMerchant = merchantId === null ? sql`` : sql`AND merchant_id = ${merchantId}`;
  const ofChannel = channel === undefined ? sql`` : sql`AND +channel = ${channel}`;
  const rows = await read.all<
    [string, string, string, string | null, number, number, number, number]
  >(sql`SELECT channel, network, status, reason, count(*),
      count(initiate_sent_at), sum(goods_minor), sum(coalesce(amount_minor, 0))
    FROM collection WHERE opened_at >= ${partFrom} AND opened_at < ${until} ${ofMerchant} ${ofChannel}
      AND livemode = ${livemode} GROUP BY channel, network, status, reason`);
  return rows.map(([one, network, status, reason, payments, prompted, priceMinor, amountMinor]) => {
    const outcome = getCountedOutcome({ status: status as Status, reason });
    return {
      ...{ unit: 'hour', start: partFrom, channel: one, network, outcome },
      ...{ payments, prompted, priceMinor, chargedMinor: outcome === 'paid' ? amountMinor : 0 },
    };
  });
}

/** Counts what the list of waiting payments has: without a result, or without a decision of the service. */
async function readWaiting(
  { read }: Store,
  { merchantId, livemode }: TotalsScope,
): Promise<Insights['now']['waiting']> {
  const ofMerchant = merchantId === null ? sql`` : sql`AND merchant_id = ${merchantId}`;
  const [row] = await read.all<[number, number, EpochMs | null]>(sql`
    SELECT count(*), coalesce(sum(goods_minor), 0), min(opened_at) FROM collection
    WHERE ${hasJob} AND livemode = ${livemode} ${ofMerchant}
      AND (status IN ${openStatusesText} OR (status = 'review' AND awaits_service_since IS NOT NULL))`);
  const [payments = 0, price_minor = 0, oldestAt = null] = row ?? [];
  return { payments, price_minor, oldest_at: oldestAt === null ? null : showTime(oldestAt) };
}

const ages = [
  ['under_4_hours', 4 * hourMs],
  ['under_24_hours', dayMs],
  ['under_3_days', 3 * dayMs],
  ['older', Number.POSITIVE_INFINITY],
] as const;

/** Sums the money in suspense by its age: unplaced payments, and payments under review. Both have an index of those that wait. */
async function readSuspense(
  { read }: Store,
  { merchantId, livemode }: TotalsScope,
  now: EpochMs,
): Promise<Insights['now']['suspense']> {
  const ofMerchant = merchantId === null ? sql`` : sql`AND merchant_id = ${merchantId}`;
  const [first, second, third] = ages.map(([, ms]) => now - ms) as [number, number, number];
  const rows = await read.all<[number, number, number, EpochMs]>(sql`
    SELECT CASE WHEN at > ${first} THEN 0 WHEN at > ${second} THEN 1 WHEN at > ${third} THEN 2 ELSE 3 END AS age,
      count(*), sum(minor), min(at) FROM (
        SELECT received_at AS at, suspended_minor AS minor FROM unplaced_payment
          WHERE "unplaced_payment"."state" = 'open' AND livemode = ${livemode} AND suspended_minor > 0 ${ofMerchant}
        UNION ALL SELECT coalesce(closed_at, updated_at), amount_minor FROM collection
          WHERE "collection"."review" IS NOT NULL AND booked = 'suspense' AND livemode = ${livemode} ${ofMerchant}
      ) AS suspended GROUP BY 1 ORDER BY 1`);
  return rows.map(([age, sums, amount_minor, oldestAt]) => ({
    ...{ age: ages[age]?.[0] ?? 'older', sums, amount_minor, oldest_at: showTime(oldestAt) },
  }));
}
