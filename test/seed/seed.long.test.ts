import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { CollectionRow } from '../../src/gateway/collection/collection.ts';
import { ledgerStore } from '../../src/gateway/ledger/ledger-store.ts';
import { verifyLedger } from '../../src/gateway/ledger/verify.ts';
import { listCollections } from '../../src/gateway/support/list-query.ts';
import { endRows } from '../../src/gateway/support/playbook/end-rows.ts';
import { getOutcome } from '../../src/gateway/support/playbook/playbook.ts';
import { reviewRows } from '../../src/gateway/support/playbook/review-rows.ts';
import { stateRows } from '../../src/gateway/support/playbook/state-rows.ts';
import { unplacedStates } from '../../src/gateway/unplaced/unplaced.ts';
import { ledgerAudits } from '../../src/gateway/upkeep/ledger-audits.ts';
import { Database } from '../../src/sqlite/driver.ts';
import { readDatabase } from '../../src/testing/programs.ts';
import { createSeed } from './create-seed.ts';
import type { SeedFiles } from './files.ts';
import { createProgress } from './story.ts';

const endsAt = Date.parse('2026-03-13T12:00:00Z');

const folders = [1, 2].map((number) => mkdtempSync(join(tmpdir(), `dialtill-seed-${number}-`)));

let seeds: SeedFiles[] = [];

let rows: CollectionRow[] = [];

const ledgerOf = ({ folder }: SeedFiles) => join(folder, 'gateway.db');

beforeAll(async () => {
  seeds = [];
  for (const folder of folders) seeds.push(await createSeed(folder, endsAt));
  const page = await readDatabase(ledgerOf(firstSeed()), (store) =>
    listCollections(store, {}, { limit: 1_000 }),
  );
  rows = page === 'unknown_cursor' ? [] : page.data;
});

afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

function firstSeed(): SeedFiles {
  const [seed] = seeds;
  if (!seed) throw new Error('no seeded ledger');
  return seed;
}

/** What only a restore or a correction of the clock gives. */
const ofOtherLedgers = /^(?:clock_ahead|restored\w*)$/;

/** Reviews of restored collections, of money for a collection that keeps the reason of its first review, and of money that people gave away. */
const notStored =
  /^(?:unplaced_decided|session_taken|quote_\w+|restored_unknown|unplaced_decided|paid_while_(?:accepted|initiating|initiated|paid|review))$/;

test('the seeded ledger has 300 collections of every status', () => {
  expect(rows).toHaveLength(300);
  expect(new Set(rows.map(({ status }) => status))).toEqual(
    new Set([
      ...['accepted', 'created', 'initiating', 'initiated'],
      ...['paid', 'failed', 'expired', 'abandoned', 'review'],
    ]),
  );
});

test('every end of the playbook that needs no restore is in the seeded ledger', () => {
  const reasons = new Set(rows.map(({ reason }) => reason));
  expect(Object.keys(endRows).filter((one) => !ofOtherLedgers.test(one) && !reasons.has(one))).toEqual([]);
});

test('every review of the playbook that needs no restore is in the seeded ledger', () => {
  const reviews = new Set(rows.map(({ review }) => review));
  expect(Object.keys(reviewRows).filter((one) => !notStored.test(one) && !reviews.has(one))).toEqual([]);
});

test('every state of the playbook that needs no restore is in the seeded ledger', () => {
  const happened = new Set(rows.map((row) => getOutcome(row).happened));
  const missing = Object.entries(stateRows).filter(([, row]) => !happened.has(row.happened));
  expect(missing.map(([name]) => name)).toEqual(['restored_open']);
});

test('the seeded ledger has an unplaced payment in every state, and a collection with the money of one', () => {
  const database = new Database(ledgerOf(firstSeed()), { readonly: true });
  const states = database.prepare<[], { state: string }>('SELECT DISTINCT state FROM unplaced_payment').all();
  database.close();
  expect(states.map(({ state }) => state).sort()).toEqual([...unplacedStates].sort());
  expect(rows.filter(({ reason }) => reason === 'matched')).toHaveLength(1);
});

test('the seeded ledger verifies, and its accounts sum to zero', async () => {
  await readDatabase(ledgerOf(firstSeed()), async (store) => {
    const ledger = ledgerStore(store);
    expect(await verifyLedger(ledger, ledgerAudits, { now: endsAt })).toMatchObject({ ok: true, faults: [] });
    const balances = await ledger.balances();
    expect(balances.length).toBeGreaterThan(4);
    expect(balances.reduce((sum, { amountMinor }) => sum + amountMinor, 0)).toBe(0);
  });
});

test('all files of the seeded ledger are readable by their owner only, and no time is later than its end', () => {
  const { folder } = firstSeed();
  const modes = readdirSync(folder).map((name) => [name, statSync(join(folder, name)).mode & 0o777]);
  expect(modes.length).toBeGreaterThan(5);
  expect(modes.filter(([, mode]) => mode !== 0o600)).toEqual([]);
  expect(Math.max(...rows.map(({ updatedAt }) => updatedAt))).toBeLessThan(endsAt);
});

/** Every row of every table, except for signatures, passwords and their codes: each ledger has keys of its own. */
function contentOf(file: string): Record<string, unknown[]> {
  const database = new Database(file, { readonly: true });
  try {
    const names = database
      .prepare<[], { name: string }>("SELECT name FROM sqlite_schema WHERE type = 'table'")
      .all()
      .map(({ name }) => name);
    const read = (name: string) =>
      database.prepare<[], Record<string, unknown>>(`SELECT * FROM "${name}"`).all();
    const own = new Set(['key_id', 'signature', 'password', 'seed']);
    const withoutKeys = (row: Record<string, unknown>) =>
      Object.fromEntries(Object.entries(row).filter(([name]) => !own.has(name)));
    return Object.fromEntries(names.map((name) => [name, read(name).map(withoutKeys)]));
  } finally {
    database.close();
  }
}

test('two seeded ledgers of the same end have the same rows', () => {
  const [first = {}, second] = seeds.map((seed) => contentOf(ledgerOf(seed)));
  expect(Object.keys(first)).toContain('turn');
  expect(second).toEqual(first);
});

function show(isTTY: boolean): string {
  let text = '';
  const progress = createProgress({ isTTY, write: (more) => (text += more) });
  progress.report({ day: 1, days: 8, percent: 5 });
  progress.report({ day: 1, days: 8, percent: 5 });
  progress.report({ day: 1, days: 8, percent: 6 });
  progress.report({ day: 2, days: 8, percent: 7 });
  progress.end();
  return text;
}

test('in a pipe, the progress is a line for each day', () => {
  expect(show(false)).toBe('day 1 of 8\nday 2 of 8\n');
});

test('on a terminal, the progress is one line that is removed at the end', () => {
  const clear = '\r\u001b[K';
  expect(show(true)).toBe(`${clear}day 1 of 8, 5 %${clear}day 1 of 8, 6 %${clear}day 2 of 8, 7 %${clear}`);
});
