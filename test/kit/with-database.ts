import { readFileSync, writeFileSync } from 'node:fs';
import { Database } from '../../src/sqlite/driver.ts';

type Options = ConstructorParameters<typeof Database>[1];

/** Opens a database file, which another program may have open, for the time of `work`. Returns what `work` returns. */
export function withDatabase<T>(file: string, work: (database: Database) => T, options?: Options): T {
  const database = new Database(file, options);
  try {
    return work(database);
  } finally {
    database.close();
  }
}

/** Returns every row of every table, without the time at which a key was last used. */
export function allRowsOf(file: string): Record<string, unknown[]> {
  return withDatabase(
    file,
    (database) => {
      const tables = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").pluck().all();
      const rowsOf = (name: unknown) =>
        database.prepare<[], Record<string, unknown>>(`SELECT * FROM "${name}"`).all();
      return Object.fromEntries(
        tables.map((name) => [String(name), rowsOf(name).map(({ last_used_at: _, ...row }) => row)]),
      );
    },
    { readonly: true },
  );
}

/** Changes a database without its triggers and creates them again, as an attacker with the file could. */
export function withoutTriggers(file: Database, change: (file: Database) => void): void {
  const triggers = file
    .prepare<[], { name: string; sql: string }>(`SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'`)
    .all();
  for (const { name } of triggers) file.exec(`DROP TRIGGER "${name}"`);
  change(file);
  for (const { sql } of triggers) file.exec(sql);
}

/** Overwrites the first page of a table in a closed database, so that SQLite reports a malformed file. */
export function corruptTable(file: string, table: string): void {
  const database = new Database(file);
  const page = Number(
    database.prepare('SELECT rootpage FROM sqlite_schema WHERE name = ?').pluck().get(table),
  );
  database.close();
  const bytes = readFileSync(file);
  const pageSize = bytes.readUInt16BE(16);
  bytes.fill(0xff, (page - 1) * pageSize, page * pageSize);
  writeFileSync(file, bytes);
}

/** Watches a database for writes. `any` reports whether a write occurred since its last call; at first it returns true. */
export function watchWrites(file: string): { any(): boolean; close(): void } {
  const connection = new Database(file, { readonly: true, fileMustExist: true });
  let version: unknown;
  return {
    any() {
      const before = version;
      version = connection.pragma('data_version', { simple: true });
      return version !== before;
    },
    close: () => void connection.close(),
  };
}
