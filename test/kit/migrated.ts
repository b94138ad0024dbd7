import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { Database } from '../../src/sqlite/driver.ts';
import { migrate } from '../../src/sqlite/migrate.ts';
import { migrationsFolder, type SchemaName } from '../../src/sqlite/migrations-folder.ts';
import { createSqliteStore } from '../../src/sqlite/sqlite.ts';
import type { Store } from '../../src/sqlite/store.ts';
import { testClock } from './clock.ts';
import { temporaryFolder } from './folder.ts';

const images = new Map<SchemaName, Buffer>();

/**
 * Writes the empty database that a program creates at its first start. The migrations run once per process, so that each
 * test only copies the result.
 *
 * @throws Error when the file exists.
 */
export function placeMigrated(file: string, schema: SchemaName): void {
  let bytes = images.get(schema);
  if (!bytes) {
    const connection = new Database(':memory:');
    migrate(connection, migrationsFolder(schema));
    bytes = connection.serialize();
    connection.close();
    images.set(schema, bytes);
  }
  writeFileSync(file, bytes, { mode: 0o600, flag: 'wx' });
}

type Options = Omit<Parameters<typeof createSqliteStore>[0], 'file' | 'schema' | 'clock'> & {
  clock?: Parameters<typeof createSqliteStore>[0]['clock'];
};

/** Opens a store on an empty database file of its own, and closes it after the test. */
export function openOwnStore(
  schema: SchemaName = 'gateway',
  { clock = testClock(), ...options }: Options = {},
): { store: Store; file: string } {
  const file = join(temporaryFolder(), schema === 'gateway' ? 'ledger.db' : 'service.db');
  placeMigrated(file, schema);
  const store = createSqliteStore({ file, schema, clock, ...options });
  onTestFinished(() => store.close());
  return { store, file };
}
