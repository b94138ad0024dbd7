import { blockedNumber, recountTotals } from './tampering.ts';

/*
 * What an attacker with the file can change, and what finds it. `keyless` is the audit without a public key, `keyed` with
 * it, `noted` with the head that was noted before the attack; `start` is the start of a gateway. Without a pattern, the
 * check finds nothing: docs/operations/tampering.md states these limits.
 */
export type Attack = {
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
export const notSigned = /^seals? \d+( to \d+)?: not signed/;
export const unknownKey = /^seals? \d+( to \d+)?: signed with an unknown key [0-9a-f]{16}$/;
export const headGone = /^head: no block has the hash [0-9a-f]{64}/;

const everywhere = (pattern: RegExp) => ({ keyless: pattern, keyed: pattern, noted: pattern });
const resealedUnsigned = { reseal: 'unsigned', keyed: notSigned, noted: headGone } as const;
const resealedByOther = { reseal: 'own key', keyed: unknownKey, noted: headGone } as const;
const schema = (pattern: RegExp) => ({ ...everywhere(pattern), start: pattern });

const table: Readonly<Record<string, readonly [sql: string, found: Omit<Attack, 'what' | 'sql'>]>> = {
  'all amounts doubled': [doubleAmounts, everywhere(mismatch)],
  'all amounts doubled, all blocks recomputed': [doubleAmounts, resealedUnsigned],
  'all amounts doubled, all blocks signed with another key': [doubleAmounts, resealedByOther],
  'a payment moved to another merchant': [moveMerchant, everywhere(mismatch)],
  'a payment moved to another merchant, all blocks recomputed': [moveMerchant, resealedUnsigned],
  'facts moved to another merchant, all blocks recomputed': [
    `UPDATE fact SET merchant_id = 'evil' WHERE subject_id = ${paid}`,
    { ...everywhere(/has a fact of another merchant: fact 1 of evil$/), reseal: 'unsigned' },
  ],
  'a changed screen': [
    `UPDATE turn SET screen = 'You agreed to pay GHS 500' WHERE seq = ${lastTurn}`,
    everywhere(mismatch),
  ],
  'a changed screen, all blocks recomputed': [
    `UPDATE turn SET screen = 'You agreed to pay GHS 500' WHERE seq = ${lastTurn}`,
    resealedUnsigned,
  ],
  'a changed input of a payer': [`UPDATE turn SET input = '9' WHERE input = '1'`, everywhere(mismatch)],
  'a turn that another phone dialled': [
    `UPDATE turn SET dialler = '233200000000' WHERE seq = 1`,
    everywhere(mismatch),
  ],
  'a removed job': [`DELETE FROM job`, everywhere(/has work left and no job, or a job and no work left$/)],
  'a removed turn': [`DELETE FROM turn WHERE seq = 2`, everywhere(/^seal \d+: covers \d+ rows, found \d+$/)],
  'the last turn removed, and its block': [
    `DELETE FROM turn WHERE seq = ${lastTurn};
      DELETE FROM seal WHERE turn_seq > (SELECT max(seq) FROM turn)`,
    everywhere(/^table turn: lacks 1 rows at its end$/),
  ],
  'a turn removed as if by retention': [
    keepDigest,
    everywhere(/^turn \d+: was deleted before the shortest retention/),
  ],
  'a turn removed as if by retention, with a later horizon': [
    `INSERT INTO horizon VALUES ('dialogues', 9e15); ${keepDigest}`,
    everywhere(/^turn \d+: was deleted before the shortest retention/),
  ],
  'a removed block of a payer': [
    `DELETE FROM dialler_setting WHERE msisdn = '${blockedNumber}'`,
    everywhere(/^setting of a number that ends in 009 at demo-shop: its row is missing$/),
  ],
  'a block of a payer that was undone': [
    `UPDATE dialler_setting SET opted_out_at = NULL`,
    everywhere(/^setting of a number that ends in 009 at demo-shop: its row differs/),
  ],
  'a block of a payer removed with its record': [
    'DELETE FROM dialler_setting; DELETE FROM dialler_setting_change',
    everywhere(/^seal \d+: covers \d+ rows, found \d+$/),
  ],
  'a block of a payer removed with its record and its number, all blocks recomputed': [
    `DELETE FROM dialler_setting; DELETE FROM dialler_setting_change;
      UPDATE sqlite_sequence SET seq = 0 WHERE name = 'dialler_setting_change'`,
    resealedUnsigned,
  ],
  'an action of support staff under another name': [
    `UPDATE staff_action SET actor = 'kofi'`,
    everywhere(mismatch),
  ],
  'an action of support staff under another name, all blocks recomputed': [
    `UPDATE staff_action SET actor = 'kofi'`,
    resealedUnsigned,
  ],
  'a removed action of support staff': [
    'DELETE FROM staff_action',
    everywhere(/^table staff_action: lacks 1 rows at its end$/),
  ],
  'a rewritten create call': [raiseBody, everywhere(/: createBody: expected .* by its facts, found .*50000/)],
  'a rewritten create call and its fact, all blocks recomputed': [
    `${raiseBody}; ${raiseFact}`,
    { ...everywhere(/: goodsMinor: expected 50000 by its facts, found \d+$/), reseal: 'unsigned' },
  ],
  'a changed time of a block': ['UPDATE seal SET at = at + 1 WHERE number = 1', everywhere(mismatch)],
  'a removed signature': [
    'UPDATE seal SET signature = NULL, key_id = NULL WHERE number = 2',
    {
      keyless: /^seal 2: not signed, although an earlier block is signed/,
      keyed: /^seal 2: not signed/,
      noted: /^seal 2: not signed/,
    },
  ],
  'a signature of another block': [
    'UPDATE seal SET signature = (SELECT signature FROM seal WHERE number = 1) WHERE number = 2',
    {
      keyed: /^seal 2: signed with an invalid signature$/,
      noted: /^seal 2: signed with an invalid signature$/,
    },
  ],
  'removed last blocks': [`DELETE FROM seal WHERE number > 3; ${recountTotals}`, { noted: headGone }],
  'all amounts doubled, and all blocks removed, so that the gateway signs them': [
    `${doubleAmounts}; DELETE FROM seal; ${recountTotals}`,
    { noted: headGone, start: /"alarm":"ledger_signature","see":"docs\/operations\/tampering.md","block":0/ },
  ],
  'all blocks removed but the first, and the rows after it written over several minutes': [
    `DELETE FROM seal WHERE number > 1; UPDATE turn SET at = at + 301000 WHERE seq = ${lastTurn};
      ${recountTotals}`,
    { noted: headGone, start: /"alarm":"ledger_signature".*rows of the ledger have no block/ },
  ],
  'a planted trigger': [
    'CREATE TRIGGER later AFTER INSERT ON turn BEGIN SELECT 1; END',
    schema(/trigger later on turn is not part of the schema/),
  ],
  'a trigger that approves payments': [
    `CREATE TRIGGER pay AFTER INSERT ON turn BEGIN UPDATE collection SET status = 'paid'; END`,
    schema(/trigger pay on turn is not part of the schema/),
  ],
  'a dropped unique index': [
    'DROP INDEX posting_closing_once',
    schema(/index posting_closing_once on posting is missing/),
  ],
  'a view that hides collections': [
    `CREATE VIEW recent AS SELECT * FROM collection WHERE status <> 'paid'`,
    schema(/view recent is not part of the schema/),
  ],
  'a column that a trigger could use': [
    'ALTER TABLE collection ADD COLUMN approved INTEGER',
    schema(/table collection differs from the schema/),
  ],
};

export const attacks: readonly Attack[] = Object.entries(table).map(([what, [sql, found]]) => ({
  ...{ what, sql },
  ...found,
}));
