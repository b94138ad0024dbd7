import { and, eq, sql } from 'drizzle-orm';
import type { EpochMs } from '../../shared/clock.ts';
import { build, prepareQuery } from '../../sqlite/statement.ts';
import type { Store } from '../../sqlite/store.ts';
import { paymentTotal, screenTotal } from '../database/schema.ts';
import { dayMs } from '../ledger/day.ts';
import type { LedgerFault } from '../ledger/report.ts';
import { startOfHour } from './counting.ts';
import {
  addTotals,
  countDialogues,
  countPayments,
  readMark,
  type Totals,
  type TotalsMark,
} from './insight-store.ts';

const hourMs = 3_600_000;

/** Dialogues, or payments, that are counted at a time. */
const pageSize = 500;

const maxFaults = 100;

/** Reads of a running gateway's totals that are repeated because the job wrote meanwhile. */
const maxRepeats = 20;

/**
 * Counts every dialogue and every payment again, and compares the counts with the totals, hour by hour. Hours whose dialogues retention
 * may have deleted keep their totals, and only their payments are compared. Reads in pages, also on a live ledger.
 *
 * @returns at most 100 faults.
 */
export async function findWrongTotals(store: Store): Promise<LedgerFault[]> {
  const horizon = await readNumber(store, sql`SELECT at FROM horizon WHERE name = 'dialogues'`);
  const faults: LedgerFault[] = [];
  for (let hour = await nextHour(store, 0); hour !== undefined; hour = await nextHour(store, hour + hourMs)) {
    const { mark, kept } = await readSettled(store, hour);
    const isKept = hour >= (horizon ?? 0);
    const counted = addTotals({
      payments: await recountPayments(store, hour, mark),
      screens: isKept ? await recountDialogues(store, hour, mark) : [],
    });
    const at = new Date(hour).toISOString().slice(0, 13);
    if (!isEqual(kept.payments, counted.payments))
      faults.push({ row: `payment totals of ${at}:00`, fault: 'differ from the facts' });
    if (isKept && !isEqual(kept.screens, counted.screens))
      faults.push({ row: `screen totals of ${at}:00`, fault: 'differ from the turns' });
    if (faults.length >= maxFaults) break;
  }
  return [...faults, ...(await findWrongDays(store))].slice(0, maxFaults);
}

const ofHour = (table: typeof paymentTotal | typeof screenTotal) =>
  and(eq(table.unit, sql`'hour'`), eq(table.start, sql.placeholder('start')));

const paymentsOfHour = prepareQuery(build.select().from(paymentTotal).where(ofHour(paymentTotal)));
const screensOfHour = prepareQuery(build.select().from(screenTotal).where(ofHour(screenTotal)));

/** Returns the totals of an hour that are not 0. */
async function readHour(store: Store, start: EpochMs): Promise<Totals> {
  const payments = await paymentsOfHour.all(store, { start });
  const screens = await screensOfHour.all(store, { start });
  return {
    payments: payments.filter((one) => one.payments !== 0 || one.priceMinor !== 0 || one.chargedMinor !== 0),
    screens: screens.filter(({ count }) => count !== 0),
  };
}

/** Reads the totals of an hour, and the rows up to which they are complete. */
async function readSettled(store: Store, hour: EpochMs): Promise<{ mark: TotalsMark; kept: Totals }> {
  for (let repeats = 0; ; repeats++) {
    const mark = await readMark(store);
    const kept = await readHour(store, hour);
    const after = await readMark(store);
    const isSettled = after.turnSeq === mark.turnSeq && after.factSeq === mark.factSeq;
    if (isSettled || repeats >= maxRepeats) return { mark, kept };
  }
}

function isEqual(kept: readonly object[], counted: readonly object[]): boolean {
  const lines = (rows: readonly object[]) =>
    rows
      .map((row) => JSON.stringify(Object.entries(row).sort(([one], [other]) => (one < other ? -1 : 1))))
      .sort()
      .join('\n');
  return lines(kept) === lines(counted);
}

async function recountPayments(store: Store, hour: EpochMs, { factSeq }: TotalsMark) {
  const counted: Totals['payments'] = [];
  for (let after = ''; ; ) {
    const ids = await readIds(
      store,
      sql`SELECT id FROM collection WHERE opened_at >= ${hour} AND opened_at < ${hour + hourMs} AND id > ${after}
        ORDER BY id LIMIT ${pageSize}`,
    );
    counted.push(...addTotals({ payments: await countPayments(store, ids, factSeq), screens: [] }).payments);
    const last = ids.at(-1);
    if (last === undefined || ids.length < pageSize) return counted.filter(({ start }) => start === hour);
    after = last;
  }
}

async function recountDialogues(store: Store, hour: EpochMs, { turnSeq }: TotalsMark) {
  const counted: Totals['screens'] = [];
  for (let after = ''; ; ) {
    const ids = await readIds(
      store,
      sql`SELECT DISTINCT dialogue_id FROM turn WHERE at >= ${hour} AND at < ${hour + hourMs}
        AND dialogue_id > ${after} ORDER BY 1 LIMIT ${pageSize}`,
    );
    counted.push(...addTotals({ payments: [], screens: await countDialogues(store, ids, turnSeq) }).screens);
    const last = ids.at(-1);
    // A dialogue that began before the hour belongs to an earlier one.
    if (last === undefined || ids.length < pageSize) return counted.filter(({ start }) => start === hour);
    after = last;
  }
}

/** Returns the first hour from a time on that has a payment, a turn or a total. */
async function nextHour(store: Store, from: EpochMs): Promise<EpochMs | undefined> {
  const at = await readNumber(
    store,
    sql`SELECT min(at) FROM (SELECT min(opened_at) AS at FROM collection WHERE opened_at >= ${from}
      UNION ALL SELECT min(at) FROM turn WHERE at >= ${from}
      UNION ALL SELECT min(start) FROM payment_total WHERE unit = 'hour' AND start >= ${from}
      UNION ALL SELECT min(start) FROM screen_total WHERE unit = 'hour' AND start >= ${from}) AS found`,
  );
  return at === undefined ? undefined : startOfHour(at);
}

/** Compares the totals of days with those of their hours. */
async function findWrongDays({ read }: Store): Promise<LedgerFault[]> {
  const compare = (table: string, keys: string, sums: readonly string[]) => {
    const list = (sign: string) => sums.map((name) => `${sign}${name} AS ${name}`).join(', ');
    return read.all<[number]>(sql`SELECT DISTINCT start FROM (
      SELECT start FROM (
        SELECT start - start % ${sql.raw(String(dayMs))} AS start, ${sql.raw(keys)}, ${sql.raw(list(''))}
          FROM ${sql.raw(table)} WHERE unit = 'hour'
        UNION ALL SELECT start, ${sql.raw(keys)}, ${sql.raw(list('-'))} FROM ${sql.raw(table)} WHERE unit = 'day'
      ) AS compared GROUP BY start, ${sql.raw(keys)}
      HAVING ${sql.raw(sums.map((name) => `sum(${name}) <> 0`).join(' OR '))}
    ) AS wrong ORDER BY 1 LIMIT ${maxFaults}`);
  };
  const named = (name: string, rows: readonly [number][]) =>
    rows.map(([start]) => ({
      row: `${name} totals of ${new Date(start).toISOString().slice(0, 10)}`,
      fault: 'differ from those of the hours',
    }));
  const payments = await compare('payment_total', 'merchant_id, livemode, channel, network, outcome', [
    ...['payments', 'prompted', 'price_minor', 'charged_minor'],
  ]);
  const screens = await compare('screen_total', 'merchant_id, channel, language, screen, measure', ['count']);
  return [...named('payment', payments), ...named('screen', screens)];
}

type Query = Parameters<Store['read']['all']>[0];

async function readIds({ read }: Store, query: Query): Promise<string[]> {
  return (await read.all<[string]>(query)).map(([id]) => id);
}

async function readNumber({ read }: Store, query: Query): Promise<number | undefined> {
  return (await read.all<[number | null]>(query))[0]?.[0] ?? undefined;
}
