import type { FactRow, PostingRow } from './chain.ts';
import type { Booking } from './posting.ts';

/*
 * What the audits of collections and of unplaced payments compare: the stored rows with the replay of the facts. Each
 * function returns one sentence for each difference.
 */

/** Compares the versions of the facts of a subject: they count from 1. */
export function gapFaults(facts: readonly FactRow[]): string[] {
  const gap = facts.findIndex((one, index) => one.version !== index + 1);
  return gap < 0 ? [] : [`fact ${gap + 1} is missing`];
}

export function merchantFaults({ merchantId }: Record<string, unknown>, facts: readonly FactRow[]): string[] {
  return facts
    .filter((fact) => fact.merchantId !== merchantId)
    .map((fact) => `has a fact of another merchant: fact ${fact.version} of ${fact.merchantId}`);
}

/** Compares every field of the replay with the stored row. */
export function rowFaults(row: Record<string, unknown>, expected: object): string[] {
  const values = expected as Record<string, unknown>;
  return Object.keys(values)
    .filter((field) => row[field] !== values[field])
    .map((field) => `${field}: expected ${show(values[field])} by its facts, found ${show(row[field])}`);
}

/** Compares the stored postings with the bookings that the facts require. */
export function journalFaults(
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
