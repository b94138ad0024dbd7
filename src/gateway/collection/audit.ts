import { errorMessage } from '../../shared/errors.ts';
import type { FactRow, PostingRow } from '../ledger/chain.ts';
import { gapFaults, journalFaults, merchantFaults, rowFaults } from '../ledger/compare-rows.ts';
import { digestAnswers } from './answers.ts';
import { listBookings } from './booking.ts';
import { type RecordedFact, replay } from './fact.ts';
import { readFact } from './fact-row.ts';

/**
 * Compares a stored collection and its postings with its facts. Every field of the row except its schedule must equal
 * the replay of the facts, and the journal must hold exactly the bookings that they require.
 *
 * @returns one sentence for each difference.
 */
export function auditCollection(
  row: Record<string, unknown>,
  factRows: readonly FactRow[],
  postings: readonly PostingRow[],
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
  const state = replay(facts);
  return state ? rowFaults(row, { ...state, answers: row.answers }) : ['has no first fact'];
}

/** Compares the answers with their digest in the first fact. Retention deletes them: triggers reject an earlier deletion. */
function answerFaults({ answers }: Record<string, unknown>, [first]: readonly FactRow[]): string[] {
  if (typeof answers !== 'string') return [];
  const { answersDigest }: { answersDigest?: unknown } = JSON.parse(first?.data ?? '{}');
  return answersDigest === digestAnswers(answers)
    ? []
    : ['answers: differ from their digest in its first fact'];
}
