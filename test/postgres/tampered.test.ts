// cspell:ignore recordset
import pg from 'pg';
import { expect, test } from 'vitest';
import { ledgerStore } from '../../src/gateway/ledger/ledger-store.ts';
import type { LedgerReport } from '../../src/gateway/ledger/report.ts';
import { createSealKey, generateSealSecret, readPublicKeys } from '../../src/gateway/ledger/seal-key.ts';
import { type VerifyOptions, verifyLedger } from '../../src/gateway/ledger/verify.ts';
import { ledgerAudits } from '../../src/gateway/upkeep/ledger-audits.ts';
import { ledgerTables } from '../../src/gateway/upkeep/ledger-tables-query.ts';
import { systemIds } from '../../src/shared/ids.ts';
import { Database } from '../../src/sqlite/driver.ts';
import { createSqliteReader } from '../../src/sqlite/sqlite.ts';
import type { Store } from '../../src/sqlite/store.ts';
import { attacks } from '../gateway/ledger/attacks.ts';
import { publicKey, reseal, tampered } from '../gateway/ledger/tampering.ts';
import { tamperings } from '../gateway/ledger/tamperings.ts';
import { testClock } from '../kit/clock.ts';
import { createDatabase, openPostgres } from '../kit/postgres.ts';

/** A minute after the last row of the ledger. */
const now = Date.parse('2026-03-06T09:10:00Z');
const options: VerifyOptions = { now, publicKeys: readPublicKeys([{ key: publicKey }]) };

/** Writes the rows of a file to a server as its administrator could: without the triggers, and with the same last numbers. */
async function copyRows(path: string, url: string): Promise<void> {
  const file = new Database(path, { readonly: true });
  const client = new pg.Client(url);
  await client.connect();
  try {
    await client.query('BEGIN; SET LOCAL session_replication_role = replica');
    for (const { name, numbered } of ledgerTables) {
      const rows = JSON.stringify(file.prepare(`SELECT * FROM "${name}"`).all());
      const identity = numbered === null ? '' : 'OVERRIDING SYSTEM VALUE';
      await client.query(`DELETE FROM "${name}"`);
      await client.query(
        `INSERT INTO "${name}" ${identity} SELECT * FROM json_populate_recordset(NULL::"${name}", $1)`,
        [rows],
      );
      if (numbered === null) continue;
      const last = file.prepare('SELECT seq FROM sqlite_sequence WHERE name = ?').pluck().get(name) ?? 0;
      await client.query(`SELECT setval(pg_get_serial_sequence('"${name}"', '${numbered}'), $1, $2)`, [
        Math.max(1, Number(last)),
        Number(last) > 0,
      ]);
    }
    await client.query('COMMIT');
  } finally {
    await client.end();
    file.close();
  }
}

const verify = (store: Store): Promise<LedgerReport> =>
  verifyLedger(ledgerStore(store), ledgerAudits, options);

/** A batch that was not written uses up its numbers on a server. The audit of a file alone reports missing last numbers. */
function withoutLastNumbers(report: LedgerReport): LedgerReport {
  const faults = report.faults.filter(({ fault }) => !/^lacks \d+ rows at its end$/.test(fault));
  return { ...report, faults, ok: faults.length === 0 };
}

async function verifyBoth(path: string): Promise<{ onFile: LedgerReport; onServer: LedgerReport }> {
  const url = await createDatabase();
  await copyRows(path, url);
  const file = createSqliteReader(path);
  const onFile = withoutLastNumbers(await verify(file));
  await file.close();
  return { onFile, onServer: await verify(await openPostgres(url)) };
}

test('a server with the rows of a file has the same audit: the same blocks, rows and head, and no fault', async () => {
  const { onFile, onServer } = await verifyBoth(await tampered(() => {}));
  expect(onServer).toEqual(onFile);
  expect(onServer).toMatchObject({ ok: true, faults: [] });
});

/** Changes of a schema are those of a file: they have no counterpart on a server. */
const changesRows = ({ sql }: { sql: string }) => !/^(CREATE|DROP|ALTER)/.test(sql);

test.each([...attacks, ...tamperings].filter(changesRows))(
  '$what: the audit of a server reports what the audit of a file reports',
  async (attack) => {
    const path = await tampered((file) => file.exec(attack.sql));
    if ('reseal' in attack && attack.reseal)
      await reseal(path, attack.reseal === 'unsigned' ? undefined : createSealKey(secret()));
    const { onFile, onServer } = await verifyBoth(path);
    expect(onServer).toEqual(onFile);
  },
);

const secret = () => generateSealSecret(systemIds(testClock()));
