import { messageOf } from '../../shared/errors.ts';
import type { FactRow, PostingRow } from '../ledger/chain.ts';
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
  const gap = factRows.findIndex((one, index) => one.version !== index + 1);
  const faults = gap < 0 ? [] : [`fact ${gap + 1} is missing`];
  const [facts] = attempt('has a fact that cannot be read', () => [factRows.map(readFact)]);
  if (typeof facts !== 'object') return [...faults, facts ?? 'has no first fact'];
  return [
    ...faults,
    ...merchantFaults(row, factRows),
    ...attempt('has facts that cannot be replayed', () => projectionFaults(row, facts)),
    ...attempt('has facts that cannot be booked', () => journalFaults(row, facts, postings)),
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
  const differences = Object.entries(state)
    .filter(([field, expected]) => row[field] !== expected)
    .map(
      ([field, expected]) => `${field}: expected ${show(expected)} by its facts, found ${show(row[field])}`,
    );
  return [...differences, ...createBodyFaults(state)];
}

function merchantFaults({ merchantId }: Record<string, unknown>, facts: readonly FactRow[]): string[] {
  return facts
    .filter((fact) => fact.merchantId !== merchantId)
    .map((fact) => `has a fact of another merchant: fact ${fact.version} of ${fact.merchantId}`);
}

/** The bytes of the create call decide what the service charges, so they must state the payment of the row. */
function createBodyFaults(intent: CollectionIntent): string[] {
  return intent.createBody === createBodyOf(intent)
    ? []
    : ['its create call differs from its payer, price, network and reference'];
}

function journalFaults(
  row: Record<string, unknown>,
  facts: readonly RecordedFact[],
  postings: readonly PostingRow[],
): string[] {
  const line = (booking: string, account: string, amountMinor: number) =>
    `${booking} ${account} ${amountMinor} pesewas`;
  const missing = bookingsOf(facts).flatMap(({ kind, postings: sides }) =>
    sides.map((side) => line(kind, side.account, side.amountMinor)),
  );
  const faults: string[] = [];
  for (const posting of postings) {
    const found = line(posting.booking, posting.account, posting.amountMinor);
    const at = missing.indexOf(found);
    if (at < 0) faults.push(`has a posting that no fact requires: ${found}`);
    else missing.splice(at, 1);
    if (posting.merchantId !== row.merchantId || posting.livemode !== row.livemode) {
      faults.push(`has a posting of another merchant or mode: ${found}`);
    }
  }
  return [...faults, ...missing.map((one) => `lacks a posting that its facts require: ${one}`)];
}

function show(value: unknown): string {
  return value === null || value === undefined ? 'nothing' : String(value);
}
