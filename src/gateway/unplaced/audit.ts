import { errorMessage } from '../../shared/errors.ts';
import type { FactRow, PostingRow } from '../ledger/chain.ts';
import { gapFaults, journalFaults, merchantFaults, rowFaults } from '../ledger/compare-rows.ts';
import { applyFacts, type RecordedUnplacedFact } from './fact.ts';

/**
 * Compares a stored unplaced payment and its postings with its facts. Every field of the row must equal the replay of the
 * facts, and the journal must hold exactly the bookings that they require.
 *
 * @returns one sentence for each difference.
 */
export function auditUnplaced(
  row: Record<string, unknown>,
  factRows: readonly FactRow[],
  postings: readonly PostingRow[],
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

/** @throws SyntaxError when the data of the fact is not JSON. */
export function readUnplacedFact({
  kind,
  data,
  at,
}: Pick<FactRow, 'kind' | 'data' | 'at'>): RecordedUnplacedFact {
  return { kind, data: JSON.parse(data), at } as RecordedUnplacedFact;
}
