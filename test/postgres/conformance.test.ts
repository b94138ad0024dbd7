import { describe, expect, test } from 'vitest';
import type { Store, Write } from '../../src/sqlite/store.ts';
import { openOwnStore } from '../kit/migrated.ts';
import { createDatabase, openPostgres } from '../kit/postgres.ts';

/* What every store promises, on both engines. */

const engines: Record<string, () => Promise<Store>> = {
  SQLite: async () => openOwnStore().store,
  PostgreSQL: async () => openPostgres(await createDatabase()),
};

const quote = (id: string, at = 1): Write => ({
  sql: `INSERT INTO quote (id, merchant_id, livemode, dialogue_id, create_key, create_body, requested_at)
    VALUES (?, 'shop', 0, 'd', 'k', '{}', ?)`,
  args: [id, at],
  rows: 1,
});
/** Changes a quote that still has the expected time. */
const move = (id: string, from: number, to: number): Write => ({
  sql: 'UPDATE quote SET requested_at = ? WHERE id = ? AND requested_at = ?',
  args: [to, id, from],
  rows: 1,
});
const fact = (subject: string, version: number, rows?: number): Write => ({
  sql: `INSERT INTO fact (subject_id, merchant_id, version, kind, data, at) VALUES (?, 'shop', ?, 'opened', '{}', 1)`,
  args: [subject, version],
  ...(rows === undefined ? {} : { rows }),
});
const rowsOf = (store: Store, sql: string) => store.query(sql, [], 'rows');
const quotes = (store: Store) => rowsOf(store, 'SELECT id, requested_at FROM quote ORDER BY id');

describe.each(Object.entries(engines))('a store on %s', (_, open) => {
  test('writes a batch completely, and the next read has it', async () => {
    const store = await open();
    expect(await store.apply([quote('a'), quote('b', 2), move('a', 1, 7)])).toBe(true);
    expect(await quotes(store)).toEqual([
      ['a', 7],
      ['b', 2],
    ]);
    expect(await store.query('SELECT id FROM quote WHERE id = ?', ['b'], 'row')).toEqual(['b']);
    expect(await store.query('SELECT id FROM quote WHERE id = ?', ['c'], 'row')).toBeUndefined();
  });

  test('writes nothing of a batch with a conflict, wherever in the batch it is', async () => {
    const store = await open();
    await store.apply([quote('a')]);
    const lost = move('a', 99, 100);
    expect(await store.apply([lost, quote('b')])).toBe(false);
    expect(await store.apply([quote('b'), lost, quote('c')])).toBe(false);
    expect(await store.apply([quote('b'), move('a', 1, 5), lost])).toBe(false);
    expect(await quotes(store)).toEqual([['a', 1]]);
  });

  test('a guard also loses when it changes more rows than it must', async () => {
    const store = await open();
    await store.apply([quote('a'), quote('b')]);
    expect(await store.apply([{ sql: 'UPDATE quote SET requested_at = 5', args: [], rows: 1 }])).toBe(false);
    expect(await store.apply([{ sql: 'UPDATE quote SET requested_at = 5', args: [], rows: 2 }])).toBe(true);
    expect(await store.apply([{ sql: 'DELETE FROM quote', args: [], rows: 0 }])).toBe(false);
    expect(await quotes(store)).toHaveLength(2);
  });

  test('a unique index decides as a guard does, with and without a number of rows', async () => {
    const store = await open();
    expect(await store.apply([fact('c1', 1, 1), fact('c1', 2)])).toBe(true);
    expect(await store.apply([quote('a'), fact('c1', 2, 1)])).toBe(false);
    expect(await store.apply([quote('a'), fact('c1', 2)])).toBe(false);
    expect(await quotes(store)).toEqual([]);
  });

  test('of concurrent batches for one row, exactly one wins each time', async () => {
    const store = await open();
    await store.apply([quote('a', 0)]);
    for (let at = 0; at < 20; at++) {
      const answers = await Promise.all(
        Array.from({ length: 8 }, (_, other) =>
          store.apply([move('a', at, at + 1), quote(`${at}-${other}`)]),
        ),
      );
      expect(answers.filter((won) => won)).toHaveLength(1);
    }
    expect(await quotes(store)).toHaveLength(21);
  });

  test('batches that meet each other from both ends are written once, or refused as busy and not written', async () => {
    const store = await open();
    await store.apply([quote('a', 0), quote('b', 0)]);
    const add = (id: string): Write => ({
      sql: 'UPDATE quote SET requested_at = requested_at + 1 WHERE id = ?',
      args: [id],
      rows: 1,
    });
    const answers = await Promise.allSettled(
      Array.from({ length: 20 }, (_, at) =>
        store.apply(at % 2 ? [add('a'), add('b')] : [add('b'), add('a')]),
      ),
    );
    const written = answers.filter(({ status }) => status === 'fulfilled');
    const refused = answers.filter((one) => one.status === 'rejected');
    expect(written).toEqual(written.map(() => ({ status: 'fulfilled', value: true })));
    for (const { reason } of refused) expect(reason).toMatchObject({ kind: 'busy' });
    expect(written.length).toBeGreaterThan(0);
    expect(await quotes(store)).toEqual([
      ['a', written.length],
      ['b', written.length],
    ]);
  });

  test('a batch whose caller stopped waiting is not written', async () => {
    const store = await open();
    await expect(store.apply([quote('a')], { aborted: true })).rejects.toMatchObject({ kind: 'late' });
    expect(await quotes(store)).toEqual([]);
    expect(await store.apply([quote('a')], { aborted: false })).toBe(true);
  });

  test('a statement that the database rejects is refused, and the store works on', async () => {
    const store = await open();
    for (const sql of ['UPDATE nothing SET a = 1', 'INSERT INTO quote (id) VALUES (1)', 'no SQL at all']) {
      await expect(store.apply([quote('a'), { sql, args: [] }])).rejects.toMatchObject({ kind: 'refused' });
    }
    await expect(rowsOf(store, 'SELECT nothing FROM quote')).rejects.toThrow();
    expect(await quotes(store)).toEqual([]);
    expect(await store.apply([quote('a')])).toBe(true);
    expect(store.usable()).toBe(true);
  });

  test('a query cannot write', async () => {
    const store = await open();
    await store.apply([quote('a')]);
    await expect(rowsOf(store, 'DELETE FROM quote')).rejects.toMatchObject({ kind: 'refused' });
    expect(await quotes(store)).toEqual([['a', 1]]);
  });

  test('closing completes the writes that were given before, and refuses later ones', async () => {
    const store = await open();
    const writes = [1, 2, 3, 4, 5, 6, 7, 8].map((number) => store.apply([quote(`q${number}`)]));
    await store.close();
    expect(await Promise.all(writes)).toEqual(writes.map(() => true));
    await expect(store.apply([quote('late')])).rejects.toMatchObject({ kind: 'closed' });
  });

  test('numbers, text and null come back as they were written', async () => {
    const store = await open();
    const texts = ["it's ? and $1", 'GHS 5,00 ₵ 😀', '', 'a\nb\\c"d'];
    for (const [at, text] of texts.entries()) {
      const sql = `INSERT INTO staff_action (at, actor, action, result, subject_kind, subject_id, merchant_id, livemode, detail)
        VALUES (?, 'ama', 'note', 'done', 'collection', '?', ?, 0, ?)`;
      expect(await store.apply([{ sql, args: [9_007_199_254_740_991 - at, null, text], rows: 1 }])).toBe(
        true,
      );
    }
    expect(
      await rowsOf(store, 'SELECT at, merchant_id, detail, subject_id FROM staff_action ORDER BY seq'),
    ).toEqual(texts.map((text, at) => [9_007_199_254_740_991 - at, null, text, '?']));
    expect(await rowsOf(store, 'SELECT count(*), sum(livemode), max(seq) FROM staff_action')).toEqual([
      [4, 0, 4],
    ]);
  });

  test('text is in the order of its bytes', async () => {
    const store = await open();
    await store.apply(['b', 'A', 'a', 'B', '_', 'é', '1'].map((id) => quote(id)));
    const ids = (await rowsOf(store, 'SELECT id FROM quote ORDER BY id')) as [string][];
    expect(ids.flat()).toEqual(['1', 'A', 'B', '_', 'a', 'b', 'é']);
  });

  test('what is append-only rejects every change', async () => {
    const store = await open();
    await store.apply([fact('c1', 1, 1)]);
    for (const sql of ['UPDATE fact SET version = 2', 'DELETE FROM fact'])
      await expect(store.apply([{ sql, args: [] }])).rejects.toMatchObject({ kind: 'refused' });
    expect(await rowsOf(store, 'SELECT version FROM fact')).toEqual([[1]]);
  });

  test("Drizzle's builder reads rows, one row and no row", async () => {
    const store = await open();
    await store.apply([quote('a')]);
    expect(await store.read.all('SELECT id FROM quote')).toEqual([['a']]);
    expect(await store.read.get('SELECT id FROM quote')).toEqual(['a']);
    expect(await store.read.get(`SELECT id FROM quote WHERE id = 'x'`)).toBeUndefined();
  });
});
