import { expect, test } from 'vitest';
import { queryPlansOf } from '../kit/query-plans.ts';
import { ledger } from '../kit/staff-command.ts';
import { createTill, paidEvent } from '../kit/till.ts';

/** The commands that read a bounded number of rows, or the rows that they print. `verify` reads everything. */
const commands = [
  'show ID',
  'show ID --as-transcript',
  'show 0244123456',
  'find 0244123456',
  'find 3456',
  'find KA1024',
  'find 20.50',
  'find pay_01k8n2rm',
  'find 4821 7362',
  'list',
  'list --channel africastalking',
  'list --network mtn',
  'list --min 5',
  'list --merchant demo-shop',
  'list --status paid',
  'list --status initiated',
  'list --status review --merchant demo-shop',
  'list --reason declined',
  'list --dialler 0244123456',
  'list --last4 3456',
  'list --from 2026-03-06 --channel africastalking --network mtn --min 1',
  'list --assigned ama',
  'audit',
  'audit --actor ama --from 2026-03-06',
  'audit --subject 0244123456',
  'reviews',
  'balances --day 2026-03-06',
  'export --from 2026-03-06',
  'export --by booked --from 2026-03-06',
];

/** Reads of whole indexes whose bound is stated: they hold only open rows and reviews. */
const boundedScans = [
  /^SCAN collection USING (COVERING )?INDEX collection_(review|due|unconfirmed)\b/,
  // The people of a gateway: at most 1,000.
  /^SCAN account USING COVERING INDEX account_name$/,
  // What waits for a person.
  /^SCAN unplaced_payment USING (COVERING )?INDEX unplaced_payment_open\b/,
  // Actions of people: without a filter, their list and count read what people did.
  /^SCAN staff_action( USING COVERING INDEX \w+)?$/,
  // The ids that a search has found.
  /^SCAN json_each VIRTUAL TABLE INDEX \d+:$/,
  // Totals of a day, and postings without a block, both found by a key.
  /^SCAN counted$/,
  // The newest rows that an index of a reason finds: one page of them.
  /^SCAN newest$/,
  // The version of the file.
  /^SCAN (sqlite_schema|__drizzle_migrations)$/,
];

/** The time of the oldest collection that a list searches: a fixed number of entries of the index. */
const isBounded = (sql: string, step: string) =>
  step === 'SCAN collection USING COVERING INDEX collection_opened' && /limit \+?\? offset \?$/.test(sql);

test.each(commands)('ledger %s scans no table', async (command) => {
  const till = await createTill();
  const row = await till.prompted();
  await till.deliverHandled(paidEvent(row));
  const file = till.config.database.file;
  const args = command.replace('ID', row.id).split(' ');
  const plans = await queryPlansOf(file, async () => {
    const { code } = await ledger(file, ...args);
    expect(code).toBe(0);
  });
  expect(plans.length).toBeGreaterThan(0);
  const scans = plans.flatMap(({ sql, steps }) =>
    steps
      .filter((step) => step.startsWith('SCAN') && !boundedScans.some((one) => one.test(step)))
      .filter((step) => !isBounded(sql, step))
      .map((step) => ({ step, sql })),
  );
  expect(scans).toEqual([]);
});
