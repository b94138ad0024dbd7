import { errorMessage } from '../../shared/errors.ts';
import { digestAnswers } from '../collection/answers.ts';
import { listBookings } from '../collection/decide/decide.ts';
import { type RecordedFact, replayFacts } from '../collection/fact.ts';
import { readFact } from '../collection/fact-row.ts';
import type { ChainedFact, ChainedPosting } from '../ledger/chain.ts';
import type { Booking } from '../ledger/posting.ts';
import type { LedgerAudits } from '../ledger/verify.ts';
import { applyFacts, readUnplacedFact } from '../unplaced/fact.ts';

/** The audits of collections and unplaced payments, for `verifyLedger`. */
export const ledgerAudits: LedgerAudits = { collection: auditCollection, unplaced: auditUnplaced };

/**
 * Compares a stored collection and its postings with its facts. Every field of the row except its schedule must equal
 * the replay of the facts, and the journal must hold exactly the bookings that they require.
 *
 * @returns one sentence for each difference.
 */
function auditCollection(
  row: Record<string, unknown>,
  factRows: readonly ChainedFact[],
  postings: readonly ChainedPosting[],
): string[] {
  const faults = gapFaults(factRows);
  const [facts] = attempt('has a fact that cannot be read', () => [factRows.map(readFact)]);
  if (typeof facts !== 'object') return [...faults, facts ?? 'has no first fact'];
  return [
    ...faults,
    ...merchantFaults(row, factRows),
    ...attempt('has facts that cannot be replayed', () => projectionFaults(row, facts)),
    ...attempt('has answers that cannot be read', () => answerFaults(row, factRows)),
    ...attempt('has facts that cannot be booked', () => journalFaults(row, listBookings(facts), postings)),
  ];
}

/** Returns the result of a check, or one fault when it throws: a tampered fact can hold any value. */
function attempt<T>(failed: string, check: () => T[]): (T | string)[] {
  try {
    return check();
  } catch (fault) {
    return [`${failed}: ${errorMessage(fault)}`];
  }
}

/** The replay has the bytes of the create call that state the payment: they decide what the service charges. */
function projectionFaults(row: Record<string, unknown>, facts: readonly RecordedFact[]): string[] {
  const state = replayFacts(facts);
  return state ? rowFaults(row, { ...state, answers: row.answers }) : ['has no first fact'];
}

/** Compares the answers with their digest in the first fact. Retention deletes them: triggers reject an earlier deletion. */
function answerFaults({ answers }: Record<string, unknown>, [first]: readonly ChainedFact[]): string[] {
  if (typeof answers !== 'string') return [];
  const { answersDigest }: { answersDigest?: unknown } = JSON.parse(first?.data ?? '{}');
  return answersDigest === digestAnswers(answers)
    ? []
    : ['answers: differ from their digest in its first fact'];
}

/**
 * Compares a stored unplaced payment and its postings with its facts. Every field of the row must equal the replay of the
 * facts, and the journal must hold exactly the bookings that they require.
 *
 * @returns one sentence for each difference.
 */
function auditUnplaced(
  row: Record<string, unknown>,
  factRows: readonly ChainedFact[],
  postings: readonly ChainedPosting[],
): string[] {
  const faults = [...gapFaults(factRows), ...merchantFaults(row, factRows)];
  try {
    const { after, bookings } = applyFacts(undefined, factRows.map(readUnplacedFact));
    if (!after) return [...faults, 'has no first fact'];
    return [...faults, ...rowFaults(row, after), ...journalFaults(row, bookings, postings)];
  } catch (fault) {
    // A tampered fact can hold any value.
    return [...faults, `has facts that cannot be replayed: ${errorMessage(fault)}`];
  }
}

/*
 * The audits of collections and of unplaced payments compare the stored rows with the replay of the facts. Each
 * function returns one sentence for each difference.
 */

/** Compares the versions of the facts of a subject: they count from 1. */
function gapFaults(facts: readonly ChainedFact[]): string[] {
  const gap = facts.findIndex((one, index) => one.version !== index + 1);
  return gap < 0 ? [] : [`fact ${gap + 1} is missing`];
}

function merchantFaults({ merchantId }: Record<string, unknown>, facts: readonly ChainedFact[]): string[] {
  return facts
    .filter((fact) => fact.merchantId !== merchantId)
    .map((fact) => `has a fact of another merchant: fact ${fact.version} of ${fact.merchantId}`);
}

/** Compares every field of the replay with the stored row. */
function rowFaults(row: Record<string, unknown>, expected: object): string[] {
  const values = expected as Record<string, unknown>;
  return Object.keys(values)
    .filter((field) => row[field] !== values[field])
    .map((field) => `${field}: expected ${show(values[field])} by its facts, found ${show(row[field])}`);
}

/** Compares the stored postings with the bookings that the facts require. */
function journalFaults(
  { merchantId, livemode }: Record<string, unknown>,
  bookings: readonly Booking[],
  postings: readonly ChainedPosting[],
): string[] {
  const line = (booking: string, account: string, amountMinor: number) =>
    `${booking} ${account} ${amountMinor} pesewas`;
  const missing = bookings.flatMap(({ kind, postings: sides }) =>
    sides.map((side) => line(kind, side.account, side.amountMinor)),
  );
  const faults: string[] = [];
  for (const posting of postings) {
    const found = line(posting.booking, posting.account, posting.amountMinor);
    const at = missing.indexOf(found);
    if (at < 0) faults.push(`has a posting that no fact requires: ${found}`);
    else missing.splice(at, 1);
    if (posting.merchantId !== merchantId || posting.livemode !== livemode)
      faults.push(`has a posting of another merchant or mode: ${found}`);
  }
  return [...faults, ...missing.map((one) => `lacks a posting that its facts require: ${one}`)];
}

function show(value: unknown): string {
  return value === null || value === undefined ? 'nothing' : String(value);
}
