import { expect, test } from 'vitest';
import { hashBlock, type Seal } from '../../../src/gateway/ledger/chain.ts';
import { ledgerStore } from '../../../src/gateway/ledger/ledger-store.ts';
import {
  checkSigning,
  createSealKey,
  generateSealSecret,
  readPublicKeys,
} from '../../../src/gateway/ledger/seal-key.ts';
import { type VerifyOptions, verifyLedger } from '../../../src/gateway/ledger/verify.ts';
import { ledgerAudits } from '../../../src/gateway/upkeep/ledger-audits.ts';
import { verifyCopy } from '../../../src/gateway/upkeep/verify-copy.ts';
import { systemIds } from '../../../src/shared/ids.ts';
import { Database } from '../../../src/sqlite/driver.ts';
import { createSqliteReader, createSqliteStore } from '../../../src/sqlite/sqlite.ts';
import { testClock } from '../../kit/clock.ts';
import { allNeedFile } from '../../kit/engine.ts';
import { createKeptLog } from '../../kit/log.ts';
import { attacks, headGone, notSigned, unknownKey } from './attacks.ts';
import { earlierLedger, publicKey, reseal, sealSecret, tampered } from './tampering.ts';

allNeedFile('change the rows, indexes and triggers of a file');

const otherKey = () => createSealKey(generateSealSecret(systemIds(testClock())));

/** A minute after the last row of the ledger. */
const now = Date.parse('2026-03-06T09:10:00Z');
const publicKeys = readPublicKeys([{ key: publicKey }]);

/** Returns the faults that the audit of a ledger and the check of a copy report, which must be the same. */
async function faultsOf(path: string, options: VerifyOptions): Promise<string[]> {
  const store = createSqliteReader(path);
  const { faults } = await verifyLedger(ledgerStore(store), ledgerAudits, options);
  await store.close();
  const lines = faults.map(({ row, fault }) => `${row}: ${fault}`);
  const copy = await verifyCopy(path, options);
  expect(copy.faults).toEqual(lines.slice(0, 20));
  expect(copy.ok).toBe(lines.length === 0);
  return lines;
}

/** Opens the file as the start of a gateway does. Returns the alarms of the start, or the reason why it fails. */
async function startOn(path: string): Promise<string> {
  const { log, lines } = createKeptLog('info');
  try {
    const store = createSqliteStore({ file: path, schema: 'gateway', clock: testClock() });
    const key = otherKey();
    await checkSigning(ledgerStore(store), { key, publicKeys, signedFrom: 1, livemode: 0 }, log);
    await store.close();
    return lines.join('');
  } catch (fault) {
    return (fault as Error).message;
  }
}

async function headOf(path: string): Promise<string> {
  const file = new Database(path);
  const head = file.prepare('SELECT hash FROM seal ORDER BY number DESC LIMIT 1').pluck().get();
  file.close();
  return String(head);
}

function expectFinding(faults: readonly string[], pattern: RegExp | undefined): void {
  if (pattern === undefined) expect(faults).toEqual([]);
  else expect(faults).toContainEqual(expect.stringMatching(pattern));
}

test.each(attacks)('$what', async ({ sql, reseal: resealed, keyless, keyed, noted, start }) => {
  const notedHead = await headOf(await tampered(() => {}));
  const path = await tampered((file) => file.exec(sql));
  if (resealed) await reseal(path, resealed === 'unsigned' ? undefined : otherKey());
  expectFinding(await faultsOf(path, { now }), keyless);
  expectFinding(await faultsOf(path, { now, publicKeys }), keyed);
  expectFinding(await faultsOf(path, { now, publicKeys, notedHead }), noted);
  if (start) expect(await startOn(path)).toMatch(start);
  else if (resealed) expect(await startOn(path)).toMatch(/"alarm":"ledger_signature"/);
  else expect(await startOn(path)).toBe('');
});

test('an older copy of the whole ledger is consistent, and only a noted head shows that rows are missing', async () => {
  const notedHead = await headOf(await tampered(() => {}));
  const path = await earlierLedger();
  expect(await faultsOf(path, { now, publicKeys })).toEqual([]);
  expectFinding(await faultsOf(path, { now, publicKeys, notedHead }), headGone);
});

test('a head that was noted earlier is found, with its block and the number of rows since', async () => {
  const notedHead = await headOf(await earlierLedger());
  const store = createSqliteReader(await tampered(() => {}));
  const report = await verifyLedger(ledgerStore(store), ledgerAudits, { now, publicKeys, notedHead });
  await store.close();
  expect(report).toMatchObject({ ok: true, signatures: { checked: true, unsigned: 0 } });
  expect(report.notedHead?.block).toBeGreaterThan(0);
  expect(report.notedHead?.block).toBeLessThan(report.blocks);
  expect(report.notedHead?.rowsAfter).toBeGreaterThan(0);
});

test('blocks of an earlier key stay valid with its public key, and blocks before signing began are accepted when they are declared', async () => {
  const path = await tampered(() => {});
  const later = otherKey();
  const keys = { now, publicKeys: readPublicKeys([{ key: later.publicKey }]) };
  expectFinding(await faultsOf(path, keys), unknownKey);
  const both = readPublicKeys([{ key: later.publicKey }, { key: publicKey }]);
  expect(await faultsOf(path, { now, publicKeys: both })).toEqual([]);

  await reseal(path);
  const { blocks } = await verifyLedger(ledgerStore(createSqliteReader(path)), ledgerAudits);
  expectFinding(await faultsOf(path, keys), notSigned);
  expect(await faultsOf(path, { ...keys, signedFrom: blocks + 1 })).toEqual([]);
});

test('public keys without the key that signs new blocks raise an alarm at the start', async () => {
  const { log, lines } = createKeptLog('info');
  const store = createSqliteReader(await tampered(() => {}));
  const settings = { publicKeys, signedFrom: 1, livemode: 0 } as const;
  await checkSigning(ledgerStore(store), { ...settings, key: createSealKey(sealSecret) }, log);
  expect(lines).toEqual([]);
  await checkSigning(ledgerStore(store), { ...settings, key: undefined }, log);
  await store.close();
  expect(lines).toEqual([
    expect.stringMatching(/"alarm":"ledger_signature".*blocks are not signed: set ledger.sealKey/),
  ]);
});

test('a stolen retired key signs no block after its last one: the audit and the next start name the key', async () => {
  const retired = createSealKey(sealSecret);
  const path = await tampered(() => {});
  const { blocks } = await verifyLedger(ledgerStore(createSqliteReader(path)), ledgerAudits);
  const limited = (untilBlock: number) =>
    readPublicKeys([{ key: otherKey().publicKey }, { key: publicKey, untilBlock }]);
  expect(await faultsOf(path, { now, publicKeys: limited(blocks) })).toEqual([]);
  const [fault] = await faultsOf(path, { now, publicKeys: limited(blocks - 1) });
  expect(fault).toBe(
    `seal ${blocks}: signed after the last block of its key (ledger.publicKeys, untilBlock) ${retired.id}`,
  );
  const { log, lines } = createKeptLog('info');
  const settings = { key: otherKey(), publicKeys: limited(blocks - 1), signedFrom: 1, livemode: 0 } as const;
  await checkSigning(ledgerStore(createSqliteReader(path)), settings, log);
  expect(lines).toEqual([expect.stringMatching(/"alarm":"ledger_signature".*"fault":"retired_key"/)]);
});

test('a ledger that was signed before and has no key any more raises an alarm at the start, and the audit names the unsigned blocks', async () => {
  const path = await tampered(() => {});
  const store = createSqliteStore({ file: path, schema: 'gateway', clock: testClock() });
  const ledger = ledgerStore(store);
  const settings = { key: undefined, publicKeys: readPublicKeys([]), signedFrom: 1, livemode: 0 } as const;
  const { log, lines } = createKeptLog('info');
  expect(await checkSigning(ledger, settings, log)).toBe('missing');
  expect(lines).toEqual([
    expect.stringMatching(/"alarm":"ledger_signature".*new blocks are not: set ledger.sealKey/),
  ]);
  const last = (await ledger.lastSeal()) as Seal;
  const block = { ...last, number: last.number + 1, rows: 0, previousHash: last.hash };
  const noRows = { facts: [], postings: [], turns: [], settings: [], actions: [] };
  expect(
    await ledger.appendSeal({ ...block, hash: hashBlock(block, noRows), keyId: null, signature: null }, []),
  ).toBe(true);
  const { faults } = await verifyLedger(ledger, ledgerAudits, { now });
  await store.close();
  expect(faults).toEqual([
    {
      row: `seal ${block.number}`,
      fault: 'not signed, although an earlier block is signed. Set ledger.sealKey again',
    },
  ]);
});
