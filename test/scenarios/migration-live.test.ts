import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname } from 'node:path';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { verifyCopy } from '../../src/gateway/backup/verify-copy.ts';
import { type FactRow, genesis, hashBlock, type PostingRow } from '../../src/gateway/ledger/chain.ts';
import { createSqliteStore } from '../../src/sqlite/sqlite.ts';
import { isRecovering } from '../kit/copies.ts';
import { fileOfOlder } from '../kit/older-file.ts';
import { decline } from '../kit/payers.ts';
import { approve, prompted } from '../kit/scenes.ts';
import { createTill, type Till } from '../kit/till.ts';
import { compiled } from '../process/compiled.ts';

const waits = '0244123456';
const fresh = '0541234567';
const has = { paid: '0201234567', declined: '0271234567' };

/** What first facts lacked before a schema had its place. */
const later = `'$.shortReference', '$.retryOf', '$.shownTotalMinor'`;

/**
 * The ledger of a till as an older program would have written it: its columns, its first facts, and blocks sealed over
 * those. Returns its path and the head of its chain.
 */
function olderCopyOf(file: string, migrations: number): { older: string; head: string } {
  let head = genesis.hash;
  const older = fileOfOlder(migrations, (database) => {
    database.prepare('ATTACH ? AS now').run(file);
    const tables = database
      .prepare(`SELECT name FROM main.sqlite_schema WHERE type = 'table' AND name NOT LIKE '\\_\\_%' ESCAPE '\\'
        AND name NOT LIKE 'sqlite_%' AND name <> 'seal'`)
      .pluck()
      .all() as string[];
    for (const table of tables) {
      const columns = database
        .prepare(`SELECT name FROM pragma_table_info(?, 'main')`)
        .pluck()
        .all(table)
        .map((name) => `"${name}"`)
        .join();
      database.exec(
        `INSERT INTO main.${table} (${columns}) SELECT ${columns} FROM now.${table} ORDER BY rowid`,
      );
    }
    if (migrations < 4) {
      database.exec('DROP TRIGGER IF EXISTS main.fact_no_update');
      database.exec(`UPDATE main.fact SET data = json_remove(data, ${later}) WHERE kind = 'accepted'`);
      if (migrations > 1) {
        database.exec(`CREATE TRIGGER fact_no_update BEFORE UPDATE ON fact
          BEGIN SELECT RAISE(ABORT, 'fact is append-only'); END`);
      }
    }
    const facts = all<FactRow>(database, 'fact', 'collection_id AS collectionId, merchant_id AS merchantId');
    const postings = all<PostingRow>(
      database,
      'posting',
      'collection_id AS collectionId, merchant_id AS merchantId, amount_minor AS amountMinor',
    );
    head = hashBlock(genesis.hash, facts, postings);
    const block = [1, facts.at(-1)?.seq, postings.at(-1)?.seq, facts.length + postings.length];
    database.prepare('INSERT INTO main.seal VALUES (?, ?, ?, ?, ?, ?, 0)').run(...block, genesis.hash, head);
    database.exec('DETACH now');
  });
  return { older, head };
}

function all<T>(database: Database.Database, table: string, named: string): T[] {
  return database.prepare(`SELECT *, ${named} FROM main.${table} ORDER BY seq`).all() as T[];
}

/** Opens the file in a process that is killed within the migration, before the first of its parts is noted. */
async function killedMidway(file: string): Promise<void> {
  const args = [compiled('test/gateway/backup/child-migrate.ts'), file, 'INSERT INTO "__drizzle_migrations"'];
  const child = spawn(process.execPath, args, { stdio: 'inherit' });
  expect(await once(child, 'close')).toEqual([null, 'SIGKILL']);
}

function place(till: Till, older: string): void {
  const { file } = till.config.database;
  for (const part of ['-wal', '-shm']) rmSync(file + part, { force: true });
  copyFileSync(older, file);
}

function sealOne(till: Till): unknown {
  const database = new Database(till.config.database.file, { readonly: true });
  try {
    return database.prepare('SELECT hash FROM seal WHERE number = 1').pluck().get();
  } finally {
    database.close();
  }
}

const { entries } = JSON.parse(readFileSync('drizzle/gateway/meta/_journal.json', 'utf8'));
const earlier = [...Array(entries.length - 1).keys()].map((index) => index + 1);

test.each(earlier)(
  'S33: a ledger of %i migrations, whose upgrade was killed midway, is whole after the next, and payers go on',
  async (migrations) => {
    const till = await createTill();
    await prompted(till, has.paid);
    await approve(till, has.paid);
    await till.untilStatus(has.paid, 'paid');
    await prompted(till, has.declined);
    await decline(till, has.declined);
    await till.untilStatus(has.declined, 'failed');
    await prompted(till, waits);
    const { file } = till.config.database;
    let head = '';
    await till.restart(async () => {
      const made = olderCopyOf(file, migrations);
      head = made.head;
      place(till, made.older);
      // The first four have no watermark: beside one, a file without a name is taken for a copy.
      if (migrations < 5) rmSync(`${file}.seen`);
      await killedMidway(file);
      const after = new Database(file, { readonly: true });
      expect(after.prepare('SELECT count(*) FROM __drizzle_migrations').pluck().get()).toBe(migrations);
      after.close();
      // A copy of the file as it was lies beside it, whole.
      expect(readdirSync(dirname(file)).filter((name) => /\.before-\d+$/.test(name))).toHaveLength(1);
    });
    // Requests arrive from the first moment on.
    const dialled = till.pay(fresh);
    await approve(till, waits);
    await dialled;
    await till.untilStatus(waits, 'paid');
    await till.untilStatus(fresh, 'initiated');

    expect(await isRecovering(till)).toBe(false);
    expect(sealOne(till)).toBe(head);
    expect(await till.verify()).toMatchObject({ ok: true, faults: [] });
    const { sessions } = await till.service.book();
    expect(sessions.map(({ pushes }) => pushes)).toEqual([1, 1, 1, 1]);
    expect((await till.file((await till.only(waits)).id)).postings).toHaveLength(3);
  },
);

test('S33: the books of a copy of an older program are audited as our own are: one posting that is 500 off is found', async () => {
  const till = await createTill();
  await prompted(till, has.paid);
  await approve(till, has.paid);
  await till.untilStatus(has.paid, 'paid');
  const { id } = await till.only(has.paid);
  await till.gateway().stop();
  const { older, head } = olderCopyOf(till.config.database.file, 3);
  const bytes = readFileSync(older);
  const audits = () => readdirSync(tmpdir()).filter((name) => name.startsWith('dialtill-audit-'));
  const before = audits();
  expect(await verifyCopy(older)).toMatchObject({ ok: true, faults: [], head, schema: { migrations: 3 } });

  const database = new Database(older);
  database.exec('DROP TRIGGER IF EXISTS posting_no_update');
  database.exec('UPDATE posting SET amount_minor = amount_minor + 500 WHERE seq = 1');
  database.close();
  const { ok, faults } = await verifyCopy(older);
  expect(ok).toBe(false);
  expect(faults).toContain(`collection ${id}: its paid booking sums to 500 pesewas instead of 0`);
  expect(faults).toContainEqual(expect.stringMatching(/^seal 1: its hash does not match/));
  expect(bytes.length).toBe(readFileSync(older).length);
  expect(audits()).toEqual(before);
  await till.restart();
});

test('S33: a file of a newer program is refused, and is byte for byte what it was', async () => {
  const till = await createTill();
  await prompted(till, waits);
  const { file } = till.config.database;
  await till.restart(async () => {
    const database = new Database(file);
    database.exec(`INSERT INTO __drizzle_migrations (hash, created_at) VALUES ('newer', 9e15)`);
    const before = database.serialize();
    expect(() => createSqliteStore({ file, schema: 'gateway', clock: till.clock })).toThrow(
      /newer version of dialtill/,
    );
    expect(database.serialize().equals(before)).toBe(true);
    database.exec(`DELETE FROM __drizzle_migrations WHERE hash = 'newer'`);
    database.close();
  });
});
