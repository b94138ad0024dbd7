import { copyFileSync, existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { registerBackup, registerRestore } from '../../../src/cli/commands/backup.ts';
import { readLastBackup } from '../../../src/gateway/upkeep/last-backup-store.ts';
import { Database } from '../../../src/sqlite/driver.ts';
import { createSqliteStore } from '../../../src/sqlite/sqlite.ts';
import { testClock } from '../../kit/clock.ts';
import { runCommand } from '../../kit/command.ts';
import { temporaryFolder } from '../../kit/folder.ts';
import { corruptTable } from '../../kit/with-database.ts';
import { createBench } from '../collection/bench.ts';

/** A ledger with one collection, whose gateway has stopped, and the two commands on it. */
async function createCommandKit() {
  const { store, file, open, clock } = createBench();
  await open();
  await store.close();
  const run = (...args: string[]) =>
    runCommand(args, (program, { stdout, exit }) => {
      const deps = { clock, stdout, database: () => ({ file: file }), exit };
      registerBackup(program, deps);
      registerRestore(program, deps);
    });
  const folder = temporaryFolder();
  const names = (inside = folder) => readdirSync(inside).sort();
  return { file, clock, run, folder, names };
}

const first = 'ledger-2026-03-06T09-00-00-000Z.db';

test('backup names the copy by its time, and describes its content', async () => {
  const { run, file, folder, names, clock } = await createCommandKit();
  expect(readLastBackup(file)).toBeUndefined();
  const { code, out } = await run('backup', '--to', folder);
  expect(code).toBe(0);
  expect(names()).toEqual([first]);
  const lines = Object.fromEntries(out.split('\n').map((line) => [line.slice(0, 19).trim(), line.slice(19)]));
  expect(lines).toMatchObject({
    created: '2026-03-06 09:00:00.000 (0s ago)',
    'newest collection': '2026-03-06 09:00:00.000 (0s ago)',
    mode: 'test',
    collections: '1, 1 open, 0 in review',
    rows: '1 facts, 0 postings, 0 turns, 0 events',
    schema: expect.stringMatching(/^(\d+) of \1 migrations$/),
  });
  expect(out).toContain(`backup ok: ${join(folder, first)}`);
  expect(readLastBackup(file)).toEqual({ at: clock.now(), file: join(folder, first) });
});

test('backup overwrites no file, and keeps the given number of its newest copies', async () => {
  const { run, folder, names, clock } = await createCommandKit();
  writeFileSync(join(folder, 'ledger-notes.db'), 'mine');
  writeFileSync(join(folder, 'other-2020-01-01T00-00-00-000Z.db'), 'mine too');
  expect((await run('backup', '--to', join(folder, first))).code).toBe(0);
  const before = readFileSync(join(folder, first));
  expect(await run('backup', '--to', folder)).toMatchObject({
    code: 1,
    err: expect.stringContaining('already exists. A backup overwrites no file'),
  });
  expect(readFileSync(join(folder, first))).toEqual(before);
  for (let i = 0; i < 3; i++) {
    await clock.advance(1_000);
    await run('backup', '--to', folder, '--keep', '2');
  }
  expect(names()).toEqual([
    'ledger-2026-03-06T09-00-02-000Z.db',
    'ledger-2026-03-06T09-00-03-000Z.db',
    'ledger-notes.db',
    'other-2020-01-01T00-00-00-000Z.db',
  ]);
  expect((await run('backup', '--to', join(folder, 'one.db'), '--keep', '2')).err).toContain(
    '--keep requires a folder',
  );
  expect((await run('backup', '--to', folder, '--keep', '0')).code).toBe(2);
});

test('the new copy is never removed, even if an older one was made with a clock that was ahead', async () => {
  const { run, folder, names } = await createCommandKit();
  for (const day of ['08', '09', '07'])
    writeFileSync(join(folder, `ledger-2026-03-${day}T09-00-00-000Z.db`), 'an older copy');
  await run('backup', '--to', folder, '--keep', '2');
  expect(names()).toEqual([first, 'ledger-2026-03-09T09-00-00-000Z.db']);
  await run('backup', '--to', join(folder, 'one/'), '--keep', '1');
  expect(names(join(folder, 'one'))).toEqual([first]);
});

test('a copy of a damaged file is not kept, and no older copy is removed', async () => {
  const { run, file, folder, names, clock } = await createCommandKit();
  await run('backup', '--to', folder);
  const database = new Database(file);
  database.exec(`UPDATE collection SET goods_minor = goods_minor + 1`);
  database.close();
  await clock.advance(1_000);
  expect(await run('backup', '--to', folder, '--keep', '1')).toMatchObject({
    code: 1,
    err: expect.stringMatching(/failed its verification and was not kept: .*goodsMinor: expected/),
  });
  expect(names()).toEqual([first]);
});

test('restore --check reports a faulty copy by its exit code, and changes nothing', async () => {
  const { run, file, folder, clock } = await createCommandKit();
  await run('backup', '--to', folder);
  const before = readFileSync(file);
  await clock.advance(3_900_000);
  const good = await run('restore', join(folder, first), '--check');
  expect(good).toMatchObject({ code: 0, out: expect.stringContaining('(1h5m ago)') });
  expect(good.out).toMatch(/backup ok\n$/);
  expect(readFileSync(file)).toEqual(before);

  copyFileSync(join(folder, first), join(folder, 'bad.db'));
  corruptTable(join(folder, 'bad.db'), 'posting');
  const bad = await run('restore', join(folder, 'bad.db'), '--check', '--json');
  expect(bad.code).toBe(1);
  expect(JSON.parse(bad.out)).toMatchObject({
    ok: false,
    faults: expect.arrayContaining([expect.any(String)]),
  });
  writeFileSync(join(folder, 'text.db'), 'no ledger at all, but a text');
  expect(await run('restore', join(folder, 'text.db'), '--check')).toMatchObject({
    code: 1,
    err: expect.stringContaining('is not a readable ledger'),
  });
});

test('restore fails while a gateway runs, and otherwise moves the previous files aside', async () => {
  const { run, file, folder, names } = await createCommandKit();
  await run('backup', '--to', folder);
  const gateway = createSqliteStore({ file, schema: 'gateway', clock: testClock() });
  expect(await run('restore', join(folder, first))).toMatchObject({
    code: 1,
    err: expect.stringContaining('is in use by another dialtill process'),
  });
  await gateway.close();
  writeFileSync(`${file}-wal`, 'the log of the old file, which must not meet the new one');
  const old = readFileSync(file);
  const { code, out } = await run('restore', join(folder, first));
  expect(code).toBe(0);
  const aside = `${file}.replaced-2026-03-06T09-00-00.000Z`;
  expect(out).toContain(`moved to           ${aside}\n`);
  expect(readFileSync(aside)).toEqual(old);
  expect(readFileSync(`${aside}-wal`, 'utf8')).toMatch(/^the log/);
  expect(existsSync(`${file}-wal`)).toBe(false);
  expect(names()).toEqual([first]);

  const again = await run('restore', join(folder, first), '--json');
  expect(JSON.parse(again.out)).toMatchObject({ database: file, movedTo: [`${aside}-2`] });
});

test('no gateway starts after an interrupted restore until a restore is complete', async () => {
  const { run, file, folder } = await createCommandKit();
  await run('backup', '--to', folder);
  // As it lies there when the machine stops between the two renames.
  writeFileSync(`${file}.restoring`, '');
  const starting = () => createSqliteStore({ file, schema: 'gateway', clock: testClock() });
  expect(starting).toThrow(/did not finish. Run dialtill restore again/);
  writeFileSync(join(folder, 'text.db'), 'no ledger');
  expect((await run('restore', join(folder, 'text.db'))).code).toBe(1);
  expect(starting).toThrow(/did not finish/);
  expect((await run('restore', join(folder, first))).code).toBe(0);
  await starting().close();
});

test('an interrupted restore that runs again moves the previous file and its log to one name', async () => {
  const { run, file, folder, clock } = await createCommandKit();
  await run('backup', '--to', folder);
  // One of another day, and the file of the restore that stopped before it came to the log.
  writeFileSync(`${file}.replaced-2026-12-24T09-00-00.000Z`, 'of a clock that was ahead');
  writeFileSync(`${file}-wal`, 'its log');
  writeFileSync(`${file}.restoring`, '');
  await clock.advance(1_000);
  const aside = `${file}.replaced-2026-03-06T09-00-00.000Z`;
  renameSync(file, aside);
  const done = await run('restore', join(folder, first), '--json');
  expect(JSON.parse(done.out)).toMatchObject({ movedTo: [`${aside}-wal`] });
  expect(readFileSync(`${aside}-wal`, 'utf8')).toBe('its log');
});

test('a copy of a newer version and the ledger itself are not restored', async () => {
  const { run, file, folder } = await createCommandKit();
  await run('backup', '--to', folder);
  const database = new Database(join(folder, first));
  database.exec(`INSERT INTO __drizzle_migrations (hash, created_at) VALUES ('newer', ${Date.now() + 1e12})`);
  database.close();
  expect((await run('restore', join(folder, first), '--check')).code).toBe(1);
  expect((await run('restore', join(folder, first))).err).toContain('written by a newer version of dialtill');
  expect(await run('restore', file)).toMatchObject({
    code: 1,
    err: `${file} is the ledger itself. Pass a copy of it\n`,
  });
});

test('a ledger of a newer version cannot be verified: it is not backed up, and its check fails', async () => {
  const { run, file, folder, names } = await createCommandKit();
  const database = new Database(file);
  database.exec(`INSERT INTO __drizzle_migrations (hash, created_at) VALUES ('newer', 9e15)`);
  database.close();
  const { code, out, err } = await run('backup', '--to', folder);
  expect({ code, out }).toEqual({ code: 1, out: '' });
  expect(err).toContain('was written by a newer version of dialtill, so it cannot be verified');
  expect(names()).toEqual([]);
  const checked = await run('restore', file, '--check', '--json');
  expect(checked.code).toBe(1);
  expect(JSON.parse(checked.out)).toMatchObject({
    ok: false,
    faults: ['audit: skipped, a newer version of dialtill wrote the file'],
  });
  expect((await run('restore', file, '--check')).out).toMatch(
    /audit: skipped.*\nthis backup cannot be restored\n$/,
  );
});

test('backup reports a folder that cannot be created in one sentence', async () => {
  const { run, folder } = await createCommandKit();
  const file = join(folder, 'a-file');
  writeFileSync(file, 'in the way');
  for (const to of [`${file}/x/`, `${file}/`, join(file, 'copy.db'), '/proc/dialtill/x/']) {
    expect(await run('backup', '--to', to)).toMatchObject({
      code: 1,
      out: '',
      err: expect.stringMatching(/^cannot create the folder \S+: E[A-Z]+: .*\n$/),
    });
  }
  expect(readFileSync(file, 'utf8')).toBe('in the way');
});

test('a backup removes the unfinished copies that are older than a day, and no other file', async () => {
  const { run, folder, names } = await createCommandKit();
  const killed = ['', '-journal'].map((part) => `ledger-2026-03-05T08-59-59-999Z.db.part${part}`);
  const others = [
    'ledger-2026-03-05T09-00-00-000Z.db.part',
    'ledger-notes.db.part',
    'other-2020-01-01T00-00-00-000Z.db.part',
    'ledger-2020-01-01T00-00-00-000Z.db.part.txt',
  ];
  for (const name of [...killed, ...others, `${first}.part`]) writeFileSync(join(folder, name), 'half');
  expect((await run('backup', '--to', folder)).code).toBe(0);
  expect(names()).toEqual([...others, first].sort());
});
