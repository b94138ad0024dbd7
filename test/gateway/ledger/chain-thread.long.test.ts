import { expect, onTestFinished, test } from 'vitest';
import { genesis } from '../../../src/gateway/ledger/chain.ts';
import { createChainThread } from '../../../src/gateway/ledger/chain-thread/start-thread.ts';
import { ledgerStore } from '../../../src/gateway/ledger/ledger-store.ts';
import { readPublicKeys } from '../../../src/gateway/ledger/seal-key.ts';
import { type VerifyOptions, verifyLedger } from '../../../src/gateway/ledger/verify.ts';
import { ledgerAudits } from '../../../src/gateway/upkeep/ledger-audits.ts';
import { createSqliteReader } from '../../../src/sqlite/sqlite.ts';
import { allNeedFile } from '../../kit/engine.ts';
import { publicKey, tampered } from './tampering.ts';

allNeedFile('read a file in a thread');

const publicKeys = readPublicKeys([{ key: publicKey }]);

/** Audits a ledger alone, and with its chain in a thread. */
async function verifyBoth(sql: string, options: VerifyOptions = {}) {
  const file = await tampered((database) => database.exec(sql));
  const store = createSqliteReader(file);
  const thread = createChainThread(file);
  onTestFinished(async () => {
    await thread.stop();
    await store.close();
  });
  let rows = 0;
  const onRows = (read: number) => {
    rows += read;
  };
  const ledger = ledgerStore(store);
  const alone = await verifyLedger(ledger, ledgerAudits, options);
  const both = await verifyLedger(ledger, ledgerAudits, {
    ...options,
    onRows,
    auditChainApart: thread.audit,
  });
  return { alone, both, rows };
}

test.each([
  ['nothing', 'SELECT 1', {}],
  ['nothing, and its signatures are checked', 'SELECT 1', { publicKeys, notedHead: '0'.repeat(64) }],
  ['a fact', `UPDATE fact SET data = '{}' WHERE seq = 1`, { publicKeys }],
  ['a signature', `UPDATE seal SET signature = 'AAAA' WHERE number = 2`, { publicKeys }],
  ['a removed block', 'DELETE FROM seal WHERE number = 2', {}],
  ['a posting and a turn', `UPDATE posting SET amount_minor = 1; UPDATE turn SET reply = 'x'`, {}],
  ['an unknown head', 'SELECT 1', { notedHead: 'a'.repeat(64) }],
])(
  'the audit with the chain in a thread reports the same of a ledger in which %s was changed',
  async (_, sql, options) => {
    const { alone, both, rows } = await verifyBoth(sql, options);
    expect(both).toEqual(alone);
    expect(rows).toBeGreaterThan(0);
  },
);

test('a thread that cannot read the file, or ends early, fails the audit', async () => {
  const file = await tampered(() => {});
  const store = createSqliteReader(file);
  onTestFinished(() => store.close());
  const lost = createChainThread(`${file}.missing`);
  await expect(
    verifyLedger(ledgerStore(store), ledgerAudits, { auditChainApart: lost.audit }),
  ).rejects.toThrow(/cannot audit the chain of .*missing/);
  const stopped = createChainThread(file);
  const audit = stopped.audit({}, { start: genesis, onRows: () => {} });
  await Promise.all([expect(audit).rejects.toThrow(/ended without a result/), stopped.stop()]);
});
