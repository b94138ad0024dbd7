import { expect, test } from 'vitest';
import { ledgerStore } from '../../../src/gateway/ledger/ledger-store.ts';
import { verifyLedger } from '../../../src/gateway/ledger/verify.ts';
import { ledgerAudits } from '../../../src/gateway/upkeep/ledger-audits.ts';
import { callStaff, withStaff } from '../../kit/staff.ts';
import { createTill, payer, type Till } from '../../kit/till.ts';
import { onlyUnplaced, paidOf } from '../../kit/unplaced.ts';

/** Plain inserts, which no trigger rejects, and which the worker seals like any other row. */
const forgeries: [string, [booking: string, account: string, amountMinor: number][], RegExp][] = [
  [
    'a release of money that was never suspended',
    [
      ['release', 'service_fees', -100_000],
      ['release', 'merchant:evil', 100_000],
    ],
    /that no fact requires: release merchant:evil 100000 pesewas/,
  ],
  [
    'a reversal without a decision',
    [
      ['reversal', 'payers', 2_020],
      ['reversal', 'merchant:demo-shop', -2_000],
      ['reversal', 'service_fees', -20],
    ],
    /that no fact requires: reversal payers 2020 pesewas/,
  ],
];

test.each(forgeries)('verify reports %s, although it balances and is sealed', async (_, postings, named) => {
  const till = await createTill({ overrides: () => ({ maxIdleMs: 1_000 }) });
  const { id } = await till.prompted();
  await till.approved();
  expect((await till.verify()).faults).toEqual([]);
  const values = postings.map(
    ([booking, account, minor]) =>
      `('${id}', 'demo-shop', 0, 9, '${booking}', '${account}', ${minor}, ${till.clock.now()})`,
  );
  await till.ledger.change(
    `INSERT INTO posting (subject_id, merchant_id, livemode, version, booking, account, amount_minor, at) VALUES ${values}`,
  );
  await till.clock.advance(3_000);
  const report = await till.read((store) => verifyLedger(ledgerStore(store), ledgerAudits));
  expect(report.unsealed).toBe(0);
  expect(report.faults.map(({ row, fault }) => `${row} ${fault}`).join('\n')).toMatch(named);
});

async function deliver(till: Till, event: object): Promise<void> {
  expect((await till.deliver(event)).status).toBe(200);
  await till.clock.advance(1_000);
}

/** Returns the SQL that closes an open payment of GHS 20.20 as a fact of the gateway would. */
function closing(kind: string, data: object, row: string): string {
  const booking = kind === 'placed' ? 'placement' : 'return';
  const side = (account: string, minor: number) =>
    `SELECT id, merchant_id, livemode, 2, '${booking}', '${account}', ${minor}, updated_at FROM unplaced_payment`;
  return `
    INSERT INTO fact (subject_id, merchant_id, version, kind, data, at)
      SELECT id, merchant_id, 2, '${kind}', '${JSON.stringify(data)}', updated_at FROM unplaced_payment;
    INSERT INTO posting (subject_id, merchant_id, livemode, version, booking, account, amount_minor, at)
      ${side('suspense', -2_020)} UNION ALL ${side('payers', 2_020)};
    UPDATE unplaced_payment SET ${row}, version = 2, suspended_minor = 0, closed_at = updated_at;`;
}

async function expectFault(till: Till, id: string): Promise<void> {
  const { faults } = await till.verify();
  expect(faults).toContainEqual({
    row: `unplaced payment ${id}`,
    fault: 'has a decision that no recorded approval, or no collection, explains',
  });
}

test('verify reports money that was returned without the names of the people who decided it', async () => {
  const till = await createTill();
  await deliver(till, paidOf('pay_elsewhere_1'));
  const { id } = await onlyUnplaced(till);
  await till.ledger.change(closing('returned', { reference: 'MTN-77' }, `state = 'returned'`));
  await expectFault(till, id);
});

test('verify reports money without a session that was placed on a collection without a session', async () => {
  const till = await createTill();
  till.faults.call = async () => {
    throw new Error('the service does not answer');
  };
  await till.pay(payer);
  const { id: collectionId } = await till.untilStatus(payer, 'abandoned', 600_000);
  const event = paidOf('pay_elsewhere_1');
  await deliver(till, { ...event, data: { ...event.data, id: undefined } });
  const { id } = await onlyUnplaced(till);
  const row = `state = 'placed', collection_id = '${collectionId}'`;
  await till.ledger.change(closing('placed', { collectionId }, row));
  await expectFault(till, id);
});

test('verify reports a match whose two sides have different amounts', async () => {
  const till = await createTill({ configure: withStaff });
  till.loseWebhooks();
  const { id: collectionId } = await till.prompted(payer);
  await till.declined(payer, 600_000);
  await deliver(till, paidOf('pay_elsewhere_1'));
  const { id } = await onlyUnplaced(till);
  const terms = { outcome: 'match', collectionId, evidence: 'line 12', version: 1 };
  const made = await callStaff(till, 'ama', `/unplaced/${id}/proposals`, terms);
  expect((await callStaff(till, 'kofi', `/proposals/${made.body.id}/approve`, {})).status).toBe(200);
  expect((await till.verify()).faults).toEqual([]);
  await till.ledger.change(
    `UPDATE fact SET data = replace(data, '"chargedMinor":2020', '"chargedMinor":5020') WHERE subject_id = '${id}' AND kind = 'reported';
     UPDATE posting SET amount_minor = amount_minor * 5020 / 2020 WHERE subject_id = '${id}';
     UPDATE unplaced_payment SET amount_minor = 5020;`,
  );
  await expectFault(till, id);
});

test('verify reports an approval whose proposal names another person', async () => {
  const till = await createTill({ configure: withStaff });
  await deliver(till, paidOf('pay_elsewhere_1'));
  const terms = { outcome: 'foreign', evidence: 'line 12', version: 1 };
  const made = await callStaff(till, 'ama', `/unplaced/${(await onlyUnplaced(till)).id}/proposals`, terms);
  expect((await callStaff(till, 'kofi', `/proposals/${made.body.id}/approve`, {})).status).toBe(200);
  expect((await till.verify()).faults).toEqual([]);
  await till.ledger.change(`UPDATE proposal SET decided_by = 'yaa'`);
  expect((await till.verify()).faults).toMatchObject([{ row: `proposal ${made.body.id}` }]);
});
