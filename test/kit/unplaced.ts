import { expect } from 'vitest';
import { listUnplacedEvents, type UnplacedEvent } from '../../src/gateway/support/unplaced-payment-query.ts';
import type { Store } from '../../src/sqlite/store.ts';
import { callStaff, type StaffName } from './staff.ts';
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

/** What a decision about money rests on. */
export const evidence = 'statement of the service, line 12';

/** Delivers an event and waits until the worker has looked at it. */
export async function deliver(till: Till, event: object): Promise<void> {
  expect((await till.deliver(event)).status).toBe(200);
  await till.clock.advance(1_000);
}

/** Expects that the audit of the ledger finds nothing. */
export async function expectValid(till: Till): Promise<void> {
  expect(await till.verify()).toMatchObject({ ok: true, faults: [] });
}

/** Proposes a decision about the subject at `path` as one person, and approves it as another. */
export async function decide(till: Till, path: string, terms: object, approver: StaffName = 'kofi') {
  const made = await callStaff(till, 'ama', `${path}/proposals`, { evidence, ...terms });
  if (made.status !== 200) return made;
  return callStaff(till, approver, `/proposals/${made.body.id}/approve`, {});
}

/**
 * Confirms a payment whose create answers are lost, so that no collection knows its payment session.
 *
 * @returns the session, and a function that ends the loss: the collection then learns the session.
 */
export async function payUnanswered(
  till: Till,
  msisdn: string,
): Promise<{ session: string; answer(): void }> {
  till.faults.call = async (call, pass) => {
    const answer = await pass();
    if (call.name === 'create') throw new Error('the answer was lost');
    return answer;
  };
  await till.pay(msisdn);
  await till.clock.advance(2_000);
  const { sessions } = await till.service.statement();
  return {
    session: sessions.at(-1)?.sessionId ?? '',
    answer() {
      delete till.faults.call;
    },
  };
}

/** Returns the newest events that no collection explains. */
export async function unplacedEventsIn(store: Store): Promise<UnplacedEvent[]> {
  const page = await listUnplacedEvents(store, { limit: 100 });
  if (page === 'unknown_cursor') throw new Error('the first page has no cursor');
  return page.data;
}
