import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { drizzle } from 'drizzle-orm/better-sqlite3';
import { migrate } from 'drizzle-orm/better-sqlite3/migrator';
import { temporaryFolder } from './folder.ts';

/** A gateway's file as an older program left it: its first migrations alone, and what `fill` writes. Returns its path. */
export function fileOfOlder(migrations: number, fill: (older: Database.Database) => void): string {
  const folder = temporaryFolder();
  const migrationsFolder = join(folder, 'drizzle');
  cpSync('drizzle/gateway', migrationsFolder, { recursive: true });
  const journal = join(migrationsFolder, 'meta/_journal.json');
  const { entries, ...rest } = JSON.parse(readFileSync(journal, 'utf8'));
  writeFileSync(journal, JSON.stringify({ ...rest, entries: entries.slice(0, migrations) }));
  const file = join(folder, 'ledger.db');
  const older = new Database(file);
  migrate(drizzle(older), { migrationsFolder });
  fill(older);
  older.close();
  return file;
}
