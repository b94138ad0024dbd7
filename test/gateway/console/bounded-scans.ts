import type { Plan } from '../../kit/query-plans.ts';

/** Reads of whole indexes that have only what waits, of tables of some rows, and of values that a query has. */
const bounded = [
  /^SCAN collection USING (COVERING )?INDEX collection_(review|due|unconfirmed)\b/,
  /^SCAN inbox USING (COVERING )?INDEX inbox_unplaced\b/,
  /^SCAN proposal USING (COVERING )?INDEX proposal_open\b/,
  /^SCAN unplaced_payment USING (COVERING )?INDEX unplaced_payment_open\b/,
  /^SCAN (notification_endpoint|merchant_key|account USING (COVERING )?INDEX account_name)$/,
  // The next due payment of each merchant, and the addresses of people for alerts.
  /^SCAN (head|alert_target)$/,
  // The newest 5,000 payments of a day, of one merchant.
  /^SCAN near$/,
  // The newest 5,000 unplaced payments.
  /^SCAN unplaced_payment USING INDEX unplaced_payment_received$/,
  /^SCAN newest$/,
  // The newest requests of a span of days.
  /^SCAN recent$/,
  // The totals of the accounts of a day, and the postings that no block has.
  /^SCAN counted$/,
  // The counts of the menu, at most 100 of each.
  /^SCAN waiting$/,
  // The money that waits in suspense.
  /^SCAN suspended$/,
  // The blocks that people made.
  /^SCAN holds$/,
  // A question without a table: whether a person still has the access.
  /^SCAN (CONSTANT ROW|one)$/,

  /^SCAN json_each VIRTUAL TABLE INDEX \d+:$/,
  /^SCAN (sqlite_schema|__drizzle_migrations)$/,
];

/** The newest rows of an index, or of a table in the order of its numbers: the query has a limit, and no condition. */
const isNewest = (sql: string, step: string) =>
  (/INDEX sqlite_autoindex_proposal_1$/.test(step) &&
    /from "proposal" order by "proposal"."id" desc limit \+?\?$/.test(sql)) ||
  (/INDEX collection_opened$/.test(step) && /limit \+?\? offset \?$/.test(sql)) ||
  (step === 'SCAN staff_action' &&
    /from "staff_action" order by "staff_action"."seq" desc limit \+?\?$/.test(sql));

/** Returns the steps of query plans that read more than a bounded part of a table. */
export function unboundedScans(plans: readonly Plan[]): string[] {
  return plans.flatMap(({ sql, steps }) =>
    steps.filter(
      (step) => step.startsWith('SCAN') && !isNewest(sql, step) && !bounded.some((one) => one.test(step)),
    ),
  );
}
