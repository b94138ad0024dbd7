import { existsSync, renameSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type Database from 'better-sqlite3';
import { drizzle } from 'drizzle-orm/better-sqlite3';
import { migrate as runMigrations } from 'drizzle-orm/better-sqlite3/migrator';
import { readMigrationFiles } from 'drizzle-orm/migrator';
import { UserError } from '../shared/errors.ts';
import { createPrivately } from './private-file.ts';

/** The two programs keep their tables in files of their own. */
export type SchemaName = 'gateway' | 'service';

function migrationsFolder(schema: SchemaName): string {
  return fileURLToPath(new URL(`../../drizzle/${schema}`, import.meta.url));
}

function lastApplied(connection: Database.Database): number {
  const known = connection
    .prepare(`SELECT count(*) FROM sqlite_schema WHERE name = '__drizzle_migrations'`)
    .pluck()
    .get();
  if (known === 0) return 0;
  return Number(
    connection.prepare('SELECT coalesce(max(created_at), 0) FROM __drizzle_migrations').pluck().get(),
  );
}

/**
 * Brings the file to this program's schema: all missing migrations in one transaction, after a copy of a file
 * that already holds data (`<file>.before-<time of the newest migration>`).
 *
 * @throws UserError when the file was written by a newer program; nothing is touched then.
 */
export function migrate(connection: Database.Database, schema: SchemaName): void {
  const folder = migrationsFolder(schema);
  const newest = Math.max(...readMigrationFiles({ migrationsFolder: folder }).map((one) => one.folderMillis));
  const applied = lastApplied(connection);
  if (applied > newest) {
    throw new UserError(
      `${connection.name} was written by a newer version of dialtill. Install that version, or restore an older copy.`,
    );
  }
  if (applied === newest) return;
  if (applied > 0) {
    const copy = `${connection.name}.before-${newest}`;
    if (!existsSync(copy)) copyTo(connection, copy);
  }
  runMigrations(drizzle(connection), { migrationsFolder: folder });
  const loose = connection
    .prepare(`SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND strict = 0
              AND name NOT LIKE 'sqlite_%' AND name NOT LIKE '\\_\\_%' ESCAPE '\\'`)
    .pluck()
    .all();
  if (loose.length > 0) throw new Error(`a migration made tables that are not STRICT: ${loose.join(', ')}`);
}

/** Copies the database in one step: a copy that has its name is whole. */
function copyTo(connection: Database.Database, file: string): void {
  const draft = `${file}.new`;
  rmSync(draft, { force: true });
  createPrivately(draft);
  connection.prepare('VACUUM INTO ?').run(draft);
  renameSync(draft, file);
}
