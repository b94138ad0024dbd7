import { createHash } from 'node:crypto';
import type { EpochMs } from '../../shared/clock.ts';
import type { TimeSpan } from '../ledger/day.ts';

/** The amounts of one payment, in pesewas. A statement need not have a column of prices or fees. */
export type ComparedAmounts = { totalMinor: number; feeMinor: number | null; priceMinor: number | null };

/** One payment session in the statement of the service. Several lines of a session are added up. */
export type StatementLine = ComparedAmounts & { sessionId: string; at: EpochMs };

/** A payment in the books. `paidAt` is the time that the service has reported; null without one. */
export type BookedPayment = ComparedAmounts & {
  collectionId: string;
  /** The payment session of its money; null for a payment that people decided without one. */
  sessionId: string | null;
  openedAt: EpochMs;
  paidAt: EpochMs | null;
};

/**
 * How books and statement differ about one payment.
 *
 * - `only_in_books`: paid in the books of the day, and not in its statement.
 * - `only_in_statement`: in the statement of the day, and paid on no day of the books near it.
 * - `amount`: in both, with other amounts.
 * - `later_day`: opened before midnight and paid within `graceMs` after it: the books have it on the day of its opening, and the
 *   statement on the next one.
 */
export type DifferenceKind = 'only_in_books' | 'only_in_statement' | 'amount' | 'later_day';

export type StatementDifference = {
  /** Identifies the difference with its amounts: an explanation of it holds for no other one. */
  id: string;
  kind: DifferenceKind;
  sessionId: string | null;
  /** The payment of the books; null without one. */
  collectionId: string | null;
  books: ComparedAmounts | null;
  statement: ComparedAmounts | null;
  /** When the payment of the books was opened, and when it was paid, as the service states it. */
  openedAt: EpochMs | null;
  paidAt: EpochMs | null;
};

/** Time after midnight within which a payment that was opened before it is paid: longer than a payer may wait before a retry. */
export const graceMs = 60 * 60_000;

/** The day that is compared, its statement, and the payments of the books: those of the day, and others of sessions in the statement. */
export type ComparedDay = {
  span: TimeSpan;
  books: readonly BookedPayment[];
  statement: readonly StatementLine[];
};

/** Returns the sum of two amounts. A part that one of them has not, the sum has not either. */
export function addAmounts(one: ComparedAmounts, other: ComparedAmounts): ComparedAmounts {
  const add = (left: number | null, right: number | null) =>
    left === null || right === null ? null : left + right;
  return {
    totalMinor: one.totalMinor + other.totalMinor,
    feeMinor: add(one.feeMinor, other.feeMinor),
    priceMinor: add(one.priceMinor, other.priceMinor),
  };
}

/**
 * Compares the paid payments that were opened on a day with the statement of the service about it, by payment session. Without a
 * difference, both have the same sum. Payments of one session, such as of a second charge, are compared as their sum.
 *
 * @returns the differences: those of the statement in its order, then those of the books in theirs. Each session has at most one.
 */
export function compareStatement({ span, books, statement }: ComparedDay): StatementDifference[] {
  const bySession = addUp(books, span);
  const inStatement = new Set(statement.map(({ sessionId }) => sessionId));
  const found = statement.map((line) => compareLine(line, bySession.get(line.sessionId), span));
  const missing = books.map((payment) =>
    isIn(span, payment.openedAt) && (payment.sessionId === null || !inStatement.has(payment.sessionId))
      ? toDifference(isPaidLater(payment, span) ? 'later_day' : 'only_in_books', undefined, payment)
      : undefined,
  );
  return [...found, ...missing].filter((one) => one !== undefined);
}

/** Adds up the payments of each session: those of the day, and without one, those of other days. */
function addUp(books: readonly BookedPayment[], span: TimeSpan): Map<string | null, BookedPayment> {
  const sums = new Map<string | null, BookedPayment>();
  for (const payment of books) {
    const before = sums.get(payment.sessionId);
    const isOfDay = isIn(span, payment.openedAt);
    if (before && isIn(span, before.openedAt) === isOfDay)
      sums.set(payment.sessionId, { ...before, ...addAmounts(before, payment) });
    else if (!before || isOfDay) sums.set(payment.sessionId, payment);
  }
  return sums;
}

function compareLine(
  line: StatementLine,
  payment: BookedPayment | undefined,
  span: TimeSpan,
): StatementDifference | undefined {
  // A charge that was reversed on the same day is money in neither.
  if (!payment) return line.totalMinor === 0 ? undefined : toDifference('only_in_statement', line);
  if (!isSame(line, payment)) return toDifference('amount', line, payment);
  if (isIn(span, payment.openedAt)) return undefined;
  const isLater = payment.openedAt < span.from && line.at < span.from + graceMs;
  return toDifference(isLater ? 'later_day' : 'only_in_statement', line, payment);
}

/** Returns whether the statement of the next day has a payment. Without the service's time, the one of the opening decides. */
function isPaidLater({ openedAt, paidAt }: BookedPayment, { to }: TimeSpan): boolean {
  return paidAt === null ? openedAt >= to - graceMs : paidAt >= to && paidAt < to + graceMs;
}

function isIn({ from, to }: TimeSpan, at: EpochMs): boolean {
  return at >= from && at < to;
}

function isSame(line: ComparedAmounts, payment: ComparedAmounts): boolean {
  const isEqual = (one: number | null, other: number | null) =>
    one === null || other === null || one === other;
  return (
    line.totalMinor === payment.totalMinor &&
    isEqual(line.feeMinor, payment.feeMinor) &&
    isEqual(line.priceMinor, payment.priceMinor)
  );
}

function toDifference(
  kind: DifferenceKind,
  line: StatementLine | undefined,
  payment?: BookedPayment,
): StatementDifference {
  const facts = {
    kind,
    sessionId: line?.sessionId ?? payment?.sessionId ?? null,
    collectionId: payment?.collectionId ?? null,
    books: payment ? toAmounts(payment) : null,
    statement: line ? toAmounts(line) : null,
  };
  const digest = createHash('sha256').update(JSON.stringify(facts)).digest('hex');
  return {
    id: `dif_${digest.slice(0, 20)}`,
    ...facts,
    openedAt: payment?.openedAt ?? null,
    paidAt: line?.at ?? payment?.paidAt ?? null,
  };
}

function toAmounts({ totalMinor, feeMinor, priceMinor }: ComparedAmounts): ComparedAmounts {
  return { totalMinor, feeMinor, priceMinor };
}
