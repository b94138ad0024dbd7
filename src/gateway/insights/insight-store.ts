import { and, asc, getTableColumns, getTableName, gt, inArray, lte, type SQL, sql } from 'drizzle-orm';
import type { EpochMs } from '../../shared/clock.ts';
import { attempt } from '../../shared/errors.ts';
import { build, prepareQuery, prepareWrite, toWrite } from '../../sqlite/statement.ts';
import type { Store } from '../../sqlite/store.ts';
import { replayFacts } from '../collection/fact.ts';
import { readFact } from '../collection/fact-row.ts';
import { fact, paymentTotal, screenTotal, totalsMark, turn } from '../database/schema.ts';
import type { ChainedFact } from '../ledger/chain.ts';
import { dayMs } from '../ledger/day.ts';
import type { PeriodicJob } from '../worker/queue.ts';
import {
  type CountedTurn,
  countDialogue,
  countPayment,
  type PaymentTotal,
  type ScreenTotal,
} from './counting.ts';

/** The rows of which the totals are complete: all turns and facts up to these numbers. */
export type TotalsMark = { turnSeq: number; factSeq: number };

/** Sums of dialogues and payments. */
export type Totals = { payments: PaymentTotal[]; screens: ScreenTotal[] };

const { placeholder } = sql;

const paymentSums = ['payments', 'prompted', 'priceMinor', 'chargedMinor'] as const;
const screenSums = ['count'] as const;

const listed: SQL = sql`(SELECT value FROM json_each(${placeholder('ids')}))`;

const markQuery = prepareQuery(
  build.select({ turnSeq: totalsMark.turnSeq, factSeq: totalsMark.factSeq }).from(totalsMark),
);

const latest = prepareQuery(
  build
    .select({
      turnSeq: sql<number>`coalesce((SELECT max(seq) FROM turn), 0)`,
      factSeq: sql<number>`coalesce((SELECT max(seq) FROM fact), 0)`,
    })
    .from(sql`(SELECT 1) AS one`),
);

const within = (seq: typeof turn.seq | typeof fact.seq) =>
  and(gt(seq, placeholder('after')), lte(seq, placeholder('upTo')));

const newTurns = prepareQuery(
  build
    .select({ seq: turn.seq, id: turn.dialogueId })
    .from(turn)
    .where(within(turn.seq))
    .orderBy(asc(turn.seq))
    .limit(placeholder('limit')),
);

const newFacts = prepareQuery(
  build
    .select({ seq: fact.seq, id: fact.subjectId })
    .from(fact)
    .where(within(fact.seq))
    .orderBy(asc(fact.seq))
    .limit(placeholder('limit')),
);

const turnsOfDialogues = prepareQuery(
  build
    .select({
      ...{ seq: turn.seq, dialogueId: turn.dialogueId, merchantId: turn.merchantId, channel: turn.channel },
      ...{ input: turn.input, ending: turn.ending, state: turn.state, reply: turn.reply },
      ...{ collectionId: turn.collectionId, at: turn.at },
      opens: sql<number>`CASE WHEN EXISTS (SELECT 1 FROM collection AS opened
        WHERE opened.id = turn.collection_id AND opened.dialogue_id = turn.dialogue_id) THEN 1 ELSE 0 END`,
    })
    .from(turn)
    .where(and(inArray(turn.dialogueId, listed), lte(turn.seq, placeholder('upTo'))))
    .orderBy(asc(turn.dialogueId), asc(turn.sequence)),
);

const factsOfSubjects = prepareQuery(
  build
    .select()
    .from(fact)
    .where(and(inArray(fact.subjectId, listed), lte(fact.seq, placeholder('upTo'))))
    .orderBy(asc(fact.subjectId), asc(fact.version)),
);

export async function readMark(store: Store): Promise<TotalsMark> {
  return (await markQuery.get(store)) ?? { turnSeq: 0, factSeq: 0 };
}

/** Counts dialogues by their turns up to a row. */
export async function countDialogues(store: Store, ids: readonly string[], upTo: number, after = 0) {
  const turns = await turnsOfDialogues.all(store, { ids: JSON.stringify(ids), upTo });
  return [...Map.groupBy(turns, (one) => one.dialogueId).values()].flatMap((all) =>
    difference(all, after, countDialogue),
  );
}

/** Counts payments by their facts up to a row. Facts of unplaced payments count as none. */
export async function countPayments(store: Store, ids: readonly string[], upTo: number, after = 0) {
  const facts = await factsOfSubjects.all(store, { ids: JSON.stringify(ids), upTo });
  return [...Map.groupBy(facts, (one) => one.subjectId).values()].flatMap((all) =>
    difference(all, after, countFacts),
  );
}

/** A tampered fact can hold any value: then the payment is not counted, and the audit reports it. */
function countFacts(facts: readonly ChainedFact[]): PaymentTotal[] {
  const payment = attempt(() => replayFacts(facts.map(readFact)));
  return payment ? [countPayment(payment)] : [];
}

/** Returns the counts of all rows, and those up to `after` with the opposite sign. */
function difference<Row extends CountedTurn | ChainedFact, Total extends PaymentTotal | ScreenTotal>(
  rows: readonly Row[],
  after: number,
  count: (rows: readonly Row[]) => Total[],
): Total[] {
  const before = after === 0 ? [] : count(rows.filter(({ seq }) => seq <= after));
  return [...count(rows), ...before.map(negate)];
}

function negate<Total extends PaymentTotal | ScreenTotal>(total: Total): Total {
  if ('count' in total) return { ...total, count: -total.count };
  const { payments, prompted, priceMinor, chargedMinor } = total;
  return {
    ...total,
    payments: -payments,
    prompted: -prompted,
    priceMinor: -priceMinor,
    chargedMinor: -chargedMinor,
  };
}

/** Adds the totals with equal keys, and leaves out those that are 0. */
export function addTotals({ payments, screens }: Totals): Totals {
  return { payments: addUp(payments, paymentSums), screens: addUp(screens, screenSums) };
}

function addUp<Row extends object, Sum extends keyof Row>(rows: readonly Row[], sums: readonly Sum[]): Row[] {
  const found = new Map<string, Row>();
  const keys = Object.keys(rows[0] ?? {}).filter(
    (name) => !sums.some((one) => one === name),
  ) as (keyof Row)[];
  for (const row of rows) {
    const key = keys.map((name) => row[name]).join('\n');
    const sum = found.get(key) ?? { ...row, ...Object.fromEntries(sums.map((name) => [name, 0])) };
    for (const name of sums) sum[name] = (Number(sum[name]) + Number(row[name])) as Row[Sum];
    found.set(key, sum);
  }
  return [...found.values()].filter((row) => sums.some((name) => row[name] !== 0));
}

/** Each total of an hour, and the same one of its day. */
function withDays<Row extends PaymentTotal | ScreenTotal>(rows: readonly Row[]): Row[] {
  const ofDay = rows.map((row): Row => ({ ...row, unit: 'day', start: startOfDay(row.start) }));
  return [...rows, ...ofDay];
}

const startOfDay = (at: EpochMs): EpochMs => Math.floor(at / dayMs) * dayMs;

/** What the rows after a mark add to the totals. `isWhole` when no more rows follow. */
export type TotalsChange = Totals & { next: TotalsMark; isWhole: boolean };

/** Reads what at most `limit` turns and as many facts after a mark add to the totals. */
export async function readChange(
  store: Store,
  mark: TotalsMark,
  end: TotalsMark,
  limit: number,
): Promise<TotalsChange> {
  const turns = await newTurns.all(store, { after: mark.turnSeq, upTo: end.turnSeq, limit });
  const facts = await newFacts.all(store, { after: mark.factSeq, upTo: end.factSeq, limit });
  const last = (rows: typeof turns, upTo: number) =>
    rows.length < limit ? upTo : (rows.at(-1)?.seq ?? upTo);
  const next = {
    turnSeq: last(turns, Math.max(mark.turnSeq, end.turnSeq)),
    factSeq: last(facts, Math.max(mark.factSeq, end.factSeq)),
  };
  const idsOf = (rows: typeof turns) => [...new Set(rows.map(({ id }) => id))];
  const screens =
    turns.length === 0 ? [] : await countDialogues(store, idsOf(turns), next.turnSeq, mark.turnSeq);
  const payments =
    facts.length === 0 ? [] : await countPayments(store, idsOf(facts), next.factSeq, mark.factSeq);
  const added = addTotals({ payments: withDays(payments), screens: withDays(screens) });
  return { ...added, next, isWhole: turns.length < limit && facts.length < limit };
}

/** Returns the newest turn and the newest fact. */
export async function readEnd(store: Store): Promise<TotalsMark> {
  return (await latest.get(store)) ?? { turnSeq: 0, factSeq: 0 };
}

const moveMark = prepareWrite<TotalsMark & { turnBefore: number; factBefore: number }>(
  toWrite(sql`INSERT INTO totals_mark (id, turn_seq, fact_seq)
    VALUES (1, ${placeholder('turnSeq')}, ${placeholder('factSeq')})
    ON CONFLICT (id) DO UPDATE SET turn_seq = excluded.turn_seq, fact_seq = excluded.fact_seq
    WHERE totals_mark.turn_seq = ${placeholder('turnBefore')} AND totals_mark.fact_seq = ${placeholder('factBefore')}`),
  1,
);

const addPayments = prepareAdd(paymentTotal, paymentSums);
const addScreens = prepareAdd(screenTotal, screenSums);

/** Prepares the write that adds a list of totals, which is one value: many rows in one statement. */
function prepareAdd(table: typeof paymentTotal | typeof screenTotal, sums: readonly string[]) {
  const columns = Object.entries(getTableColumns(table));
  const named = columns.map(([key, column]) => ({ key, name: column.name, type: column.getSQLType() }));
  const list = (parts: readonly string[]) => sql.raw(parts.join(', '));
  const values = named.map(({ key, type }) =>
    type === 'integer' ? `CAST(value ->> '$.${key}' AS BIGINT)` : `value ->> '$.${key}'`,
  );
  const [summed, keyed] = [true, false].map((isSum) =>
    named.filter(({ key }) => sums.includes(key) === isSum).map(({ name }) => name),
  ) as [string[], string[]];
  // Without a condition, SQLite would read ON CONFLICT as the condition of a join.
  return prepareWrite<{ rows: string }>(
    toWrite(sql`INSERT INTO ${table} (${list(named.map(({ name }) => name))})
      SELECT ${list(values)} FROM json_each(${placeholder('rows')}) WHERE true
      ON CONFLICT (${list(keyed)}) DO UPDATE SET ${list(
        summed.map((name) => `${name} = excluded.${name} + coalesce(${getTableName(table)}.${name}, 0)`),
      )}`),
  );
}

/**
 * Adds the next rows to the totals, at most `limit` turns and as many facts. Safe to call concurrently: the mark is moved in the same
 * batch, and only by the first of two.
 *
 * @returns true when rows are left.
 */
export async function addNextRows(store: Store, limit: number): Promise<boolean> {
  const mark = await readMark(store);
  const end = await readEnd(store);
  // No row with an earlier number may appear later.
  if (!(await store.settled())) return false;
  const { next, isWhole, payments, screens } = await readChange(store, mark, end, limit);
  if (next.turnSeq === mark.turnSeq && next.factSeq === mark.factSeq) return false;
  await store.apply([
    moveMark({ ...next, turnBefore: mark.turnSeq, factBefore: mark.factSeq }),
    addPayments({ rows: JSON.stringify(payments) }),
    addScreens({ rows: JSON.stringify(screens) }),
  ]);
  return !isWhole;
}

/** Turns, and facts, that are counted in one transaction. */
const batchSize = 200;

/** Batches of one run. The event loop serves payers between two batches. */
const maxBatches = 4;

/** Returns the job that adds new turns and facts to the totals. A turn itself writes no total, so that it costs a payer nothing. */
export function insightJob(store: Store, everyMs: number): PeriodicJob {
  return {
    name: 'insights',
    everyMs,
    // Payments that wait for the start of the gateway come first.
    firstAfterMs: 1_000,
    async run() {
      for (let batches = 0; batches < maxBatches; batches++)
        if (!(await addNextRows(store, batchSize))) return 'done';
      return 'more';
    },
  };
}
