import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { getTableColumns } from 'drizzle-orm';
import { expect, onTestFinished, test } from 'vitest';
import { collection } from '../../src/gateway/database/schema.ts';
import { createShortReference, showShortReference } from '../../src/shared/short-reference.ts';
import { Database } from '../../src/sqlite/driver.ts';
import { createBench, number } from '../gateway/collection/bench.ts';
import { temporaryFolder } from '../kit/folder.ts';
import { queryPlansOf } from '../kit/query-plans.ts';
import { ledger, printed } from '../kit/staff-command.ts';
import { createTill } from '../kit/till.ts';
import { corruptTable } from '../kit/with-database.ts';

test('find, show, balances and the export name an unconfirmed payment until a poll confirms it', async () => {
  const till = await createTill();
  const payer = '0244123456';
  till.faults.call = (call, pass) => (call.name === 'status' ? Promise.reject(new Error('down')) : pass());
  const { id } = await till.paidPayment(payer, 10_000);
  const file = till.config.database.file;
  const print = async () => ({
    find: await printed(file, 'find', payer),
    show: await printed(file, 'show', id),
    balances: await printed(file, 'balances'),
    export: await printed(file, 'export', '--csv'),
    sums: JSON.parse(await printed(file, 'balances', '--json')).unconfirmed,
  });
  const before = await print();
  expect(before.find).toContain('paid, unconfirmed');
  expect(before.show).toContain('paid (unconfirmed: no poll agrees yet)');
  expect(before.show).toContain('paid: GHS 20.20 (source: webhook), unconfirmed');
  expect(before.balances).toContain('unconfirmed now (test, demo-shop): GHS 20.20 in 1 payment\n');
  expect(before.sums).toEqual([{ merchantId: 'demo-shop', livemode: 0, count: 1, amountMinor: 2_020 }]);
  const cells = (csv: string) => {
    const [head = [], row = []] = csv
      .trim()
      .split('\r\n')
      .map((line) => line.split(','));
    return (name: string) => row[head.indexOf(`"${name}"`)];
  };
  expect([cells(before.export)('status'), cells(before.export)('confirmed_at')]).toEqual([
    '"unconfirmed"',
    '""',
  ]);

  delete till.faults.call;
  await till.until(async () => (await till.only(payer)).confirmedAt !== null);
  const after = await print();
  expect([after.find, after.balances].join()).not.toContain('unconfirmed');
  expect(after.show).toContain('confirmed: a poll agrees that it is paid');
  expect(after.sums).toEqual([]);
  expect(cells(after.export)('status')).toBe('"paid"');
  expect(cells(after.export)('confirmed_at')).toMatch(/^"2026-03-06T09:0\d:\d\d\.\d{3}Z"$/);
});

test("show prints each turn with the aggregator's reference, and the reported end of the session", async () => {
  const till = await createTill();
  const payer = '0244123456';
  const session = till.session(payer, 'wigal-v1', { session: 'w-1' });
  await session.walk(['1', '20', '1']);
  await session.leave(['1', '20', '1']);
  const { id, reference } = await till.only(payer);
  const file = till.config.database.file;

  const shown = await printed(file, 'show', id);
  const lines = shown.slice(shown.indexOf('timeline')).split('\n');
  const textsOf = (kind: string) =>
    lines.flatMap((line) => new RegExp(` ${kind} +(.*)$`).exec(line)?.[1] ?? []);
  expect(textsOf('payer')).toEqual([
    "dialled (aggregator's reference w-1-1)",
    "entered 1 (aggregator's reference w-1-2)",
    "entered 20 (aggregator's reference w-1-3)",
    "entered 1 (aggregator's reference w-1-4)",
  ]);
  expect(textsOf('screen')).toHaveLength(4);
  expect(textsOf('notice')).toEqual(['the aggregator reports: session ended']);
  expect(textsOf('status')).toEqual([`accepted: price GHS 20.00, reference ${reference}`]);

  const { timeline } = JSON.parse(await printed(file, 'show', id, '--json'));
  expect(timeline).toContainEqual({
    at: new Date(till.clock.now()).toISOString(),
    kind: 'notice',
    text: 'the aggregator reports: session ended',
    ms: null,
  });
});

test('find accepts a short reference in one or two words, with a space, a dash or nothing between its halves', async () => {
  const { open, file } = createBench();
  const { row } = await open({ reference: 'INV-7' });
  await open({ payer: number(2), reference: 'INV-8' });
  const displayed = showShortReference(row.shortReference);
  for (const words of [
    [row.shortReference],
    [displayed],
    displayed.split(' '),
    [displayed.replace(' ', '-')],
  ]) {
    const found = JSON.parse(await printed(file, 'find', ...words, '--json'));
    expect(found.data.map(({ id }: { id: string }) => id)).toEqual([row.id]);
  }
  const wrong = displayed.replace(/\d$/, (digit) => String((Number(digit) + 1) % 10));
  expect(await printed(file, 'find', wrong)).toBe(`no collection found for ${wrong}\n`);
});

test('find matches a reference of the menu that has the form of a short reference', async () => {
  const { open, file } = createBench();
  const { row } = await open({ shortReference: '48217362', reference: 'A' });
  const { row: other } = await open({ payer: number(2), reference: '48217362' });
  const found = JSON.parse(await printed(file, 'find', '48217362', '--json'));
  expect(found.data.map(({ id }: { id: string }) => id).sort()).toEqual([row.id, other.id].sort());
});

/** Returns the references that a search finds, in the order of the output. */
async function referencesOf(file: string, ...words: string[]): Promise<string[]> {
  const found = JSON.parse(await printed(file, 'find', ...words, '--json')) as {
    data: { reference: string }[];
  };
  return found.data.map(({ reference }) => reference);
}

test('find matches any part of a reference or of its words, in upper or lower case, newest first', async () => {
  const { open, file, clock } = createBench();
  const references = ['KA1024 UNCHECKED', 'KA1024', 'KA10245', 'INV-2047/b', 'meter_77 a%b', 'XKA1024'];
  for (const [n, reference] of references.entries()) {
    await open({ payer: number(n), reference });
    await clock.advance(1_000);
  }
  expect(await referencesOf(file, 'KA1024')).toEqual(['XKA1024', 'KA10245', 'KA1024', 'KA1024 UNCHECKED']);
  expect(await referencesOf(file, 'ka1024', 'unch')).toEqual(['KA1024 UNCHECKED']);
  expect(await referencesOf(file, 'unchecked', 'ka')).toEqual(['KA1024 UNCHECKED']);
  expect(await referencesOf(file, 'Unchecked')).toEqual(['KA1024 UNCHECKED']);
  expect(await referencesOf(file, '2047')).toEqual(['INV-2047/b']);
  expect(await referencesOf(file, 'inv-20')).toEqual(['INV-2047/b']);
  // % and _ are not wildcards.
  expect(await referencesOf(file, 'a%b')).toEqual(['meter_77 a%b']);
  expect(await referencesOf(file, 'KA1%4')).toEqual([]);
  expect(await referencesOf(file, '1024')).toEqual(['XKA1024', 'KA10245', 'KA1024', 'KA1024 UNCHECKED']);
  // A term of two letters matches too many references.
  expect(await referencesOf(file, 'KA')).toEqual([]);
});

test('find matches the start of a collection id or payment session id, in upper or lower case, newest first', async () => {
  const { open, file, clock, store } = createBench();
  const ids: string[] = [];
  for (let n = 0; n < 3; n++) {
    const { row } = await open({ payer: number(n), reference: `INV-${n}` });
    const sql = 'UPDATE collection SET session_id = ? WHERE id = ?';
    await store.apply([{ sql, args: [`pay_${n}1m8032gm18Xn16g`, row.id] }]);
    ids.push(row.id);
    // Ids of the same second have the same start.
    await clock.advance(100);
  }
  const find = async (term: string) =>
    (JSON.parse(await printed(file, 'find', term, '--json')) as { data: { id: string }[] }).data.map(
      ({ id }) => id,
    );
  const [first = '', second, third] = ids;
  const alike = first.slice(0, 'col_'.length + 8);
  expect(await find(alike)).toEqual([third, second, first]);
  expect(await find(alike.toUpperCase())).toEqual([third, second, first]);
  expect(await find(first.slice(0, -2))).toEqual([first]);
  expect(await find('pay_11m8032gm1')).toEqual([second]);
  // Ids of payment sessions are case-sensitive.
  expect(await find('pay_11m8032gm18X')).toEqual([second]);
  // Fewer characters are the start of too many ids, or of none.
  const short = alike.slice(0, -1);
  expect(await find(short)).toEqual([]);
  const why = `${short}: the start of an id needs 8 characters after col_`;
  expect(await printed(file, 'find', short)).toBe(`no collection found for ${why}\n`);
  await expect(printed(file, 'find', ' ')).rejects.toThrow('expected a search term');
  await expect(printed(file, 'show', short)).rejects.toThrow(`no collection ${why}. To find it`);
  expect(await printed(file, 'find', 'pay_99m8032gm1')).toBe('no collection found for pay_99m8032gm1\n');
});

test('find searches for the start of an id in an index', async () => {
  const { open, file } = createBench();
  await open();
  const plans = await queryPlansOf(file, () => printed(file, 'find', 'pay_01m8032g'));
  const searches = plans.flatMap(({ steps }) => steps);
  for (const index of [
    'sqlite_autoindex_collection_1 (id>? AND id<?)',
    'collection_session (session_id>? AND session_id<?)',
  ])
    expect(searches).toContain(`SEARCH collection USING COVERING INDEX ${index}`);
});

test('find reads a bounded number of collections, however large the ledger is', async () => {
  const { open, file, store } = createBench();
  await open({ reference: 'KA1024 FIRST' });
  const names = Object.values(getTableColumns(collection)).map(({ name }) => name);
  const others = names.filter((name) => !['id', 'payer', 'dialler', 'short_reference'].includes(name));
  const later: Record<string, string> = { reference: "'LATER'", opened_at: 'opened_at + 1' };
  const values = others.map((name) => later[name] ?? name);
  await store.apply([
    {
      sql: `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
            INSERT INTO collection (id, payer, dialler, short_reference, ${others.join()})
            SELECT 'col_' || i, i, i, i, ${values.join()} FROM collection, n`,
      args: [],
      rows: 20_000,
    },
  ]);
  // The index finds the start of a reference at any age; other parts match only in the newest collections.
  expect(await referencesOf(file, 'KA1024')).toEqual(['KA1024 FIRST']);
  expect(await referencesOf(file, 'first')).toEqual([]);
  expect(await printed(file, 'find', 'first')).toBe(
    'no collection found for first\n' +
      'not searched: parts of references and amounts in 1 older collection. To narrow them down, run: dialtill ledger list\n',
  );
  expect(await referencesOf(file, 'later')).toHaveLength(100);
});

test('show accepts a short reference with a space, a dash or nothing between its halves', async () => {
  const { open, file } = createBench();
  const { row } = await open({ shortReference: '48217362', reference: 'INV-7' });
  for (const words of [['48217362'], ['4821 7362'], ['4821', '7362'], ['4821-7362']]) {
    const shown = JSON.parse(await printed(file, 'show', ...words, '--json'));
    expect(shown.collection.id).toBe(row.id);
  }
  await expect(printed(file, 'show', '4821', '7363')).rejects.toThrow(
    '4821 7363 is not a valid short reference: one digit is wrong, or two neighbouring digits are swapped',
  );
  const none = showShortReference(createShortReference({ digits: () => '1234567' }));
  await expect(printed(file, 'show', none)).rejects.toThrow(`no collection ${none}. To find it, run`);
});

test('show lists the collections when several merchants have the same short reference', async () => {
  const { open, file } = createBench();
  const { row } = await open({ shortReference: '48217362' });
  const { row: other } = await open({ shortReference: '48217362', merchantId: 'other-shop' });
  const shown = printed(file, 'show', '4821 7362');
  await expect(shown).rejects.toThrow('2 collections match 4821 7362:');
  await expect(shown).rejects.toThrow(`${row.id} (demo-shop, test)`);
  await expect(shown).rejects.toThrow(`${other.id} (other-shop, test)`);
});

test('show prints the retries of a collection in both directions, and the total on the confirm screen', async () => {
  const { open, end, file } = createBench();
  const { row: first } = await open({ shortReference: '48217362' });
  await end(first, { status: 'failed', reason: 'declined' });
  const { row: second } = await open({ retryOf: first.id, reference: 'INV-7', shownTotalMinor: 2_020 });
  const lines = async (id: string) =>
    Object.fromEntries(
      (await printed(file, 'show', id))
        .split('\n')
        .flatMap((line) => [/^(\S(?:.{0,14}\S)?) {1,}(\S.*)$/.exec(line)?.slice(1) ?? []])
        .filter((pair) => pair.length === 2),
    );
  expect(await lines(first.id)).toMatchObject({
    'short reference': '4821 7362',
    'retry of': '-',
    'retried as': second.id,
    'total shown': '-',
  });
  expect(await lines(second.id)).toMatchObject({
    'short reference': showShortReference(second.shortReference),
    'retry of': first.id,
    'retried as': '-',
    'total shown': 'GHS 20.20',
  });
  expect(await printed(file, 'show', second.id)).toContain(
    `accepted: price GHS 20.00, total shown GHS 20.20, reference INV-7, retry of ${first.id}\n`,
  );
  const shown = JSON.parse(await printed(file, 'show', first.id, '--json'));
  expect(shown).toMatchObject({
    retriedAs: second.id,
    collection: { shortReference: '48217362', retryOf: null, shownTotalMinor: null },
  });
});

test('a file of a development version, of a newer version, and of another program are rejected with a reason each', async () => {
  const { file, store } = createBench();
  await store.close();
  const database = new Database(file);
  onTestFinished(() => void database.close());
  database.exec('UPDATE __drizzle_migrations SET created_at = created_at - 1');
  await expect(printed(file, 'balances')).rejects.toThrow(
    /a development version of dialtill whose schema cannot be upgraded\. Use that version, or move the file/,
  );
  database.exec('UPDATE __drizzle_migrations SET created_at = created_at + 2');
  await expect(printed(file, 'balances')).rejects.toThrow(
    'newer version of dialtill. Read it with that version',
  );
  const other = join(temporaryFolder(), 'other.db');
  new Database(other).exec('CREATE TABLE anything (n INTEGER)').close();
  await expect(printed(other, 'balances')).rejects.toThrow('is not a database of dialtill');
});

test.each([
  ['fact', 'verify'],
  ['collection', 'export --csv'],
])('damage in the table %s is reported by ledger %s, with what to do', async (table, command) => {
  const { open, store, file } = createBench();
  await open();
  await store.close();
  corruptTable(file, table);
  expect(await ledger(file, ...command.split(' '))).toMatchObject({
    err: `${file} cannot be used: SQLITE_CORRUPT: database disk image is malformed. No payer is charged. What to do: docs/operations/damaged-file.md.\n`,
    code: 1,
  });
});

test('a file that is not a database is reported the same way', async () => {
  const other = join(temporaryFolder(), 'other.db');
  writeFileSync(
    other,
    'a text, and no database at all: longer than the head of a page is, to be read as one'.repeat(20),
  );
  await expect(printed(other, 'balances')).rejects.toThrow(
    /other\.db is not a database\. .*docs\/operations\/damaged-file.md/,
  );
});
