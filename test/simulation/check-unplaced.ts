import type { Database } from '../../src/sqlite/driver.ts';
import type { WebhookEvent } from './oracle/events.ts';

type UnplacedRow = { id: string; state: string; amount: number | null; payers: number; suspense: number };

const isMoney = ({ type }: WebhookEvent) => /^(?:paid|review_amount_mismatch)$/.test(type);

/**
 * Compares unplaced payments with the acknowledged events of money (I5): each session that no collection has is booked once, with an
 * amount that one of its events states, and money that people or a collection took has left suspense.
 *
 * @param mayFindStale with a wrong clock, an event can be stale and book nothing.
 * @returns one sentence for each difference.
 */
export function unplacedFaults(
  file: Database,
  acknowledged: Iterable<WebhookEvent>,
  mayFindStale: boolean,
): string[] {
  const known = file.prepare('SELECT 1 FROM collection WHERE merchant_id = ? AND session_id = ?').pluck();
  const found = file.prepare(
    `SELECT id, state, amount_minor AS amount,
       (SELECT total(amount_minor) FROM posting WHERE subject_id = unplaced_payment.id AND account = 'payers') AS payers,
       (SELECT total(amount_minor) FROM posting WHERE subject_id = unplaced_payment.id AND account = 'suspense') AS suspense
     FROM unplaced_payment WHERE merchant_id = ? AND session_id = ?`,
  );
  const stated = new Map<string, { merchant: string; session: string; amounts: number[] }>();
  for (const event of acknowledged) {
    if (!isMoney(event)) continue;
    const { data } = JSON.parse(event.body) as { data: Record<string, unknown> };
    const session = String(data.id);
    if (known.get(event.merchant, session) !== undefined) continue;
    const key = `${event.merchant} ${session}`;
    const { amounts } = stated.get(key) ?? { amounts: [] };
    const amount = Number(data.paid_minor ?? data.amount_minor);
    stated.set(key, { merchant: event.merchant, session, amounts: [...amounts, amount] });
  }
  return [...stated.values()].flatMap(({ merchant, session, amounts }) => {
    const row = found.get(merchant, session) as UnplacedRow | undefined;
    if (!row)
      return mayFindStale ? [] : [`${session} of ${merchant} was paid, but is neither booked nor listed`];
    const expected = row.state === 'open' ? row.amount : 0;
    const faults: string[] = [];
    if (row.suspense !== expected || row.payers !== -row.suspense)
      faults.push(`${row.id} is ${row.state} with ${row.suspense} in suspense, expected ${expected}`);
    if (row.amount === null || !amounts.includes(row.amount))
      faults.push(`${row.id} has ${row.amount} pesewas, but its events state ${amounts.join(', ')}`);
    return faults;
  });
}
