import type { Database } from '../../../src/sqlite/driver.ts';
import type { ServiceRecords } from './service-records.ts';

type CollectionRow = {
  id: string;
  session_id: string;
  status: string;
  reason: string | null;
  booked: string | null;
  amount_minor: number | null;
  refunds: number;
};

/**
 * Returns where the gateway's records do not follow the decisions of the people at the service, when no work is left: money
 * that they accepted is released with the amount that arrived, rejected money is returned, and each reported refund is
 * recorded once.
 */
export function decisionFaults(gateway: Database, records: ServiceRecords): string[] {
  const rows = gateway
    .prepare(
      `SELECT id, session_id, status, reason, booked, amount_minor,
         (SELECT count(*) FROM fact WHERE subject_id = collection.id AND kind = 'refund_reported') AS refunds
       FROM collection WHERE session_id IS NOT NULL`,
    )
    .all() as CollectionRow[];
  return rows.flatMap((row) => {
    const record = records.recordOf(row.session_id);
    if (!record) return [];
    const { session, reviews, events } = record;
    const is = `${row.id} is ${row.status} (${row.reason}), booked as ${row.booked} with ${row.amount_minor} pesewas`;
    const accepted = reviews.some(
      (one) => one.resolution === 'accepted' && one.paid_minor === row.amount_minor,
    );
    const isRejected = session.reason === 'amount_mismatch';
    const faults: string[] = [];
    if (row.reason === 'service_accepted' && !(session.status === 'paid' && accepted))
      faults.push(`${is}, but the service accepted no such amount`);
    if (row.reason === 'service_rejected' && !(isRejected && row.booked !== 'released'))
      faults.push(`${is}, but the service is ${session.status} (${session.reason})`);
    const refunds = events.filter(
      ({ type, state }) => type === 'payment.session.refund_settled' && state === 'delivered',
    );
    if (refunds.length !== row.refunds)
      faults.push(`${row.id} has ${row.refunds} refunds, but ${refunds.length} were delivered`);
    return faults;
  });
}
