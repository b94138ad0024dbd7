import { expect, test } from 'vitest';
import { ledgerTables, readTable, type TableContent } from '../../src/gateway/upkeep/ledger-tables-query.ts';
import { createQueryBuilder, type RunQuery, type Store, type Write } from '../../src/sqlite/store.ts';
import { createDatabase, openPostgres, runSql } from '../kit/postgres.ts';
import type { Feature } from '../simulation/features.ts';
import { accountsOfStaff } from '../simulation/files.ts';
import { inFolder } from '../simulation/phases.ts';
import { planOf, play } from '../simulation/run.ts';

/* S55: what a gateway reads and writes in a simulated day has the same results on both engines. */

/** The number of seeds. `ENGINE_SEEDS=50 npx vitest run test/postgres/same-history` plays more. */
const seeds = Number(process.env.ENGINE_SEEDS ?? 2);
const from = Number(process.env.ENGINE_FROM ?? 1);

/** Batches that end in the middle or at the disk of a file, and notifications: which of several with the same time comes first is open. */
const leftOut: readonly Feature[] = [
  ...(['crashes', 'power_cuts', 'disk_full', 'disk_fails', 'foreign_locks', 'merchants_notified'] as const),
];

type Operation =
  | { sql: string; args: Parameters<RunQuery>[1]; result: 'row' | 'rows'; rows: unknown }
  | { batch: readonly Write[]; isWritten: boolean }
  | { write: Write; returned: unknown };

/** A batch that a server does not write uses up its numbers, where a file gives them again. */
const takeNumbersBack = ledgerTables
  .filter(({ numbered }) => numbered !== null)
  .map(
    ({ name, numbered }) =>
      `SELECT setval(pg_get_serial_sequence('"${name}"', '${numbered}'), coalesce(max("${numbered}"), 0) + 1, false) FROM "${name}"`,
  )
  .join('; ');

/** Reads what all tables contain. */
async function readTables(store: Store): Promise<TableContent[]> {
  const contents: TableContent[] = [];
  for (const table of ledgerTables) contents.push(await readTable(store, table));
  return contents;
}

/** What a gateway did: its operations with their results, and the tables that it left. */
type Recording = { operations: Operation[]; tables: TableContent[] };

/** Runs one operation after another, and records each with its result. */
function recorded(store: Store, recording: Recording): Store {
  const { operations } = recording;
  let last: Promise<unknown> = Promise.resolve();
  function inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const done = last.then(work);
    last = done.catch(() => {});
    return done;
  }
  const query: RunQuery = (sql, args, result) =>
    inTurn(async () => {
      const rows = await store.query(sql, args, result);
      operations.push({ sql, args, result, rows });
      return rows;
    });
  return {
    ...store,
    query,
    read: createQueryBuilder(query),
    apply: (batch, signal) =>
      inTurn(async () => {
        const isWritten = await store.apply(batch, signal);
        operations.push({ batch, isWritten });
        return isWritten;
      }),
    applyReturning: (write) =>
      inTurn(async () => {
        const returned = await store.applyReturning(write);
        operations.push({ write, returned });
        return returned;
      }),
    async close() {
      recording.tables = await readTables(store);
      await store.close();
    },
  };
}

/** Rows without their order, which no statement gives for rows that it compares as equal. */
function comparable(rows: unknown): unknown {
  if (!Array.isArray(rows) || !Array.isArray(rows[0])) return rows;
  return rows.map((row) => JSON.stringify(row)).toSorted();
}

test.each(Array.from({ length: seeds }, (_, index) => from + index))(
  'S55: seed %i reads and writes the same on a file and on a server',
  async (seed) => {
    const plan = planOf(seed, 0.1);
    const recording: Recording = { operations: [], tables: [] };
    const { operations } = recording;
    const features = plan.features.filter((one) => !leftOut.includes(one));
    const { violations } = await inFolder('engines', (folder) =>
      play({ ...plan, features }, folder, { watchStore: (store) => recorded(store, recording) }),
    );
    expect(violations).toEqual([]);
    const url = await createDatabase();
    const server = await openPostgres(url, { maxConnections: 1 });
    await server.apply(accountsOfStaff());
    for (const one of operations) {
      if ('batch' in one) {
        expect(await server.apply(one.batch), one.batch.map(({ sql }) => sql).join('\n')).toBe(one.isWritten);
        if (!one.isWritten) await runSql(url, takeNumbersBack);
        continue;
      }
      if ('write' in one) {
        expect(comparable(await server.applyReturning(one.write)), one.write.sql).toEqual(
          comparable(one.returned),
        );
        continue;
      }
      const rows = await server.query(one.sql, one.args, one.result);
      expect(comparable(rows), one.sql).toEqual(comparable(one.rows));
    }
    expect(await readTables(server)).toEqual(recording.tables);
    expect(operations.length).toBeGreaterThan(100);
    if (seeds > 10) process.stdout.write(`seed ${seed}: ${operations.length} operations\n`);
  },
);
