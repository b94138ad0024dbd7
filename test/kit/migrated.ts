import { writeFileSync } from 'node:fs';
import { Database } from '../../src/sqlite/driver.ts';
import { migrate } from '../../src/sqlite/migrate.ts';
import { migrationsFolder, type SchemaName } from '../../src/sqlite/migrations-folder.ts';

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
