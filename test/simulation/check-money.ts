import { listBookings } from '../../src/gateway/collection/decide/decide.ts';
import { readFact } from '../../src/gateway/collection/fact-row.ts';
import type { ChainedFact } from '../../src/gateway/ledger/chain.ts';
import { applyFacts, readUnplacedFact } from '../../src/gateway/unplaced/fact.ts';
import type { Database } from '../../src/sqlite/driver.ts';
import type { WebhookEvent } from './oracle/events.ts';
import type { OracleSession } from './oracle/session.ts';

/** Returns the bookings of a collection, or of an unplaced payment. */
function bookingsOfSubject([id, facts]: [string, ChainedFact[]]) {
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
    .all() as ChainedFact[];
  const facts = new Map<string, ChainedFact[]>();
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

/** What the service, or another party with its secret, reported about money. */
type MoneyRecords = {
  sessions: ReadonlyMap<string, OracleSession>;
  acknowledged: ReadonlyMap<string, WebhookEvent>;
  /** Whether another party reported the session as paid with the leaked secret. */
  hasForgedPaid(sessionId: string): boolean;
};

/** The money of one payment session in the ledger of one merchant. */
type Booked = {
  merchant: string;
  session: string;
  /** What the ledger records as taken, before decisions and refunds. */
  taken: number;
  /** What decisions and refunds have moved out of the ledger again. */
  returned: number;
};

/** Bookings that move money out of the ledger by a decision of people or of the service. */
const outgoing = "('return', 'reversal', 'foreign')";

/**
 * Compares the ledger with the money that the service took (I5): minus the balance of `payers`, without what decisions
 * returned, equals it in each payment session, for each merchant and in total. Three kinds of sessions have their own
 * amount, because a signed event states it and the gateway cannot know better: sessions that are not the merchant's own
 * (*foreign*), sessions that another party reported with the leaked secret (*forged*), and sessions with an event that
 * arrived with an old signature, which books nothing (*stale*). Money in another currency is not in the total.
 *
 * @returns one sentence for each difference.
 */
export function moneyFaults(file: Database, records: MoneyRecords): string[] {
  const found = new Map(bookedOf(file).map((one) => [`${one.merchant} ${one.session}`, one]));
  const stale = staleSessions(file);
  const stated = statedAmounts(records.acknowledged.values());
  const owned = [...records.sessions.values()].map(({ merchant, id }) => `${merchant} ${id}`);
  const faults: string[] = [];
  const totals = new Map<string, { taken: number; allowed: number }>();
  for (const key of new Set([...found.keys(), ...owned, ...stated.keys()])) {
    const [merchant = '', id = ''] = key.split(' ');
    const { taken, returned } = found.get(key) ?? { taken: 0, returned: 0 };
    const session = records.sessions.get(id);
    const isOwn = session?.merchant === merchant;
    const allowed = isOwn
      ? ownAmounts(session, { isForged: records.hasForgedPaid(id), isStale: stale.has(key) })
      : foreignAmounts(stated.get(key) ?? [], stale.has(key));
    if (!allowed.includes(taken))
      faults.push(
        `${id} of ${merchant} is booked with ${taken} pesewas, ${returned} of them returned, expected ${allowed.join(' or ')}`,
      );
    const sum = totals.get(merchant) ?? { taken: 0, allowed: 0 };
    // A session with its own amount counts with what is booked.
    const expected = allowed.length === 1 ? (allowed[0] ?? 0) : taken;
    totals.set(merchant, { taken: sum.taken + taken, allowed: sum.allowed + expected });
  }
  faults.push(...refundFaults(file, records.sessions, stale));
  const balances = balancesOf(file);
  for (const merchant of new Set([...totals.keys(), ...balances.keys()])) {
    const booked = balances.get(merchant) ?? 0;
    const { allowed } = totals.get(merchant) ?? { allowed: 0 };
    if (booked !== allowed)
      faults.push(`${merchant} has ${booked} pesewas in the ledger, but the service took ${allowed}`);
  }
  return faults;
}

/** A second charge that the service returned is not in suspense. */
function refundFaults(
  file: Database,
  sessions: MoneyRecords['sessions'],
  stale: ReadonlySet<string>,
): string[] {
  const rows = file
    .prepare(
      `SELECT merchant_id AS merchant, session_id AS session, sum(amount_minor) AS amount,
         sum(suspended_minor) AS suspended FROM unplaced_payment WHERE charge > 1 GROUP BY 1, 2`,
    )
    .all() as { merchant: string; session: string; amount: number; suspended: number }[];
  return rows.flatMap(({ merchant, session, amount, suspended }) => {
    const refunded = sessions.get(session)?.refundedMinor ?? 0;
    if (suspended <= Math.max(0, amount - refunded) || stale.has(`${merchant} ${session}`)) return [];
    return [`${session} has ${suspended} of ${amount} pesewas in suspense, but ${refunded} were returned`];
  });
}

/** Money by merchant and session, of collections and of unplaced payments. */
function bookedOf(file: Database): Booked[] {
  return file
    .prepare(
      `SELECT subject.merchant_id AS merchant, coalesce(subject.session_id, subject.id) AS session,
         -total(CASE WHEN posting.booking IN ${outgoing} THEN 0 ELSE posting.amount_minor END) AS taken,
         total(CASE WHEN posting.booking IN ${outgoing} THEN posting.amount_minor ELSE 0 END) AS returned
       FROM (SELECT id, merchant_id, coalesce(
           (SELECT session_id FROM unplaced_payment AS one WHERE one.id = collection.unplaced_id), session_id) AS session_id
         FROM collection UNION ALL SELECT id, merchant_id, session_id FROM unplaced_payment) AS subject
       JOIN posting ON posting.subject_id = subject.id AND posting.account = 'payers'
       GROUP BY 1, 2`,
    )
    .all() as Booked[];
}

/** Returns minus the balance of `payers` of each merchant, without what decisions returned. */
function balancesOf(file: Database): Map<string, number> {
  const rows = file
    .prepare(
      `SELECT merchant_id, -total(amount_minor) FROM posting
       WHERE account = 'payers' AND booking NOT IN ${outgoing} GROUP BY 1`,
    )
    .raw()
    .all() as [string, number][];
  return new Map(rows);
}

function staleSessions(file: Database): Set<string> {
  const rows = file.prepare('SELECT DISTINCT merchant_id, session_id FROM inbox WHERE stale = 1').raw().all();
  return new Set((rows as [string, string][]).map(([merchant, session]) => `${merchant} ${session}`));
}

/** The amounts of acknowledged events of money, by merchant and session. */
function statedAmounts(acknowledged: Iterable<WebhookEvent>): Map<string, number[]> {
  const stated = new Map<string, number[]>();
  for (const { type, merchant, body } of acknowledged) {
    if (!/^(?:payment\.session\.)?(?:paid|review_amount_mismatch)$/.test(type)) continue;
    const { data } = JSON.parse(body) as { data: Record<string, unknown> };
    const key = `${merchant} ${data.id}`;
    stated.set(key, [...(stated.get(key) ?? []), Number(data.paid_minor ?? data.amount_minor)]);
  }
  return stated;
}

function ownAmounts(
  { takenMinor, amountMinor, charges, isOtherCurrency }: OracleSession,
  { isForged, isStale }: { isForged: boolean; isStale: boolean },
): number[] {
  const allowed = [takenMinor];
  // A forged event states the quote. It can be in the place of the first payment, or be returned before that arrives.
  if (isForged) allowed.push(takenMinor + amountMinor);
  if (isForged && charges <= 1) allowed.push(amountMinor);
  if (isStale) allowed.push(0, amountMinor);
  // A second charge that only an event with an old signature reported: a person is asked, and nothing is booked.
  if (isStale && charges > 1) allowed.push(takenMinor - amountMinor);
  // Another currency is in no account, except where a poll had booked the quote, or people did.
  if (isOtherCurrency) allowed.push(takenMinor - amountMinor);
  return [...new Set(allowed)];
}

/** The last event of a foreign session corrects the amount of the earlier ones. */
function foreignAmounts(stated: readonly number[], isStale: boolean): number[] {
  return [...new Set([...stated, ...(isStale || stated.length === 0 ? [0] : [])])];
}
