import { expect, test } from 'vitest';
import { sealBlock } from '../../../src/gateway/ledger/seal.ts';
import { verifyLedger } from '../../../src/gateway/ledger/verify.ts';
import { noAudits } from '../../kit/no-audits.ts';
import { openLedger } from './support.ts';

test('many small blocks are verified with a few reads', async () => {
  const { ledger, clock, append } = openLedger();
  for (let block = 0; block < 60; block++) {
    await append(`col_${block}`, 1);
    await sealBlock(ledger, clock);
  }
  let reads = 0;
  const counted: typeof ledger = {
    ...ledger,
    blockRows(range) {
      reads += 1;
      return ledger.blockRows(range);
    },
  };
  const report = await verifyLedger(counted, noAudits);
  expect(report).toMatchObject({ blocks: 60, unsealed: 0 });
  expect(report.faults.filter(({ row }) => row.startsWith('seal'))).toEqual([]);
  expect(reads).toBe(1);
});

test('one changed row among many small blocks is reported with its block only', async () => {
  const { ledger, clock, append, apply } = openLedger();
  for (let block = 0; block < 20; block++) {
    await append(`col_${block}`, 1);
    await sealBlock(ledger, clock);
  }
  await apply('DROP TRIGGER fact_no_update');
  await apply("UPDATE fact SET data = '[]' WHERE seq = 7");
  const faults = (await verifyLedger(ledger, noAudits)).faults.filter(({ row }) => row.startsWith('seal'));
  expect(faults.map(({ row }) => row)).toEqual(['seal 7']);
});
