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
