import { expect, test } from 'vitest';
import { ledgerStore } from '../../../src/gateway/ledger/ledger-store.ts';
import { verifyLedger } from '../../../src/gateway/ledger/verify.ts';
import { ledgerAudits } from '../../../src/gateway/upkeep/ledger-audits.ts';
import type { Database } from '../../../src/sqlite/driver.ts';
import { createSqliteReader } from '../../../src/sqlite/sqlite.ts';
import { allNeedFile } from '../../kit/engine.ts';
import { earlierLedger, payers, tampered } from './tampering.ts';

allNeedFile('change the rows of a file without its triggers');

async function verify(path: string, from?: string) {
  const store = createSqliteReader(path);
  try {
    return await verifyLedger(ledgerStore(store), ledgerAudits, { from });
  } finally {
    await store.close();
  }
}

/** Audits a changed ledger from the head of its earlier copy. */
async function verifyFromEarlier(sql: string) {
  const { head } = await verify(await earlierLedger());
  const path = await tampered((file: Database) => file.exec(sql));
  return { head, whole: await verify(path), later: await verify(path, head) };
}

const named = (payer: string) => `(SELECT id FROM collection WHERE payer = '233${payer.slice(1)}')`;

test('an audit from a noted block reads what follows it, and finds the same head', async () => {
  const { whole, later } = await verifyFromEarlier('SELECT 1');
  expect(later).toMatchObject({ ok: true, head: whole.head, blocks: whole.blocks, unsealed: whole.unsealed });
  expect(later.facts).toBeGreaterThan(0);
  expect(later.facts).toBeLessThan(whole.facts);
  expect(later.collections).toBeLessThan(whole.collections);
});

test.each([
  ['a fact after the block', `UPDATE fact SET data = '{}' WHERE seq = (SELECT max(seq) FROM fact)`],
  [
    'a collection with a fact after the block',
    `UPDATE collection SET goods_minor = 1 WHERE id = ${named(payers.suspended)}`,
  ],
  ['a removed collection', `DELETE FROM collection WHERE id = ${named(payers.open)}`],
  ['a removed block', 'DELETE FROM seal WHERE number = (SELECT max(number) - 1 FROM seal)'],
])('an audit from a noted block finds %s that was changed', async (_, sql) => {
  const { whole, later } = await verifyFromEarlier(sql);
  expect(whole.ok).toBe(false);
  expect(later.ok).toBe(false);
});

test('an audit from a noted block does not see a change before it, which the complete audit finds', async () => {
  const { whole, later } = await verifyFromEarlier(`UPDATE fact SET data = '{}' WHERE seq = 1`);
  expect(whole.ok).toBe(false);
  expect(later.ok).toBe(true);
});

test('a noted block whose ends were moved, so that rows after it are skipped, is found', async () => {
  const { head } = await verify(await earlierLedger());
  const path = await tampered((file) =>
    file.exec(`UPDATE seal SET fact_seq = fact_seq + 1 WHERE hash = '${head}'`),
  );
  expect((await verify(path, head)).ok).toBe(false);
});

test('with an unknown block, everything is audited, and the block is reported', async () => {
  const path = await tampered(() => {});
  const report = await verify(path, 'f'.repeat(64));
  expect(report.faults.map(({ row }) => row)).toEqual(['head']);
  expect(report.facts).toBe((await verify(path)).facts);
});
