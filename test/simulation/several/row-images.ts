import { type CompiledStatement, cacheStatements, type Database } from '../../../src/sqlite/driver.ts';
import type { SqlValue, Write } from '../../../src/sqlite/store.ts';

type Row = readonly SqlValue[];

/** The change of one row: without `before` it was inserted, without `after` deleted. */
export type Image = {
  readonly table: string;
  readonly id: string;
  readonly before: Row | undefined;
  readonly after: Row | undefined;
};

type Table = {
  name: string;
  key: readonly number[];
  isNumbered: boolean;
  find: CompiledStatement;
  insert: CompiledStatement;
  update: CompiledStatement;
  remove: CompiledStatement;
};

/** The columns that a statement returns. */
const returning = /\bRETURNING ([\w, ]+)$/;

const target = /^\s*(insert|update|delete)\s+(?:into\s+|from\s+)?["`]?(\w+)/i;

/** Reads and writes changes of rows, so that a statement can be evaluated at one time and take effect at another. */
export function createRowImages(connection: Database) {
  const prepare = cacheStatements(connection);
  const prepareWrite = cacheStatements(connection, (statement) => statement.raw(true));
  const tables = new Map<string, Table>();
  /** The last number of each numbered table that was given out, also by a transaction that was rolled back. */
  const numbers = new Map<string, number>();

  function tableOf(name: string): Table {
    const known = tables.get(name) ?? describe(name);
    tables.set(name, known);
    return known;
  }

  function describe(name: string): Table {
    const columns = connection.pragma(`table_info(${name})`) as { name: string; pk: number }[];
    const key = columns.flatMap(({ pk }, at) => (pk > 0 ? [at] : []));
    const names = columns.map((column) => `"${column.name}"`);
    const where = key.map((at) => `${names[at]} = ?`).join(' AND ');
    const places = names.map(() => '?').join(', ');
    const { sql } = connection.prepare('SELECT sql FROM sqlite_schema WHERE name = ?').get(name) as {
      sql: string;
    };
    return {
      ...{ name, key, isNumbered: /AUTOINCREMENT/i.test(sql) },
      find: connection.prepare(`SELECT * FROM "${name}" WHERE ${where}`).raw(true),
      insert: connection.prepare(`INSERT INTO "${name}" VALUES (${places})`),
      update: connection.prepare(
        `UPDATE "${name}" SET ${names.map((one) => `${one} = ?`).join(', ')} WHERE ${where}`,
      ),
      remove: connection.prepare(`DELETE FROM "${name}" WHERE ${where}`),
    };
  }

  const keyOf = ({ key }: Table, row: Row) => key.map((at) => row[at] as SqlValue);

  /** Gives the numbers that the next insert draws. A number is never given twice. */
  function drawNumbers(table: Table, work: () => Row[]): Row[] {
    if (!table.isNumbered) return work();
    const { seq = 0 } = (prepare('SELECT seq FROM sqlite_sequence WHERE name = ?').get(table.name) ?? {}) as {
      seq?: number;
    };
    const last = Math.max(seq, numbers.get(table.name) ?? 0);
    prepare('DELETE FROM sqlite_sequence WHERE name = ?').run(table.name);
    prepare('INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)').run(table.name, last);
    const rows = work();
    numbers.set(table.name, Math.max(last, ...rows.map((row) => Number(row[0]))));
    return rows;
  }

  return {
    /** Evaluates a write in the present state of the connection's transaction, and undoes it. @throws as the statement does. */
    evaluate({ sql, args }: Write, { isRepeat = false } = {}): Image[] {
      const [, verb = '', name = ''] = target.exec(sql) ?? [];
      const table = tableOf(name);
      prepare('SAVEPOINT statement').run();
      let rows: Row[];
      try {
        const run = () => prepareWrite(`${sql.replace(returning, '')} RETURNING *`).all(...args) as Row[];
        rows = /insert/i.test(verb) && !isRepeat ? drawNumbers(table, run) : run();
      } finally {
        prepare('ROLLBACK TO statement').run();
        prepare('RELEASE statement').run();
      }
      return rows.map((row) => {
        const key = keyOf(table, row);
        const before = table.find.get(...key) as Row | undefined;
        const after = /delete/i.test(verb) ? undefined : row;
        return { table: name, id: `${name} ${JSON.stringify(key)}`, before, after };
      });
    },
    /** Returns what a statement with `RETURNING` returns of the rows that it has changed. */
    returned({ sql }: Write, changed: readonly Image[]): SqlValue[][] {
      const names = returning.exec(sql)?.[1]?.split(', ') ?? [];
      return changed.map(({ table, after }) => {
        const columns = (connection.pragma(`table_info(${table})`) as { name: string }[]).map(
          ({ name }) => name,
        );
        return names.map((name) => after?.[columns.indexOf(name)] ?? null);
      });
    },
    /** Whether two evaluations of a statement change the same rows in the same way, whatever numbers they drew. */
    isSame(one: readonly Image[], other: readonly Image[]): boolean {
      const contents = (changed: readonly Image[]) =>
        changed
          .map(({ table, before, after }) => {
            const isDrawn = !before && tableOf(table).isNumbered;
            return JSON.stringify([table, after ? (isDrawn ? after.slice(1) : after) : before?.[0]]);
          })
          .toSorted();
      return JSON.stringify(contents(one)) === JSON.stringify(contents(other));
    },
    /** Applies the change of a row. @throws when a unique index rejects it. */
    apply({ table: name, before, after }: Image): void {
      const table = tableOf(name);
      if (!after) table.remove.run(...keyOf(table, before as Row));
      else if (before) table.update.run(...after, ...keyOf(table, before));
      else table.insert.run(...after);
    },
  };
}

/** Returns the change that undoes another one. */
export function undo({ table, id, before, after }: Image): Image {
  return { table, id, before: after, after: before };
}
