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
