import { and, asc, eq, gt, gte, inArray, lt, or, type SQL, sql } from 'drizzle-orm';
import type { EpochMs } from '../../shared/clock.ts';
import { maskNumbers } from '../../shared/msisdn.ts';
import type { Store } from '../../sqlite/store.ts';
import { collection, staffAction, unplacedPayment } from '../database/schema.ts';
import { readDay, type TimeSpan } from '../ledger/day.ts';
import {
  type BookedPayment,
  compareStatement,
  type StatementDifference,
  type StatementLine,
} from './compare.ts';
import { findStatement, type ImportedStatement, type MerchantDay } from './statement-store.ts';

/** What a person wrote about a difference. */
export type DifferenceExplanation = { actor: string; at: EpochMs; text: string };

/** The review of a payment, and who decides it. */
export type DifferenceReview = { reason: string; decidedBy: 'service' | 'people' };

/** Where the money of a session in the statement is, when the books have no payment of it. */
export type KnownElsewhere =
  | { kind: 'collection'; id: string; status: string; review: DifferenceReview | null }
  | { kind: 'unplaced'; id: string; state: string };

/** A difference with its explanation; null without one. Phone numbers in its texts are masked. */
export type ExplainedDifference = StatementDifference & {
  explanation: DifferenceExplanation | null;
  elsewhere: KnownElsewhere | null;
  /** The open review of the payment that the books have, on any account; null without one. */
  review: DifferenceReview | null;
};

/** The books of a day beside its statement. Amounts are the sums of the payments, in pesewas. */
export type Comparison = Pick<
  ImportedStatement,
  'merchantId' | 'date' | 'digest' | 'importedBy' | 'importedAt'
> & {
  /** Payment sessions of the statement, without those of others. */
  sessions: number;
  statementMinor: number;
  /** Sessions of other channels, and of other merchants of the same account at the service. They are not compared. */
  ofOthers: number;
  booksMinor: number;
  differences: ExplainedDifference[];
};

/** Rows of one read, so that a long day keeps no other request waiting. */
const pageRows = 1_000;

/** Compares the books of a day, as they are now, with its imported statement. @returns undefined without a statement. */
export async function readComparison(store: Store, day: MerchantDay): Promise<Comparison | undefined> {
  const span = readDay(day.date);
  const statement = span && (await findStatement(store, day));
  if (!span || !statement) return undefined;
  return compareWith(store, statement, span);
}

/** Compares the books of a day with a statement, which need not be stored yet. */
export async function compareWith(
  store: Store,
  statement: ImportedStatement,
  span: TimeSpan,
): Promise<Comparison> {
  const { merchantId, livemode, date, digest, importedBy, importedAt } = statement;
  const owner = { merchantId, livemode };
  const ofDay = await readPaidOfDay(store, owner, span);
  const known = new Set(ofDay.map(({ sessionId }) => sessionId));
  const rest = statement.lines.map(({ sessionId }) => sessionId).filter((id) => !known.has(id));
  const others = await readOfSessions(store, owner, rest);
  const lines = statement.lines.filter(({ sessionId }) => !others.foreign.has(sessionId));
  // A matched payment is found by its own session and by that of its money.
  const books = [...new Map([...ofDay, ...others.paid].map((one) => [one.collectionId, one])).values()];
  const reviews = new Map(books.map(({ collectionId, review }) => [collectionId, review]));
  const differences = compareStatement({ span, books, statement: lines });
  const explanations = differences.length === 0 ? undefined : await readExplanations(store, statement);
  return {
    ...{ merchantId, date, digest, importedBy, importedAt },
    sessions: lines.length,
    ofOthers: others.foreign.size,
    statementMinor: computeTotal(lines),
    booksMinor: computeTotal(ofDay),
    differences: differences.map((one) => {
      const elsewhere =
        (one.kind === 'only_in_statement' && others.elsewhere.get(one.sessionId ?? '')) || null;
      const ofOther = elsewhere?.kind === 'collection' ? elsewhere.review : null;
      return {
        ...one,
        sessionId: one.sessionId && maskNumbers(one.sessionId),
        explanation: explanations?.get(one.id) ?? null,
        elsewhere,
        review: reviews.get(one.collectionId ?? '') ?? ofOther,
      };
    }),
  };
}

function computeTotal(rows: readonly Pick<StatementLine, 'totalMinor'>[]): number {
  return rows.reduce((sum, { totalMinor }) => sum + totalMinor, 0);
}

type Owner = Omit<MerchantDay, 'date'>;

/** The session of the money: that of a matched unplaced payment, or else the one of the collection. */
const moneySession = sql<string | null>`coalesce(${unplacedPayment.sessionId}, ${collection.sessionId})`;

const fields = {
  collectionId: collection.id,
  merchantId: collection.merchantId,
  sessionId: moneySession,
  openedAt: collection.openedAt,
  paidAt: collection.paidAt,
  status: collection.status,
  ...{ review: collection.review, awaitsServiceSince: collection.awaitsServiceSince },
  totalMinor: sql<number>`coalesce(${collection.amountMinor}, 0)`,
  feeMinor: collection.feeMinor,
  priceMinor: collection.netMinor,
};

function selectPayments({ read }: Store, where: SQL | undefined) {
  return read
    .select(fields)
    .from(collection)
    .leftJoin(unplacedPayment, eq(unplacedPayment.id, collection.unplacedId))
    .where(where);
}

type PaymentRow = Awaited<ReturnType<typeof selectPayments>>[number];

/** `paidAt` is the text of the service; one that is no time is as good as none. */
function toBooked(row: PaymentRow): ReviewedPayment {
  const { status, merchantId, awaitsServiceSince, paidAt, ...booked } = row;
  const at = Date.parse(paidAt ?? '');
  return { ...booked, paidAt: Number.isFinite(at) ? at : null, review: findReview(row) };
}

type ReviewedPayment = BookedPayment & { review: DifferenceReview | null };

function findReview({ review: reason, awaitsServiceSince }: PaymentRow): DifferenceReview | null {
  return reason === null ? null : { reason, decidedBy: awaitsServiceSince !== null ? 'service' : 'people' };
}

/** Reads the paid payments of a merchant that were opened in a span of time, in the order of their opening. */
async function readPaidOfDay(
  store: Store,
  { merchantId, livemode }: Owner,
  { from, to }: TimeSpan,
): Promise<ReviewedPayment[]> {
  const found: ReviewedPayment[] = [];
  let last: PaymentRow | undefined;
  for (;;) {
    const after =
      last &&
      or(
        gt(collection.openedAt, last.openedAt),
        and(eq(collection.openedAt, last.openedAt), gt(collection.id, last.collectionId)),
      );
    const rows = await selectPayments(
      store,
      and(
        eq(collection.merchantId, merchantId),
        eq(collection.livemode, livemode),
        gte(collection.openedAt, last?.openedAt ?? from),
        lt(collection.openedAt, to),
        sql`${collection.status} = 'paid'`,
        after,
      ),
    )
      .orderBy(asc(collection.openedAt), asc(collection.id))
      .limit(pageRows);
    found.push(...rows.map(toBooked));
    last = rows.at(-1);
    if (rows.length < pageRows) return found;
  }
}

/** Reads what the books have of payment sessions: the paid payments, and where the money of the others is. */
async function readOfSessions(store: Store, owner: Owner, sessionIds: readonly string[]) {
  const paid: ReviewedPayment[] = [];
  const elsewhere = new Map<string, KnownElsewhere>();
  const foreign = new Set<string>();
  for (let start = 0; start < sessionIds.length; start += pageRows) {
    const ids = sessionIds.slice(start, start + pageRows);
    const unplaced = await store.read
      .select()
      .from(unplacedPayment)
      .where(
        and(
          inArray(unplacedPayment.sessionId, ids),
          eq(unplacedPayment.merchantId, owner.merchantId),
          eq(unplacedPayment.livemode, owner.livemode),
        ),
      )
      .orderBy(asc(unplacedPayment.charge));
    for (const { sessionId, id, state } of unplaced) {
      if (state === 'foreign') foreign.add(sessionId ?? '');
      else elsewhere.set(sessionId ?? '', { kind: 'unplaced', id, state });
    }
    const placed = unplaced.flatMap(({ collectionId }) => collectionId ?? []);
    const rows = await selectPayments(
      store,
      and(
        or(inArray(collection.sessionId, ids), inArray(collection.id, placed)),
        eq(collection.livemode, owner.livemode),
      ),
    ).orderBy(asc(collection.openedAt), asc(collection.id));
    for (const row of rows) {
      // An account at the service can belong to several merchants of the configuration.
      if (row.merchantId !== owner.merchantId) foreign.add(row.sessionId ?? '');
      else if (row.status === 'paid') paid.push(toBooked(row));
      else if (row.sessionId !== null && !elsewhere.has(row.sessionId))
        elsewhere.set(row.sessionId, {
          ...{ kind: 'collection', id: row.collectionId, status: row.status },
          review: findReview(row),
        });
    }
  }
  return { paid, elsewhere, foreign };
}

/** Reads the last explanation of each difference of a day. */
async function readExplanations(
  { read }: Store,
  { merchantId, livemode, date }: MerchantDay,
): Promise<Map<string, DifferenceExplanation>> {
  const rows = await read
    .select({ actor: staffAction.actor, at: staffAction.at, detail: staffAction.detail })
    .from(staffAction)
    .where(
      and(
        eq(staffAction.subjectId, date),
        eq(staffAction.subjectKind, 'day'),
        eq(staffAction.action, 'explain_difference'),
        eq(staffAction.result, 'done'),
        eq(staffAction.merchantId, merchantId),
        eq(staffAction.livemode, livemode),
      ),
    )
    .orderBy(asc(staffAction.seq));
  return new Map(
    rows.flatMap(({ actor, at, detail }) => {
      const { text, differences } = JSON.parse(detail) as { text: string; differences: { id: string }[] };
      return differences.map(({ id }) => [id, { actor, at, text: maskNumbers(text) }] as const);
    }),
  );
}
