import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import Database from 'better-sqlite3';
import { Command } from 'commander';
import { getTableColumns } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { registerLedger } from '../../src/cli/commands/ledger/ledger.ts';
import { collection } from '../../src/gateway/schema.ts';
import { UserError } from '../../src/shared/errors.ts';
import { createShortReference, showShortReference } from '../../src/shared/short-reference.ts';
import { number, openBench } from '../gateway/collection/bench.ts';
import { rawSession, walkSession } from '../kit/callback.ts';
import { temporaryFolder } from '../kit/folder.ts';
import { fileOfOlder } from '../kit/older-file.ts';
import { plansOf } from '../kit/query-plans.ts';
import { spoilTable } from '../kit/spoil.ts';
import { createTill } from '../kit/till.ts';

/** Runs `dialtill ledger …` beside whoever writes the file, and returns what it prints. */
async function ledger(file: string, ...args: string[]): Promise<string> {
  let out = '';
  const stdout = new PassThrough();
  stdout.on('data', (chunk) => {
    out += chunk;
  });
  const program = new Command('dialtill');
  registerLedger(program, { stdout, noColor: true, databaseFile: () => file, exit: () => {} });
  await program.parseAsync(['ledger', ...args], { from: 'user' });
  return out;
}

test("show prints each turn with the aggregator's reference, and how the network says the session ended", async () => {
  const till = await createTill();
  const payer = '0244123456';
  const session = rawSession(till, payer, 'wigal-v1', { session: 'w-1' });
  await walkSession(till, session, ['1', '20', '1']);
  await session.leave(['1', '20', '1']);
  const { id, reference } = await till.only(payer);
  const file = till.config.database.file;

  const printed = await ledger(file, 'show', id);
  const story = printed.slice(printed.indexOf('timeline')).split('\n');
  const of = (kind: string) => story.flatMap((line) => new RegExp(` ${kind} +(.*)$`).exec(line)?.[1] ?? []);
  expect(of('payer')).toEqual([
    "dialled (aggregator's reference w-1-1)",
    "typed 1 (aggregator's reference w-1-2)",
    "typed 20 (aggregator's reference w-1-3)",
    "typed 1 (aggregator's reference w-1-4)",
  ]);
  expect(of('screen')).toHaveLength(4);
  expect(of('notice')).toEqual(['the network says: session ended']);
  expect(of('status')).toEqual([`accepted: GHS 20.00, reference ${reference}`]);

  const { timeline } = JSON.parse(await ledger(file, 'show', id, '--json'));
  expect(timeline).toContainEqual({
    at: till.clock.now(),
    kind: 'notice',
    text: 'the network says: session ended',
  });
});

test('find takes a short reference as it is read out: with or without the blank, quoted or not', async () => {
  const { open, file } = openBench();
  const { row } = await open({ reference: 'INV-7' });
  await open({ payer: number(2), reference: 'INV-8' });
  const spoken = showShortReference(row.shortReference ?? '');
  for (const words of [[row.shortReference ?? ''], [spoken], spoken.split(' '), [spoken.replace(' ', '-')]]) {
    const found = JSON.parse(await ledger(file, 'find', ...words, '--json'));
    expect(found.map(({ id }: { id: string }) => id)).toEqual([row.id]);
  }
  const wrong = spoken.replace(/\d$/, (digit) => String((Number(digit) + 1) % 10));
  expect(await ledger(file, 'find', wrong)).toBe(`no collection found for ${wrong}\n`);
});

test('find finds a collection by the reference that the menu asked for, also when it reads like a short one', async () => {
  const { open, file } = openBench();
  const { row } = await open({ shortReference: '48217362', reference: 'A' });
  const { row: like } = await open({ payer: number(2), reference: '48217362' });
  const found = JSON.parse(await ledger(file, 'find', '48217362', '--json'));
  expect(found.map(({ id }: { id: string }) => id).sort()).toEqual([row.id, like.id].sort());
});

/** The references that a search finds, the newest first. */
async function referencesOf(file: string, ...words: string[]): Promise<string[]> {
  const found = JSON.parse(await ledger(file, 'find', ...words, '--json')) as { reference: string }[];
  return found.map(({ reference }) => reference);
}

test('find takes the beginning of a reference and words of it, in whatever letters, newest first', async () => {
  const { open, file, clock } = openBench();
  const references = ['KA1024 UNCHECKED', 'KA1024', 'KA10245', 'INV-2047/b', 'meter_77 a%b', 'XKA1024'];
  for (const [n, reference] of references.entries()) {
    await open({ payer: number(n), reference });
    await clock.advance(1_000);
  }
  expect(await referencesOf(file, 'KA1024')).toEqual(['KA10245', 'KA1024', 'KA1024 UNCHECKED']);
  expect(await referencesOf(file, 'ka1024', 'unch')).toEqual(['KA1024 UNCHECKED']);
  expect(await referencesOf(file, 'unchecked', 'ka')).toEqual(['KA1024 UNCHECKED']);
  expect(await referencesOf(file, 'Unchecked')).toEqual(['KA1024 UNCHECKED']);
  expect(await referencesOf(file, '2047')).toEqual(['INV-2047/b']);
  expect(await referencesOf(file, 'inv-20')).toEqual(['INV-2047/b']);
  // Signs that a pattern would take for anything.
  expect(await referencesOf(file, 'a%b')).toEqual(['meter_77 a%b']);
  expect(await referencesOf(file, 'KA1%4')).toEqual([]);
  // The middle of a word is none of its beginnings, and two letters are a part of too many.
  expect(await referencesOf(file, '1024')).toEqual([]);
  expect(await referencesOf(file, 'KA')).toEqual([]);
});

test('find takes the beginning of a collection id or of a session id, in capitals too, newest first', async () => {
  const { open, file, clock, store } = openBench();
  const ids: string[] = [];
  for (let n = 0; n < 3; n++) {
    const { row } = await open({ payer: number(n), reference: `INV-${n}` });
    const sql = 'UPDATE collection SET session_id = ? WHERE id = ?';
    await store.apply([{ sql, args: [`pay_${n}1m8032gm18Xn16g`, row.id] }]);
    ids.push(row.id);
    // Of one second: their ids begin alike.
    await clock.advance(100);
  }
  const find = async (term: string) =>
    (JSON.parse(await ledger(file, 'find', term, '--json')) as { id: string }[]).map(({ id }) => id);
  const [first = '', second, third] = ids;
  const alike = first.slice(0, 'col_'.length + 8);
  expect(await find(alike)).toEqual([third, second, first]);
  expect(await find(alike.toUpperCase())).toEqual([third, second, first]);
  expect(await find(first.slice(0, -2))).toEqual([first]);
  expect(await find('pay_11m8032gm1')).toEqual([second]);
  // Case tells sessions of a service apart, whose ids are its own.
  expect(await find('pay_11m8032gm18X')).toEqual([second]);
  // Fewer characters are a time that too many share, or nobody's id.
  expect(await find(alike.slice(0, -1))).toEqual([]);
  expect(await ledger(file, 'find', 'pay_99m8032gm1')).toBe(
    'no collection found for pay_99m8032gm1. Events of sessions that are not known here: dialtill ledger unmatched\n',
  );
});

test('find looks for beginnings of ids in their indexes', async () => {
  const { open, file } = openBench();
  await open();
  const plans = await plansOf(file, () => ledger(file, 'find', 'pay_01m8032g'));
  const searches = plans.map(({ steps: [first] }) => first);
  for (const index of [
    'sqlite_autoindex_collection_1 (id>? AND id<?)',
    'collection_session (session_id>? AND session_id<?)',
  ])
    expect(searches).toContain(`SEARCH collection USING INDEX ${index}`);
});

/** An event of a session that nobody here has opened. */
const event = (n: number, type: string, data: object) =>
  ({ id: `evt_${n}`, type: `payment.session.${type}`, created_at: '2026-03-06T09:00:00Z', data }) as const;

test('unmatched prints what each event says was taken, when it came and of what kind it is, newest first', async () => {
  const till = await createTill();
  const file = till.config.database.file;
  expect(await ledger(file, 'unmatched')).toBe('every event has its collection\n');
  const quote = { status: 'paid', goods_minor: 2_000, amount_minor: 2_020 };
  const events = [
    event(1, 'paid', { id: 'pay_1', ...quote, paid_at: '2026-03-06T08:59:58Z' }),
    event(2, 'review_amount_mismatch', { id: 'pay_2', ...quote, paid_minor: 1_000 }),
    event(3, 'failed', { id: 'pay_3', ...quote }),
    event(4, 'paid', { ...quote, amount_minor: '2020' }),
  ];
  for (const one of events) {
    expect((await till.deliver(one)).status).toBe(200);
    await till.clock.advance(1_000);
  }
  const lines = (await ledger(file, 'unmatched')).split('\n').map((line) => line.split(/ {2,}/));
  expect(lines).toEqual([
    ['event', 'type', 'amount', 'session', 'merchant', 'state', 'received (UTC)'],
    ['evt_4', 'payment.session.paid', '-', '-', 'demo-shop', 'dead', '2026-03-06 09:00:03.000'],
    ['evt_3', 'payment.session.failed', '-', 'pay_3', 'demo-shop', 'parked', '2026-03-06 09:00:02.000'],
    [
      ...['evt_2', 'payment.session.review_amount_mismatch', 'GHS 10.00', 'pay_2'],
      ...['demo-shop', 'parked', '2026-03-06 09:00:01.000'],
    ],
    ['evt_1', 'payment.session.paid', 'GHS 20.20', 'pay_1', 'demo-shop', 'parked', '2026-03-06 09:00:00.000'],
    [''],
  ]);
  const told = JSON.parse(await ledger(file, 'unmatched', '--json'));
  expect(told).toMatchObject([
    { eventId: 'evt_4', amountMinor: null, paidAt: null },
    { eventId: 'evt_3', amountMinor: null },
    { eventId: 'evt_2', amountMinor: 1_000, paidAt: null },
    { eventId: 'evt_1', amountMinor: 2_020, paidAt: '2026-03-06T08:59:58Z' },
  ]);
});

test('unmatched reads these events alone, in their order', async () => {
  const { file } = openBench();
  const plans = await plansOf(file, () => ledger(file, 'unmatched'));
  expect(plans.find(({ sql }) => sql.includes('"inbox"'))?.steps).toEqual([
    'SCAN inbox USING INDEX inbox_unmatched',
  ]);
});

test('find looks through no more of a large ledger than of a small one', async () => {
  const { open, file, store } = openBench();
  await open({ reference: 'KA1024 FIRST' });
  const names = Object.values(getTableColumns(collection)).map(({ name }) => name);
  const others = names.filter((name) => !['id', 'payer', 'short_reference'].includes(name));
  const values = others.map((name) => (name === 'reference' ? "'LATER'" : name));
  await store.apply([
    {
      sql: `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
            INSERT INTO collection (id, payer, ${others.join()})
            SELECT 'col_' || i, i, ${values.join()} FROM collection, n`,
      args: [],
      rows: 20_000,
    },
  ]);
  // By its beginning in the index, however old; by another word only while it is among the newest.
  expect(await referencesOf(file, 'KA1024')).toEqual(['KA1024 FIRST']);
  expect(await referencesOf(file, 'first')).toEqual([]);
  expect(await referencesOf(file, 'later')).toHaveLength(100);
});

test('show takes a short reference as it is read out', async () => {
  const { open, file } = openBench();
  const { row } = await open({ shortReference: '48217362', reference: 'INV-7' });
  for (const words of [['48217362'], ['4821 7362'], ['4821', '7362'], ['4821-7362']]) {
    const shown = JSON.parse(await ledger(file, 'show', ...words, '--json'));
    expect(shown.collection.id).toBe(row.id);
  }
  await expect(ledger(file, 'show', '4821', '7363')).rejects.toThrow(
    '4821 7363 is no short reference: a digit is wrong, or two are swapped',
  );
  const none = showShortReference(createShortReference({ digits: () => '1234567' }));
  await expect(ledger(file, 'show', none)).rejects.toThrow(`no collection ${none}. Look for it with`);
});

test('show names the collections of several merchants that have the same short reference', async () => {
  const { open, file } = openBench();
  const { row } = await open({ shortReference: '48217362' });
  const { row: other } = await open({ shortReference: '48217362', merchantId: 'other-shop' });
  const shown = ledger(file, 'show', '4821 7362');
  await expect(shown).rejects.toThrow('2 collections have the short reference 4821 7362: ');
  await expect(shown).rejects.toThrow(`${row.id} (demo-shop, test)`);
  await expect(shown).rejects.toThrow(`${other.id} (other-shop, test)`);
});

test('show tells what a collection is again of, what it was asked again as, and what was agreed to', async () => {
  const { open, end, file } = openBench();
  const { row: first } = await open({ shortReference: '48217362' });
  await end(first, { status: 'failed', reason: 'declined' });
  const { row: second } = await open({ retryOf: first.id, reference: 'INV-7', shownTotalMinor: 2_020 });
  const lines = async (id: string) =>
    Object.fromEntries(
      (await ledger(file, 'show', id))
        .split('\n')
        .flatMap((line) => [/^(\S(?:.{0,10}\S)?) {1,}(\S.*)$/.exec(line)?.slice(1) ?? []])
        .filter((pair) => pair.length === 2),
    );
  expect(await lines(first.id)).toMatchObject({
    short: '4821 7362',
    'again of': '-',
    'asked again': second.id,
    'agreed to': '-',
  });
  expect(await lines(second.id)).toMatchObject({
    short: showShortReference(second.shortReference ?? ''),
    'again of': first.id,
    'asked again': '-',
    'agreed to': 'GHS 20.20',
  });
  expect(await ledger(file, 'show', second.id)).toContain(
    `accepted: GHS 20.00, GHS 20.20 with the fee on the screen, reference INV-7, again of ${first.id}\n`,
  );
  const shown = JSON.parse(await ledger(file, 'show', first.id, '--json'));
  expect(shown).toMatchObject({
    retriedAs: second.id,
    collection: { shortReference: '48217362', retryOf: null, shownTotalMinor: null },
  });
});

test('a file of an older program, of a newer one, and of something else are told apart', async () => {
  const older = fileOfOlder(2, () => {});
  await expect(ledger(older, 'balances')).rejects.toThrow(
    /older version of dialtill\. If it is the ledger, start the gateway once: .*If it was set aside .*leave it as it is/,
  );
  const newer = fileOfOlder(2, (file) => {
    file.exec(`INSERT INTO __drizzle_migrations (hash, created_at) VALUES ('of tomorrow', ${2 ** 43})`);
  });
  await expect(ledger(newer, 'balances')).rejects.toThrow(
    'newer version of dialtill. Read it with that version',
  );
  const other = join(temporaryFolder(), 'other.db');
  new Database(other).exec('CREATE TABLE anything (n INTEGER)').close();
  await expect(ledger(other, 'balances')).rejects.toThrow('is no database of dialtill');
});

test.each([
  ['fact', 'verify'],
  ['collection', 'export --csv'],
])('damage that is met in the table %s is told with what to do, by ledger %s', async (table, command) => {
  const { open, store, file } = openBench();
  await open();
  await store.close();
  spoilTable(file, table);
  await expect(ledger(file, ...command.split(' '))).rejects.toThrow(
    new UserError(
      `${file} cannot be used: SQLITE_CORRUPT: database disk image is malformed. Nobody is charged. What to do: docs/operations.md, "A damaged file".`,
    ),
  );
});

test('a file that is no database at all is told the same way', async () => {
  const other = join(temporaryFolder(), 'other.db');
  writeFileSync(
    other,
    'a text, and no database at all: longer than the head of a page is, to be read as one'.repeat(20),
  );
  await expect(ledger(other, 'balances')).rejects.toThrow(
    /cannot be used: SQLITE_NOTADB: .*"A damaged file"/,
  );
});
