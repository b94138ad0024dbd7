import { messageOf } from '../../shared/errors.ts';
import type { FactRow, PostingRow } from '../ledger/chain.ts';
import { gapFaults, journalFaults, merchantFaults, rowFaults } from '../ledger/compare-rows.ts';
import { bookingsOf } from './booking.ts';
import type { CollectionIntent } from './collection.ts';
import { type RecordedFact, replay } from './fact.ts';
import { createBodyOf } from './opening/create-body.ts';

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
    ...attempt('has facts that cannot be booked', () => journalFaults(row, bookingsOf(facts), postings)),
  ];
}

function readFact({ kind, data, at }: FactRow): RecordedFact {
  return { kind, data: JSON.parse(data), at } as RecordedFact;
}

/** Returns the result of a check, or one fault when it throws: a tampered fact can hold any value. */
function attempt<T>(failed: string, check: () => T[]): (T | string)[] {
  try {
    return check();
  } catch (fault) {
    return [`${failed}: ${messageOf(fault)}`];
  }
}

function projectionFaults(row: Record<string, unknown>, facts: readonly RecordedFact[]): string[] {
  const state = replay(facts);
  if (!state) return ['has no first fact'];
  return [...rowFaults(row, state), ...createBodyFaults(state)];
}

/** The bytes of the create call decide what the service charges, so they must state the payment of the row. */
function createBodyFaults(intent: CollectionIntent): string[] {
  return intent.createBody === createBodyOf(intent)
    ? []
    : ['its create call differs from its payer, price, network and reference'];
}
