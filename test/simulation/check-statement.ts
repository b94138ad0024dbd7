import { compareWith } from '../../src/gateway/service-statement/comparison-query.ts';
import type { Store } from '../../src/sqlite/store.ts';
import type { OracleSession } from './oracle/session.ts';
import { start } from './scene.ts';

/** All money is compared, whatever day a wrong clock has written. */
const span = { from: Number.MIN_SAFE_INTEGER, to: Number.MAX_SAFE_INTEGER };

/** What the service took, and the merchants of the gateway. */
type StatementRecords = {
  sessions: Iterable<OracleSession>;
  merchants: readonly string[];
  count(what: string): void;
};

/**
 * Compares the paid payments of each merchant with the statement of the service, as the desk does at the close of a day. A session is
 * listed if and only if its money is another in books and statement, and the differences add up to that of the two sums.
 *
 * @returns one sentence for each fault.
 */
export async function statementFaults(
  store: Store,
  { sessions, merchants, count }: StatementRecords,
): Promise<string[]> {
  const charged = [...sessions].filter(({ charges }) => charges > 0);
  const faults = merchants.map((merchant) => faultsOf(store, merchant, charged, count));
  return (await Promise.all(faults)).flat();
}

async function faultsOf(
  store: Store,
  merchantId: string,
  charged: readonly OracleSession[],
  count: StatementRecords['count'],
): Promise<string[]> {
  const lines = charged
    .filter(({ merchant }) => merchant === merchantId)
    .map(({ id, takenMinor, refundedMinor, paidAt }) => {
      const totalMinor = takenMinor - refundedMinor;
      return {
        sessionId: id,
        at: Date.parse(paidAt ?? '') || start,
        totalMinor,
        feeMinor: null,
        priceMinor: null,
      };
    });
  const ofMerchant = 'SELECT livemode FROM collection WHERE merchant_id = ?';
  const [livemode] = ((await store.query(ofMerchant, [merchantId], 'row')) ?? [0]) as [0 | 1];
  const found = await compareWith(
    store,
    { merchantId, livemode, date: '2026-03-06', digest: '', lines, importedBy: 'ama', importedAt: start },
    span,
  );
  const listed = new Map(found.differences.map((one) => [one.sessionId, one]));
  for (const { kind } of found.differences) count(`statement ${kind}`);
  const faults: string[] = [];
  const gap = found.statementMinor - found.booksMinor;
  const explained = found.differences.reduce(
    (sum, { statement, books }) => sum + (statement?.totalMinor ?? 0) - (books?.totalMinor ?? 0),
    0,
  );
  if (gap !== explained)
    faults.push(`statement and books of ${merchantId} differ by ${gap}, their differences by ${explained}`);
  const stated = new Map(lines.map(({ sessionId, totalMinor }) => [sessionId, totalMinor]));
  const booked = await bookedOf(store, merchantId);
  for (const session of new Set([...stated.keys(), ...booked.keys()])) {
    const isSame = (stated.get(session) ?? 0) === (booked.get(session) ?? 0);
    if (isSame === listed.has(session))
      faults.push(
        `${session} of ${merchantId} has ${booked.get(session)} in the books and ${stated.get(session)} in the statement, and is ${isSame ? '' : 'not '}listed`,
      );
  }
  return faults;
}

/** Returns the money of paid payments by session: of a matched payment, that of the money. */
async function bookedOf(store: Store, merchantId: string): Promise<Map<string, number>> {
  const rows = (await store.query(
    `SELECT coalesce(unplaced_payment.session_id, collection.session_id), coalesce(collection.amount_minor, 0)
       FROM collection LEFT JOIN unplaced_payment ON unplaced_payment.id = collection.unplaced_id
       WHERE collection.merchant_id = ? AND collection.status = 'paid'`,
    [merchantId],
    'rows',
  )) as [string, number][];
  const booked = new Map<string, number>();
  for (const [session, minor] of rows) booked.set(session, (booked.get(session) ?? 0) + minor);
  return booked;
}
