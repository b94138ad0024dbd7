import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { expect, onTestFinished, test, vi } from 'vitest';
import { openForReading } from '../../src/gateway/database/database-location.ts';
import { ledgerStore } from '../../src/gateway/ledger/ledger-store.ts';
import { verifyLedger } from '../../src/gateway/ledger/verify.ts';
import { ledgerAudits } from '../../src/gateway/upkeep/ledger-audits.ts';
import { ledgerTables } from '../../src/gateway/upkeep/ledger-tables-query.ts';
import { declareCopy, MoveUnknown, moveLedger } from '../../src/gateway/upkeep/move-ledger.ts';
import { lockServer, openServerTarget } from '../../src/postgres/ledger-target.ts';
import { memberLock } from '../../src/postgres/locks.ts';
import { lockDatabase } from '../../src/sqlite/lock.ts';
import { testClock } from '../kit/clock.ts';
import { temporaryFolder } from '../kit/folder.ts';
import { createKeptLog } from '../kit/log.ts';
import { addOtherShop } from '../kit/payers.ts';
import { createClient, createDatabase, openPostgres, runSql } from '../kit/postgres.ts';
import { createTill } from '../kit/till.ts';
import { startProgram } from '../process/processes.ts';
import { at, dialOn, isRecovering, openingOf, startGateway } from './gateway.ts';

const clock = testClock();
const move = (from: string, to: string) => moveLedger({ from: at(from), to: at(to), clock, onTable() {} });

/** Writes a ledger with payments, one of them open, and with numbers that no row has. Returns its file. */
async function createLedger(): Promise<string> {
  const till = await createTill();
  await till.pay('0244123456');
  const created_at = '2026-03-06T09:00:00.000Z';
  await till.deliver({ id: 'evt_other', type: 'payment.session.opened', created_at, data: {} });
  await till.until(async () => (await till.only('0244123456')).status === 'initiated', 20_000);
  await till.pay('0244123457');
  await till.clock.advance(60_000);
  const { gateway } = till;
  await gateway().stop();
  return till.config.database.file;
}

async function headOf(place: string): Promise<string> {
  const store = await openForReading(at(place));
  try {
    const report = await verifyLedger(ledgerStore(store), ledgerAudits);
    expect(report.faults).toEqual([]);
    expect(report.blocks).toBeGreaterThan(0);
    return report.head;
  } finally {
    await store.close();
  }
}

/** Moves a ledger once the server has noticed that the process of an earlier move is gone. */
const moveWhenFree = (from: string, to: string) =>
  vi.waitFor(() => move(from, to), { timeout: 20_000, interval: 200 });

test('a ledger that moves to a server and back has the same head, and each old database is taken for a copy', async () => {
  const file = await createLedger();
  const head = await headOf(file);
  const url = await createDatabase('template0');
  const moved = await move(file, url);
  expect(moved.head).toBe(head);
  expect(await headOf(url)).toBe(head);
  const back = join(temporaryFolder(), 'back.db');
  expect(await move(url, back)).toEqual(moved);
  expect(await headOf(back)).toBe(head);
  expect([await isRecovering(file), await isRecovering(url), await isRecovering(back)]).toEqual([
    true,
    true,
    false,
  ]);
});

test('the ledger of an earlier version in public moves to its schema at a start without other gateways, and continues', async () => {
  const url = await createDatabase('template0');
  const { head } = await move(await createLedger(), url);
  const before = await openPostgres(url);
  expect(await before.apply(openingOf('0244123458'))).toBe(true);
  await before.close();
  await runSql(url, 'DROP SCHEMA public; ALTER SCHEMA dialtill RENAME TO public');
  await runSql(url, 'CREATE TABLE public.orders (n int)');
  await expect(headOf(url)).rejects.toThrow('an older version of dialtill wrote the database');
  const older = createClient(url);
  await older.connect();
  await older.query(`SELECT pg_advisory_lock_shared(${memberLock})`);
  await expect(openPostgres(url)).rejects.toThrow('gateways of an older version use this database');
  await older.end();
  const { log, lines } = createKeptLog();
  await (await startGateway(url, log)).stop();
  expect(lines.join('')).toContain('"from":"public"');
  const store = await openPostgres(url);
  expect(await store.ledgerDifferences()).toEqual([]);
  expect(await store.query('SELECT number FROM seal WHERE hash = ?', [head], 'rows')).toHaveLength(1);
  await headOf(url);
  // The payment that was open is open, and the numbers continue.
  expect(await store.apply(openingOf('0244123458'))).toBe(false);
  expect(await store.apply(openingOf('0244123459'))).toBe(true);
  expect(await isRecovering(url)).toBe(false);
  const left = `SELECT relname AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace`;
  expect(await runSql(url, left)).toEqual([{ name: 'orders' }]);
});

test('a server continues the numbers of a file, and knows its ledger', async () => {
  const file = await createLedger();
  const url = await createDatabase();
  await move(file, url);
  expect(await isRecovering(url)).toBe(false);
  for (const { name, numbered } of ledgerTables.filter((table) => table.numbered !== null)) {
    const [row] = await runSql(
      url,
      `SELECT coalesce(max("${numbered}"), 0) < nextval(pg_get_serial_sequence('"${name}"', '${numbered}')) AS ok FROM "${name}"`,
    );
    expect({ name, ...(row as object) }).toEqual({ name, ok: true });
  }
});

test('a ledger does not move while a gateway uses it, nor to a database that has rows or a gateway', async () => {
  const file = await createLedger();
  const url = await createDatabase();
  const unlock = lockDatabase(file);
  await expect(move(file, url)).rejects.toThrow('is in use by another dialtill process');
  unlock();
  const gateway = new pg.Client(url);
  await gateway.connect();
  onTestFinished(() => gateway.end());
  await gateway.query(`SELECT pg_advisory_lock_shared(${memberLock})`);
  await expect(move(file, url)).rejects.toThrow('a gateway uses this database');
  await gateway.query(`SELECT pg_advisory_unlock_shared(${memberLock})`);
  await runSql(url, `INSERT INTO horizon VALUES ('inbox', 1)`);
  await expect(move(file, url)).rejects.toThrow('has a ledger already');
  const other = await createLedger();
  await expect(move(file, other)).rejects.toThrow('exists already');
  expect(await isRecovering(file)).toBe(false);
});

test('a ledger does not move while a connection of a gateway can write, and none can write while it moves', async () => {
  const url = await createDatabase();
  const [first, second] = [await openPostgres(url), await openPostgres(url)];
  const write = { sql: `INSERT INTO horizon VALUES ('inbox', 1)`, args: [] };
  // A gateway that has lost its member connection still has those of its store.
  expect(await first.apply([write])).toBe(true);
  await expect(lockServer(url)).rejects.toThrow('a gateway uses this database');
  await first.close();
  const lock = await lockServer(url);
  await expect(second.apply([write])).rejects.toMatchObject({ kind: 'busy' });
  await lock.close();
});

test('a move whose last answer is lost keeps the old database marked, so that at most one is the ledger', async () => {
  const file = await createLedger();
  const url = await createDatabase();
  const query = pg.Client.prototype.query as (...args: unknown[]) => Promise<unknown>;
  let commits = 0;
  const spy = vi.spyOn(pg.Client.prototype, 'query').mockImplementation(async function (
    this: pg.Client,
    ...args: unknown[]
  ) {
    const answer = await query.apply(this, args);
    // The first one is that of the migration.
    if (args[0] === 'COMMIT' && ++commits === 2) throw new Error('Connection terminated unexpectedly');
    return answer;
  });
  await expect(move(file, url)).rejects.toThrow(MoveUnknown);
  spy.mockRestore();
  expect(await headOf(url)).toBe(await headOf(file));
  expect([await isRecovering(file), await isRecovering(url)]).toEqual([true, false]);
});

test('a move that is killed in the middle leaves the ledger as it was, and nothing in the new database', async (context) => {
  const file = await createLedger();
  const before = readFileSync(file);
  const url = await createDatabase();
  const reader = createClient(url);
  await reader.connect();
  // The rows of the last tables wait, so that the process is in the middle.
  await reader.query('BEGIN; LOCK TABLE seal IN SHARE MODE');
  const program = startProgram(context, 'src/cli/main.ts', ['database', 'move', '--from', file, '--to', url]);
  await program.waitForOutput(/^fact .*rows$/m);
  await program.end('SIGKILL');
  await reader.end();
  expect(readFileSync(file).equals(before)).toBe(true);
  expect(await isRecovering(file)).toBe(false);
  const head = await headOf(file);
  expect((await moveWhenFree(file, url)).head).toBe(head);
});

test('a move that is killed before its last write leaves at most one ledger: the old one begins with a recovery, as does the next move of it', async (context) => {
  const file = await createLedger();
  const url = await createDatabase();
  const program = startProgram(context, 'test/postgres/child-move.ts', [file, url]);
  await program.waitForOutput(/before the last write/);
  await program.end('SIGKILL');
  // The second move does not know whether the first one has ended.
  expect(await moveWhenFree(file, url)).toMatchObject({ head: await headOf(file), needsRecovery: true });
  expect([await isRecovering(file), await isRecovering(url)]).toEqual([true, true]);
});

test('a ledger that has moved already moves again as a copy, so that two databases never both start clean', async () => {
  const file = await createLedger();
  const [url, other, back] = [await createDatabase(), await createDatabase(), temporaryFolder()];
  expect((await move(file, url)).needsRecovery).toBe(false);
  expect((await move(file, other)).needsRecovery).toBe(true);
  expect(await isRecovering(other)).toBe(true);
  const [first, second] = [join(back, 'first.db'), join(back, 'second.db')];
  expect((await move(url, first)).needsRecovery).toBe(false);
  expect((await move(url, second)).needsRecovery).toBe(true);
  expect([await isRecovering(first), await isRecovering(second)]).toEqual([false, true]);
});

test.each(['server', 'file'])(
  'a ledger that waits for a recovery on a %s waits for it after a move, too',
  async (kind) => {
    const place = kind === 'file' ? await createLedger() : await createDatabase();
    if (kind === 'server') expect(await isRecovering(place)).toBe(false);
    await vi.waitFor(() => declareCopy(at(place)), { timeout: 20_000, interval: 200 });
    const to = kind === 'file' ? await createDatabase() : join(temporaryFolder(), 'moved.db');
    expect((await moveWhenFree(place, to)).needsRecovery).toBe(true);
    // A recovery that has begun is not complete after a move, either.
    const again = kind === 'file' ? join(temporaryFolder(), 'again.db') : await createDatabase();
    expect(await isRecovering(to)).toBe(true);
    expect((await moveWhenFree(to, again)).needsRecovery).toBe(true);
    expect(await isRecovering(again)).toBe(true);
  },
);

test('merchants of a server move to another one, and both continue with their numbers', async () => {
  const till = await createTill();
  await addOtherShop(till);
  await till.pay('0244123456');
  await till.pay('0244123457', ['1', '20', '1'], 'other-shop');
  await till.gateway().stop();
  const [url, second] = [await createDatabase(), await createDatabase()];
  await move(till.config.database.file, url);
  const split = (from: string, to: string, merchants: string[]) =>
    moveLedger({ from: at(from), to: at(to), merchants, clock, onTable() {} });
  expect(await split(url, second, ['demo-shop'])).toMatchObject({ needsRecovery: false });
  await expect(startGateway(url)).rejects.toThrow(
    'the merchant demo-shop has moved to the database postgres:',
  );
  const gateway = await startGateway(second);
  expect(await dialOn(gateway, 1)).toContain('Demo Shop');
  await gateway.stop();
  await expect(split(second, join(temporaryFolder(), 'third.db'), ['other-shop'])).rejects.toThrow(
    'the merchant other-shop is served from postgres:',
  );
  for (const place of [url, second]) {
    await headOf(place);
    const next = `SELECT max(seq) < nextval(pg_get_serial_sequence('staff_action', 'seq')) AS ok FROM staff_action`;
    expect(await runSql(place, next)).toEqual([{ ok: true }]);
  }
});

test('a move that fails leaves the ledger as it was, and nothing in the new database', async () => {
  const file = await createLedger();
  const before = readFileSync(file);
  const [url, folder] = [await createDatabase(), temporaryFolder()];
  const failing = { from: at(file), clock, onTable: () => expect.fail('the process is killed') };
  await expect(moveLedger({ ...failing, to: at(url) })).rejects.toThrow('is killed');
  await expect(moveLedger({ ...failing, to: at(join(folder, 'new.db')) })).rejects.toThrow('is killed');
  expect(readFileSync(file).equals(before)).toBe(true);
  expect(existsSync(join(folder, 'new.db'))).toBe(false);
  const target = await openServerTarget(url, ledgerTables);
  await target.close();
  expect((await move(file, url)).head).toBe(await headOf(url));
  expect((await move(url, join(folder, 'new.db'))).head).toBe(await headOf(url));
});

test.each(['server', 'file'])(
  'a ledger on a %s that is declared a copy begins with a recovery, once no gateway uses it',
  async (kind) => {
    const place = kind === 'file' ? await createLedger() : await createDatabase();
    expect(await isRecovering(place)).toBe(false);
    const gateway = await startGateway(place);
    await expect(declareCopy(at(place))).rejects.toThrow(/gateway|another program/);
    await gateway.stop();
    await vi.waitFor(() => declareCopy(at(place)), { timeout: 20_000, interval: 200 });
    expect(await isRecovering(place)).toBe(true);
  },
);
