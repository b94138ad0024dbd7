import { expect, test } from 'vitest';
import { ledgerStore } from '../../../src/gateway/ledger/ledger-store.ts';
import { verifyLedger } from '../../../src/gateway/ledger/verify.ts';
import { ledgerAudits } from '../../../src/gateway/upkeep/ledger-audits.ts';
import { createTill } from '../../kit/till.ts';

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
