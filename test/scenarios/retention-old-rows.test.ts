import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { timeline } from '../../src/gateway/support/timeline.ts';
import { retentionStore } from '../../src/gateway/upkeep/retention-store.ts';
import { Database } from '../../src/sqlite/driver.ts';
import { createSqliteStore } from '../../src/sqlite/sqlite.ts';
import { createBench } from '../gateway/collection/bench.ts';
import { testClock } from '../kit/clock.ts';
import { needsFile } from '../kit/engine.ts';
import { temporaryFolder } from '../kit/folder.ts';
import { runLedger } from '../kit/staff-command.ts';
import { createTill, day, paidEvent, payer, type Till } from '../kit/till.ts';

const other = '0201234567';

async function openShop(): Promise<Till> {
  return createTill({
    configure(config) {
      config.retention = { dialoguesMs: 30 * day, eventBodiesMs: 30 * day };
    },
  });
}

/** Time passes at once, and the worker comes round. */
async function pass(till: Till, ms: number): Promise<void> {
  await till.clock.skip(ms);
  await till.clock.advance(10_000);
}

async function turnsOf(till: Till, msisdn: string): Promise<number> {
  const number = `233${msisdn.slice(1)}`;
  const rows = await till.ledger.rows('SELECT seq FROM turn WHERE dialler = ?', [number]);
  return rows.length;
}

async function pays(till: Till, msisdn: string): Promise<void> {
  await till.paidPayment(msisdn);
}

test('old dialogues and event bodies are deleted; collections, facts, postings and event ids stay', async () => {
  const till = await openShop();
  await pays(till, payer);
  await till.until(async () => (await till.inbox()).every(({ state }) => state === 'handled'));
  await pass(till, 29 * day);
  expect(await turnsOf(till, payer)).toBe(4);
  await pays(till, other);

  await pass(till, 2 * day);
  expect(await turnsOf(till, payer)).toBe(0);
  expect(await turnsOf(till, other)).toBe(4);
  const row = await till.only(payer);
  const { facts, postings, events, turns } = await till.record(row.id);
  expect(turns).toEqual([]);
  expect({ facts: facts.length, postings: postings.length }).toEqual({ facts: row.version, postings: 3 });
  expect(events).toMatchObject([{ state: 'handled', body: '' }]);
  expect((await till.inbox()).map(({ body }) => body === '')).toEqual([true, false]);
  expect(await till.verify()).toMatchObject({ ok: true, faults: [] });

  // The same event once more, and under its old id with other words: it was there, and changes nothing.
  const [first] = await till.inbox();
  const again = await till.deliver(paidEvent(row, first?.id));
  expect(again.status).toBe(200);
  expect(await till.inbox()).toHaveLength(2);
  expect(await till.only(payer)).toEqual(row);
});

test('data of collections that are open or in review stays, however old it is', async () => {
  const till = await openShop();
  await pays(till, payer);
  const paid = await till.only(payer);
  await till.deliverHandled(paidEvent(paid, 'evt_other', { amount_minor: 9_999 }));
  expect((await till.only(payer)).review).toBe('amount_mismatch');
  const bodies = async () => (await till.inbox()).map(({ body }) => body !== '');
  const before = await bodies();
  await pass(till, 400 * day);
  expect(await turnsOf(till, payer)).toBe(4);
  expect(await bodies()).toEqual(before);
});

test('support sees a payment whose dialogue is deleted, and a message where the dialogue is required', async () => {
  const till = await openShop();
  await pays(till, payer);
  await pass(till, 31 * day);
  const { id } = await till.only(payer);
  const file = await till.record(id);
  expect(timeline(file).some(({ kind }) => kind === 'screen')).toBe(false);
  expect(timeline(file).some(({ text }) => text.startsWith('paid: GHS 20.20'))).toBe(true);
  const show = await runLedger('', ['show', id, '--as-transcript'], { database: () => till.ledger.location });
  expect(show).toMatchObject({
    code: 1,
    err: `the dialogue of ${id} was deleted by retention (retention.dialoguesDays)\n`,
  });
});

test('a payer whose dialogues are deleted can dial as before', async () => {
  const till = await openShop();
  await pays(till, payer);
  await pass(till, 31 * day);
  await till.pay(payer);
  await till.until(async () => (await till.find(payer)).some(({ status }) => status === 'initiated'));
  expect((await till.find(payer)).map(({ status }) => status).sort()).toEqual(['initiated', 'paid']);
});

needsFile('reads query plans of SQLite')(
  'old rows are found by their time, without reading every turn',
  async () => {
    const read: string[] = [];
    const file = join(temporaryFolder(), 'ledger.db');
    const connection = new Database(file);
    const prepare = connection.prepare.bind(connection);
    const clock = testClock();
    const watched = Object.assign(connection, {
      prepare(text: string) {
        if (/^select/i.test(text)) read.push(text);
        return prepare(text);
      },
    });
    const store = createSqliteStore({ file, schema: 'gateway', clock, connect: () => watched });
    onTestFinished(() => store.close());
    read.length = 0;
    const retention = retentionStore(store);
    await retention.deleteDialogues(clock.now(), 100);
    await retention.emptyBodies(clock.now(), 100);
    const plans = read.map((text) =>
      prepare(`EXPLAIN QUERY PLAN ${text}`)
        .all(...(text.match(/\?/g) ?? []).map(() => 1))
        .map((row) => String((row as { detail: string }).detail)),
    );
    expect(plans.map(([first]) => first)).toEqual([
      'SEARCH turn USING INDEX turn_at (at<?)',
      'SEARCH inbox USING INDEX inbox_bodies (received_at<?)',
    ]);
    expect(plans.flat().filter((detail) => detail.startsWith('SCAN'))).toEqual([]);
  },
);

test('the database rejects deletions beyond the horizon or without a kept hash, and the horizon never moves back', async () => {
  const { store } = createBench();
  const apply = (sql: string, ...args: (string | number)[]) => store.apply([{ sql, args }]);
  const insert = `INSERT INTO turn (channel, session, sequence, dialogue_id, merchant_id, dialler, operator, state, reply, screen, at)
    VALUES ('c', ?, 1, ?, 'm', 'd', 'mtn', '{}', 'end', '', ?)`;
  await apply(insert, 'old', 'dlg_old', 100);
  await apply(insert, 'young', 'dlg_young', 200);
  await expect(apply('DELETE FROM turn')).rejects.toThrow(/append-only/);
  await apply(`INSERT INTO horizon VALUES ('dialogues', 150)`);
  await expect(apply('DELETE FROM turn')).rejects.toThrow(/append-only/);
  await expect(apply(`DELETE FROM turn WHERE session = 'old'`)).rejects.toThrow(/append-only/);
  await apply(`INSERT INTO deleted_turn SELECT seq, at, 'hash' FROM turn`);
  await expect(apply('DELETE FROM turn')).rejects.toThrow(/append-only/);
  expect(await apply(`DELETE FROM turn WHERE session = 'old'`)).toBe(true);
  await expect(apply('UPDATE turn SET screen = 1')).rejects.toThrow(/append-only/);
  await expect(apply('UPDATE horizon SET at = 149')).rejects.toThrow(/cannot move back/);
  await expect(apply('DELETE FROM horizon')).rejects.toThrow(/cannot be deleted/);
});
