import { listBookings } from '../../src/gateway/collection/booking.ts';
import { readFact } from '../../src/gateway/collection/fact-row.ts';
import type { FactRow } from '../../src/gateway/ledger/chain.ts';

import { applyFacts, readUnplacedFact } from '../../src/gateway/unplaced/fact.ts';
import type { Database } from '../../src/sqlite/driver.ts';

/** Returns the bookings of a collection, or of an unplaced payment. */
function bookingsOfSubject([id, facts]: [string, FactRow[]]) {
  if (!id.startsWith('unp_')) return listBookings(facts.map(readFact));
  return applyFacts(undefined, facts.map(readUnplacedFact)).bookings;
}

/**
 * Compares the balance of each account with the bookings that all facts require (I3).
 *
 * @returns one sentence for each difference.
 */
export function balanceFaults(file: Database): string[] {
  const rows = file
    .prepare(
      'SELECT subject_id AS subjectId, merchant_id AS merchantId, kind, data, at FROM fact ORDER BY seq',
    )
    .all() as FactRow[];
  const facts = new Map<string, FactRow[]>();
  for (const row of rows) facts.set(row.subjectId, [...(facts.get(row.subjectId) ?? []), row]);
  const expected = new Map<string, number>();
  for (const { postings } of [...facts].flatMap(bookingsOfSubject)) {
    for (const { account, amountMinor } of postings)
      expected.set(account, (expected.get(account) ?? 0) + amountMinor);
  }
  const found = new Map(
    file.prepare('SELECT account, sum(amount_minor) FROM posting GROUP BY account').raw().all() as [
      string,
      number,
    ][],
  );
  return [...new Set([...expected.keys(), ...found.keys()])]
    .filter((account) => (expected.get(account) ?? 0) !== (found.get(account) ?? 0))
    .map(
      (account) =>
        `${account} holds ${found.get(account) ?? 0} pesewas, its facts require ${expected.get(account) ?? 0}`,
    );
}
