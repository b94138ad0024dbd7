import { messageOf } from '../../shared/errors.ts';
import type { FactRow, PostingRow } from '../ledger/chain.ts';
import type { Booking } from '../ledger/posting.ts';
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
  const gap = factRows.findIndex((one, index) => one.version !== index + 1);
  const faults = gap < 0 ? [] : [`fact ${gap + 1} is missing`];
  const others = factRows
    .filter(({ merchantId }) => merchantId !== row.merchantId)
    .map(({ version, merchantId }) => `has a fact of another merchant: fact ${version} of ${merchantId}`);
  try {
    const { after, bookings } = applyFacts(undefined, factRows.map(readUnplacedFact));
    if (!after) return [...faults, 'has no first fact'];
    return [...faults, ...others, ...rowFaults(row, after), ...journalFaults(row, bookings, postings)];
  } catch (fault) {
    // A tampered fact can hold any value.
    return [...faults, ...others, `has facts that cannot be replayed: ${messageOf(fault)}`];
  }
}

/** @throws SyntaxError when the data of the fact is not JSON. */
export function readUnplacedFact({ kind, data, at }: FactRow): RecordedUnplacedFact {
  return { kind, data: JSON.parse(data), at } as RecordedUnplacedFact;
}

function rowFaults(row: Record<string, unknown>, expected: object): string[] {
  return Object.entries(expected)
    .filter(([field, value]) => row[field] !== value)
    .map(([field, value]) => `${field}: expected ${show(value)} by its facts, found ${show(row[field])}`);
}

function journalFaults(
  { merchantId, livemode }: Record<string, unknown>,
  bookings: readonly Booking[],
  postings: readonly PostingRow[],
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
