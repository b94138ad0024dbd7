import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { acceptedCollection } from '../../src/gateway/collection/fact.ts';
import { quoteStore } from '../../src/gateway/collection/quote/quote-store.ts';
import { transitionWrites } from '../../src/gateway/collection/store/collection-store.ts';
import { type InboxRow, inboxStore, inboxWrites } from '../../src/gateway/inbox/inbox-store.ts';
import { type Bench, createBench } from './collection/bench.ts';

/*
 * Each write of the gateway's state applies only to the row as its author read it. A write whose condition does not hold
 * changes nothing and undoes its whole batch.
 */

test('a transition applies only to the version and to the lease that were read', async () => {
  const bench = createBench();
  const { row } = await bench.open();
  const transition = (read: { version: number; fence: number }) => {
    const before = { ...row, ...read };
    const after = {
      ...before,
      ...acceptedCollection(row),
      version: before.version + 1,
      updatedAt: row.updatedAt,
    };
    const fact = { kind: 'flagged' as const, data: { reason: 'guard' } };
    return bench.store.apply(
      transitionWrites(before, { facts: [fact], bookings: [], charges: [], next: after }, []),
    );
  };
  // The unique version of the facts does not catch a gap.
  expect(await transition({ version: row.version + 1, fence: row.fence })).toBe(false);
  expect(await transition({ version: row.version, fence: row.fence + 1 })).toBe(false);
  expect(await transition({ version: row.version, fence: row.fence })).toBe(true);
});

/** Opens an inbox with one event. */
async function openInbox(changed: Partial<InboxRow> = {}) {
  const bench: Bench = createBench();
  const inbox = inboxStore(bench.store);
  const row: InboxRow = {
    ...{
      merchantId: 'demo-shop',
      eventId: 'evt_1',
      livemode: 0,
      type: 'payment.session.paid',
      sessionId: 'pay_1',
    },
    ...{
      body: '{}',
      receivedAt: 1_000,
      state: 'waiting',
      nextAt: 1_000,
      leaseUntil: 0,
      attempts: 0,
      stale: 0,
    },
    ...changed,
  };
  await inbox.apply(inboxWrites.insert(row));
  return { inbox, row };
}

test('an event is claimed once for each attempt, and not during a lease', async () => {
  const { inbox, row } = await openInbox();
  expect(await inbox.claim(row, 1_000, 2_000)).toBe(true);
  expect(await inbox.claim(row, 2_000, 3_000)).toBe(false);
  expect(await inbox.claim({ ...row, attempts: 1 }, 1_999, 3_000)).toBe(false);
  expect(await inbox.claim({ ...row, attempts: 1 }, 2_000, 3_000)).toBe(true);
});

test('a handled event is neither claimed nor finished again', async () => {
  const { inbox, row } = await openInbox();
  expect(await inbox.apply(inboxWrites.finish(row, 'handled'))).toBe(true);
  expect(await inbox.claim(row, 1_000, 2_000)).toBe(false);
  expect(await inbox.apply(inboxWrites.finish(row, 'dead'))).toBe(false);
  expect(await inbox.apply(inboxWrites.park(row, 'pay_1'))).toBe(false);
});

test('a hint that was promoted meanwhile is not finished as a hint, and is promoted once', async () => {
  const { inbox, row } = await openInbox({ stale: 1 });
  expect(await inbox.apply(inboxWrites.promote(row, 1_500))).toBe(true);
  expect(await inbox.apply(inboxWrites.finish(row, 'hint'))).toBe(false);
  expect(await inbox.apply(inboxWrites.promote(row, 1_600))).toBe(false);
  expect(await inbox.apply(inboxWrites.finish({ ...row, stale: 0 }, 'handled'))).toBe(true);
});

test('the first answer to a quote stays', async () => {
  const quotes = quoteStore(createBench().store);
  const row = { id: 'quo_1', merchantId: 'demo-shop', livemode: 0, dialogueId: 'dlg_1', createKey: 'k' };
  await quotes.insert({ ...row, createBody: '{}', requestedAt: 1_000, session: null, answeredAt: null });
  await quotes.answer('quo_1', '{"id":"pay_1"}', 1_100);
  await quotes.answer('quo_1', '{"id":"pay_2"}', 1_200);
  expect(await quotes.find('quo_1')).toMatchObject({ session: '{"id":"pay_1"}', answeredAt: 1_100 });
});

/* The gateway's statements run on SQLite and on PostgreSQL. docs/decisions/0018 names the differences that are translated. */

/** What PostgreSQL has no counterpart for, and the portable form. */
const forms: Record<string, RegExp> = {
  // Only in `rowid IN (SELECT rowid …)` and as the number of collections, which src/postgres/translate.ts covers.
  'rowid: a time or an id': /\browid\s*[<>=]|BY rowid/i,
  'IS between two values: IS NOT DISTINCT FROM':
    /\bIS (?:\?|\$\{|"|(?!NULL|NOT|DISTINCT|TRUE|FALSE)[a-z]\w*\.)/,
  'iif(): CASE WHEN': /\biif\s*\(/i,
  'substr() from the end: no portable form': /\bsubstr\([^)]*-\s*[$\d?]/i,
  'a parameter IS NULL: CAST(… AS TEXT) IS NULL': /(?:\?|\$\{placeholder\('\w+'\)\}) IS NULL/,
  'a SELECT of null as the number of a row: name the columns': /SELECT NULL,/i,
  'GLOB: LIKE': /\bGLOB\b/,
  'INSERT OR: ON CONFLICT': /\bINSERT OR\b/i,
  'tables and settings of SQLite': /\bsqlite_(?:schema|sequence|master)\b|\bPRAGMA\b/,
};

/** Files that run on SQLite only, so far. A file leaves the list with its last such form. */
const sqliteOnly = ['ledger/audit-query.ts'];

const folder = 'src/gateway';

const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
  name.endsWith('.ts'),
);

function formsIn(name: string): string[] {
  const code = readFileSync(join(folder, name), 'utf8').replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');
  // Statements are in template literals and quotes; a line of a message has no such form.
  return Object.entries(forms)
    .filter(([, form]) => form.test(code))
    .map(([name]) => name);
}

test('statements of the gateway use no form that only SQLite has', () => {
  const found = files.map((name) => [name, formsIn(name)] as const).filter(([, used]) => used.length > 0);
  const others = found.filter(([name]) => !sqliteOnly.includes(name));
  expect(others).toEqual([]);
});

test('the list of files for SQLite only has no file that could leave it', () => {
  expect(sqliteOnly.filter((name) => formsIn(name).length === 0)).toEqual([]);
});
