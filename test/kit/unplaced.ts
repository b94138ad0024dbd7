import type { Till } from './till.ts';

const createdAt = '2026-03-06T09:00:30.000Z';

const quote = { goods_minor: 2_000, amount_minor: 2_020, expected_fee_minor: 20, expected_net_minor: 2_000 };

/** Returns a paid event of a session that no collection has, except for the fields in `changed`. */
export function paidOf(sessionId: string, id = 'evt_1', changed: Record<string, unknown> = {}) {
  const data = {
    id: sessionId,
    reference: 'INV-7',
    ...quote,
    status: 'paid',
    paid_at: createdAt,
    ...changed,
  };
  return { id, type: 'payment.session.paid', created_at: createdAt, data };
}

/** Returns a review event that reports what was charged. */
export function reviewOf(sessionId: string, id: string, paidMinor: number, reason = 'paid_over') {
  const data = { id: sessionId, ...quote, status: 'initiated', paid_minor: paidMinor, reason };
  return { id, type: 'payment.session.review_amount_mismatch', created_at: createdAt, data };
}

export function failedOf(sessionId: string, id = 'evt_failed') {
  const data = { id: sessionId, ...quote, status: 'failed', reason: 'declined' };
  return { id, type: 'payment.session.failed', created_at: createdAt, data };
}

/** An unplaced payment, read without the gateway's code. */
export type UnplacedRow = Record<string, unknown> & { id: string; version: number };

export function unplacedIn(till: Till): Promise<UnplacedRow[]> {
  return till.ledger.rows<UnplacedRow>('SELECT * FROM unplaced_payment ORDER BY received_at, id');
}

/** Returns the only unplaced payment. @throws Error when there is none, or more than one. */
export async function onlyUnplaced(till: Till): Promise<UnplacedRow> {
  const [one, ...others] = await unplacedIn(till);
  if (!one || others.length > 0) throw new Error(`expected one unplaced payment, found ${others.length + 1}`);
  return one;
}

/** Returns the balance of each account that has postings. */
export async function balancesOf(till: Till): Promise<Record<string, number>> {
  const rows = await till.ledger.rows<{ account: string; minor: number }>(
    'SELECT account, sum(amount_minor) AS minor FROM posting GROUP BY account',
  );
  return Object.fromEntries(rows.map(({ account, minor }) => [account, minor]));
}

/** Returns the postings of one unplaced payment as `[booking, account, pesewas]`, in the order of writing. */
export async function postingsOf(till: Till, id: string): Promise<[string, string, number][]> {
  const rows = await till.ledger.rows<{ booking: string; account: string; amount_minor: number }>(
    'SELECT booking, account, amount_minor FROM posting WHERE subject_id = ? ORDER BY seq',
    [id],
  );
  return rows.map(({ booking, account, amount_minor }) => [booking, account, amount_minor]);
}
