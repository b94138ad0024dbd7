import type { CompiledStatement, Database } from '../../../src/sqlite/driver.ts';

/**
 * Tracks the rows of one table as last committed. Each read returns new and changed rows; settled rows are read
 * again only on request, or after a reopen.
 */
export function createTable<Row extends object>(
  name: string,
  keyOf: (row: Row) => string,
  isSettled: (row: Row) => boolean,
) {
  const sql = `SELECT rowid AS place, * FROM ${name} WHERE rowid > ? OR rowid IN (SELECT value FROM json_each(?))`;
  const rows = new Map<string, Row>();
  const texts = new Map<string, string>();
  const open = new Set<number>();
  let prepared: { file: Database; statement: CompiledStatement } | undefined;
  let last = 0;

  return {
    rows: rows as ReadonlyMap<string, Row>,
    /** @returns rows that are new, changed or missing. */
    read(file: Database, isAll: boolean): Row[] {
      if (prepared?.file !== file) prepared = { file, statement: file.prepare(sql) };
      const found = prepared.statement.all(isAll ? 0 : last, JSON.stringify([...open])) as (Row & {
        place: number;
      })[];
      const changed: Row[] = [];
      const there = new Set<string>();
      for (const row of found) {
        const key = keyOf(row);
        there.add(key);
        last = Math.max(last, row.place);
        if (isSettled(row)) open.delete(row.place);
        else open.add(row.place);
        const text = JSON.stringify(row);
        if (texts.get(key) === text) continue;
        texts.set(key, text);
        rows.set(key, row);
        changed.push(row);
      }
      if (!isAll) return changed;
      for (const [key, row] of rows) {
        if (there.has(key)) continue;
        rows.delete(key);
        texts.delete(key);
        changed.push(row);
      }
      return changed;
    },
  };
}
