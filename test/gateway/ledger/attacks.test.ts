import { expect, test } from 'vitest';
import { verifyCopy } from '../../../src/gateway/backup/verify-copy.ts';
import { hashBlock, type Seal } from '../../../src/gateway/ledger/chain.ts';
import { checkSigning } from '../../../src/gateway/ledger/check-signing.ts';
import { ledgerStore } from '../../../src/gateway/ledger/ledger-store.ts';
import { createSealKey, generateSealSecret, readPublicKeys } from '../../../src/gateway/ledger/seal-key.ts';
import { type VerifyOptions, verifyLedger } from '../../../src/gateway/ledger/verify.ts';
import { ledgerAudits } from '../../../src/gateway/ledger-audits.ts';
import { systemIds } from '../../../src/shared/ids.ts';
import { createLog } from '../../../src/shared/log.ts';
import { Database } from '../../../src/sqlite/driver.ts';
import { createSqliteReader, createSqliteStore } from '../../../src/sqlite/sqlite.ts';
import { testClock } from '../../kit/clock.ts';
import {
  blockedNumber,
  earlierLedger,
  publicKey,
  recountTotals,
  reseal,
  sealSecret,
  tampered,
} from './tampering.ts';

/*
 * What an attacker with the file can change, and what finds it. `keyless` is the audit without a public key, `keyed` with
 * it, `noted` with the head that was noted before the attack; `start` is the start of a gateway. Without a pattern, the
 * check finds nothing: docs/operations.md states these limits.
 */
type Attack = {
  what: string;
  sql: string;
  /** Recomputes every block: without signatures, or signed with a key of the attacker. */
  reseal?: 'unsigned' | 'own key';
  keyless?: RegExp;
  keyed?: RegExp;
  noted?: RegExp;
  start?: RegExp;
};

const paid = `(SELECT id FROM collection WHERE payer = '233244000001')`;
const open = `(SELECT id FROM collection WHERE payer = '233244000004')`;
const lastTurn = `(SELECT max(seq) FROM turn)`;

/** Doubles the price, the fee and the total of every payment, wherever they are stored. */
const doubleAmounts = ['goods_minor', 'amount_minor', 'fee_minor', 'net_minor']
  .map((column) => `UPDATE collection SET ${column} = ${column} * 2`)
  .concat(
    `UPDATE collection SET create_body = json_set(create_body, '$.amount_minor', goods_minor)`,
    'UPDATE posting SET amount_minor = amount_minor * 2',
    ...['goodsMinor', 'amountMinor', 'feeMinor', 'netMinor'].map(
      (field) => `UPDATE fact SET data = json_set(data, '$.${field}', json_extract(data, '$.${field}') * 2)
        WHERE json_type(data, '$.${field}') = 'integer'`,
    ),
  )
  .join(';');

const moveMerchant = `UPDATE collection SET merchant_id = 'evil' WHERE id = ${paid};
  UPDATE fact SET merchant_id = 'evil' WHERE subject_id = ${paid};
  UPDATE posting SET merchant_id = 'evil', account = replace(account, 'demo-shop', 'evil') WHERE subject_id = ${paid}`;

const raiseBody = `UPDATE collection SET create_body = json_set(create_body, '$.amount_minor', 50000) WHERE id = ${open}`;
const raiseFact = `UPDATE fact SET data = json_set(data, '$.goodsMinor', 50000) WHERE subject_id = ${open} AND kind = 'accepted'`;

const keepDigest = `INSERT INTO deleted_turn SELECT seq, at, '${'0'.repeat(64)}' FROM turn WHERE seq = ${lastTurn};
  DELETE FROM turn WHERE seq = ${lastTurn}`;

const mismatch = /^seal \d+: its hash does not match/;
const notSigned = /^seals? \d+( to \d+)?: not signed/;
const unknownKey = /^seals? \d+( to \d+)?: signed with an unknown key [0-9a-f]{16}$/;
const headGone = /^head: no block has the hash [0-9a-f]{64}/;

const everywhere = (pattern: RegExp) => ({ keyless: pattern, keyed: pattern, noted: pattern });
const resealedUnsigned = { reseal: 'unsigned', keyed: notSigned, noted: headGone } as const;
const resealedByOther = { reseal: 'own key', keyed: unknownKey, noted: headGone } as const;
const schema = (pattern: RegExp) => ({ ...everywhere(pattern), start: pattern });

const attacks: Attack[] = [
  { what: 'all amounts doubled', sql: doubleAmounts, ...everywhere(mismatch) },
  { what: 'all amounts doubled, all blocks recomputed', sql: doubleAmounts, ...resealedUnsigned },
  { what: 'all amounts doubled, all blocks signed with another key', sql: doubleAmounts, ...resealedByOther },
  { what: 'a payment moved to another merchant', sql: moveMerchant, ...everywhere(mismatch) },
  {
    what: 'a payment moved to another merchant, all blocks recomputed',
    sql: moveMerchant,
    ...resealedUnsigned,
  },
  {
    what: 'facts moved to another merchant, all blocks recomputed',
    sql: `UPDATE fact SET merchant_id = 'evil' WHERE subject_id = ${paid}`,
    ...everywhere(/has a fact of another merchant: fact 1 of evil$/),
    reseal: 'unsigned',
  },
  {
    what: 'a changed screen',
    sql: `UPDATE turn SET screen = 'You agreed to pay GHS 500' WHERE seq = ${lastTurn}`,
    ...everywhere(mismatch),
  },
  {
    what: 'a changed screen, all blocks recomputed',
    sql: `UPDATE turn SET screen = 'You agreed to pay GHS 500' WHERE seq = ${lastTurn}`,
    ...resealedUnsigned,
  },
  {
    what: 'a changed input of a payer',
    sql: `UPDATE turn SET input = '9' WHERE input = '1'`,
    ...everywhere(mismatch),
  },
  {
    what: 'a turn that another phone dialled',
    sql: `UPDATE turn SET dialler = '233200000000' WHERE seq = 1`,
    ...everywhere(mismatch),
  },
  {
    what: 'a removed turn',
    sql: `DELETE FROM turn WHERE seq = 2`,
    ...everywhere(/^seal \d+: covers \d+ rows, found \d+$/),
  },
  {
    what: 'the last turn removed, and its block',
    sql: `DELETE FROM turn WHERE seq = ${lastTurn};
      DELETE FROM seal WHERE turn_seq > (SELECT max(seq) FROM turn)`,
    ...everywhere(/^table turn: lacks 1 rows at its end$/),
  },
  {
    what: 'a turn removed as if by retention',
    sql: keepDigest,
    ...everywhere(/^turn \d+: was deleted before the shortest retention/),
  },
  {
    what: 'a turn removed as if by retention, with a later horizon',
    sql: `INSERT INTO horizon VALUES ('dialogues', 9e15); ${keepDigest}`,
    ...everywhere(/^turn \d+: was deleted before the shortest retention/),
  },
  {
    what: 'a removed block of a payer',
    sql: `DELETE FROM dialler_setting WHERE msisdn = '${blockedNumber}'`,
    ...everywhere(/^setting of a number that ends in 009 at demo-shop: its row is missing$/),
  },
  {
    what: 'a block of a payer that was undone',
    sql: `UPDATE dialler_setting SET opted_out_at = NULL`,
    ...everywhere(/^setting of a number that ends in 009 at demo-shop: its row differs/),
  },
  {
    what: 'a block of a payer removed with its record',
    sql: 'DELETE FROM dialler_setting; DELETE FROM dialler_setting_change',
    ...everywhere(/^seal \d+: covers \d+ rows, found \d+$/),
  },
  {
    what: 'a block of a payer removed with its record and its number, all blocks recomputed',
    sql: `DELETE FROM dialler_setting; DELETE FROM dialler_setting_change;
      UPDATE sqlite_sequence SET seq = 0 WHERE name = 'dialler_setting_change'`,
    ...resealedUnsigned,
  },
  {
    what: 'an action of support staff under another name',
    sql: `UPDATE staff_action SET actor = 'kofi'`,
    ...everywhere(mismatch),
  },
  {
    what: 'an action of support staff under another name, all blocks recomputed',
    sql: `UPDATE staff_action SET actor = 'kofi'`,
    ...resealedUnsigned,
  },
  {
    what: 'a removed action of support staff',
    sql: 'DELETE FROM staff_action',
    ...everywhere(/^table staff_action: lacks 1 rows at its end$/),
  },
  {
    what: 'a rewritten create call',
    sql: raiseBody,
    ...everywhere(/: createBody: expected .* by its facts, found .*50000/),
  },
  {
    what: 'a rewritten create call and its fact, all blocks recomputed',
    sql: `${raiseBody}; ${raiseFact}`,
    ...everywhere(/: goodsMinor: expected 50000 by its facts, found \d+$/),
    reseal: 'unsigned',
  },
  {
    what: 'a changed time of a block',
    sql: 'UPDATE seal SET at = at + 1 WHERE number = 1',
    ...everywhere(mismatch),
  },
  {
    what: 'a removed signature',
    sql: 'UPDATE seal SET signature = NULL, key_id = NULL WHERE number = 2',
    keyless: /^seal 2: not signed, although an earlier block is signed/,
    keyed: /^seal 2: not signed/,
    noted: /^seal 2: not signed/,
  },
  {
    what: 'a signature of another block',
    sql: 'UPDATE seal SET signature = (SELECT signature FROM seal WHERE number = 1) WHERE number = 2',
    keyed: /^seal 2: signed with an invalid signature$/,
    noted: /^seal 2: signed with an invalid signature$/,
  },
  {
    what: 'removed last blocks',
    sql: `DELETE FROM seal WHERE number > 3; ${recountTotals}`,
    noted: headGone,
  },
  {
    what: 'all amounts doubled, and all blocks removed, so that the gateway signs them',
    sql: `${doubleAmounts}; DELETE FROM seal; ${recountTotals}`,
    noted: headGone,
    start: /"alarm":"ledger_signature","see":"docs\/operations.md","block":0/,
  },
  {
    what: 'all blocks removed but the first, and the rows after it written over several minutes',
    sql: `DELETE FROM seal WHERE number > 1; UPDATE turn SET at = at + 301000 WHERE seq = ${lastTurn};
      ${recountTotals}`,
    noted: headGone,
    start: /"alarm":"ledger_signature".*rows of the ledger have no block/,
  },
  {
    what: 'a planted trigger',
    sql: 'CREATE TRIGGER later AFTER INSERT ON turn BEGIN SELECT 1; END',
    ...schema(/trigger later on turn is not part of the schema/),
  },
  {
    what: 'a trigger that approves payments',
    sql: `CREATE TRIGGER pay AFTER INSERT ON turn BEGIN UPDATE collection SET status = 'paid', next_at = NULL; END`,
    ...schema(/trigger pay on turn is not part of the schema/),
  },
  {
    what: 'a dropped unique index',
    sql: 'DROP INDEX posting_closing_once',
    ...schema(/index posting_closing_once on posting is missing/),
  },
  {
    what: 'a view that hides collections',
    sql: `CREATE VIEW recent AS SELECT * FROM collection WHERE status <> 'paid'`,
    ...schema(/view recent is not part of the schema/),
  },
  {
    what: 'a column that a trigger could use',
    sql: 'ALTER TABLE collection ADD COLUMN approved INTEGER',
    ...schema(/table collection differs from the schema/),
  },
];

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

function recordedLog() {
  const lines: string[] = [];
  const destination = { write: (line: string) => void lines.push(line) };
  return { lines, log: createLog({ level: 'info', pretty: false, destination }) };
}

/** Opens the file as the start of a gateway does. Returns the alarms of the start, or the reason why it fails. */
async function startOn(path: string): Promise<string> {
  const { log, lines } = recordedLog();
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
  const { log, lines } = recordedLog();
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
  const { log, lines } = recordedLog();
  const settings = { key: otherKey(), publicKeys: limited(blocks - 1), signedFrom: 1, livemode: 0 } as const;
  await checkSigning(ledgerStore(createSqliteReader(path)), settings, log);
  expect(lines).toEqual([expect.stringMatching(/"alarm":"ledger_signature".*"fault":"retired_key"/)]);
});

test('a ledger that was signed before and has no key any more raises an alarm at the start, and the audit names the unsigned blocks', async () => {
  const path = await tampered(() => {});
  const store = createSqliteStore({ file: path, schema: 'gateway', clock: testClock() });
  const ledger = ledgerStore(store);
  const settings = { key: undefined, publicKeys: readPublicKeys([]), signedFrom: 1, livemode: 0 } as const;
  const { log, lines } = recordedLog();
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
