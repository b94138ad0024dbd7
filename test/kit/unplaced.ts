import { Database } from '../../src/sqlite/driver.ts';
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

function query<Row>({ config }: Till, sql: string): Row[] {
  const file = new Database(config.database.file, { readonly: true });
  try {
    return file.prepare(sql).all() as Row[];
  } finally {
    file.close();
  }
}

export function unplacedIn(till: Till): UnplacedRow[] {
  return query<UnplacedRow>(till, 'SELECT * FROM unplaced_payment ORDER BY received_at');
}

/** Returns the only unplaced payment. @throws Error when there is none, or more than one. */
export function onlyUnplaced(till: Till): UnplacedRow {
  const [one, ...others] = unplacedIn(till);
  if (!one || others.length > 0) throw new Error(`expected one unplaced payment, found ${others.length + 1}`);
  return one;
}

/** Returns the balance of each account that has postings. */
export function balancesOf(till: Till): Record<string, number> {
  const rows = query<{ account: string; minor: number }>(
    till,
    'SELECT account, sum(amount_minor) AS minor FROM posting GROUP BY account',
  );
  return Object.fromEntries(rows.map(({ account, minor }) => [account, minor]));
}

/** Returns the postings of one unplaced payment as `[booking, account, pesewas]`, in the order of writing. */
export function postingsOf(till: Till, id: string): [string, string, number][] {
  const rows = query<{ subject_id: string; booking: string; account: string; amount_minor: number }>(
    till,
    'SELECT subject_id, booking, account, amount_minor FROM posting ORDER BY seq',
  );
  return rows
    .filter(({ subject_id }) => subject_id === id)
    .map(({ booking, account, amount_minor }) => [booking, account, amount_minor]);
}
