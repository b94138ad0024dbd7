import { writeFileSync } from 'node:fs';
import Database from 'better-sqlite3';
import { migrate } from '../../src/sqlite/migrate.ts';
import { migrationsFolder, type SchemaName } from '../../src/sqlite/migrations-folder.ts';

const made = new Map<SchemaName, Buffer>();

/**
 * Puts the empty database in place that a program makes at its first start, by the same migrations, which run once for
 * many tests.
 *
 * @throws when a file is there already.
 */
export function placeMigrated(file: string, schema: SchemaName): void {
  let bytes = made.get(schema);
  if (!bytes) {
    const connection = new Database(':memory:');
    migrate(connection, migrationsFolder(schema));
    bytes = connection.serialize();
    connection.close();
    made.set(schema, bytes);
  }
  writeFileSync(file, bytes, { mode: 0o600, flag: 'wx' });
}
