import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inject } from 'vitest';
import { Database } from '../../src/sqlite/driver.ts';
import type { SchemaName } from '../../src/sqlite/migrations-folder.ts';

/*
 * Stands in for `src/sqlite/migrations-folder.ts`, for tests of upgrades: the gateway's schema in two migrations. The
 * second creates the tables below; the result of both is the schema of the real migrations. Use it with
 * `vi.mock('…/src/sqlite/migrations-folder.ts', () => import('…/test/kit/two-migrations.ts'))`.
 */

/** The tables that only the second migration creates. */
export const laterTables = ['quote', 'dialler_setting'];

const breakpoint = '--> statement-breakpoint';

let created: string | undefined;

/** Returns the folder with the two migrations; the service keeps its own. */
export function migrationsFolder(schema: SchemaName): string {
  if (schema === 'service') return 'drizzle/service';
  created ??= createFolder();
  return created;
}

function createFolder(): string {
  const folder = mkdtempSync(join(inject('runFolder'), 'two-migrations-'));
  const { entries, ...journal } = JSON.parse(readFileSync('drizzle/gateway/meta/_journal.json', 'utf8'));
  const entry = entries.at(-1);
  const statements = entries.flatMap(({ tag }: { tag: string }) =>
    readFileSync(`drizzle/gateway/${tag}.sql`, 'utf8').split(breakpoint),
  );
  const isLater = (sql: string) =>
    laterTables.some((table) =>
      new RegExp(`^\\s*CREATE (TABLE|(INDEX|TRIGGER) .* ON) \`${table}\``).test(sql),
    );
  mkdirSync(join(folder, 'meta'));
  const write = (tag: string, some: string[]) =>
    writeFileSync(join(folder, `${tag}.sql`), some.join(breakpoint));
  write(
    '0000_first',
    statements.filter((sql: string) => !isLater(sql)),
  );
  write('0001_second', statements.filter(isLater));
  const both = [
    { ...entry, idx: 0, tag: '0000_first', when: entry.when - 1 },
    { ...entry, idx: 1, tag: '0001_second' },
  ];
  writeFileSync(join(folder, 'meta/_journal.json'), JSON.stringify({ ...journal, entries: both }));
  return folder;
}

/** Undoes the second migration in a file that no process has open, and runs `change` on the result. */
export function undoSecondMigration(file: string, change: (database: Database) => void = () => {}) {
  const database = new Database(file);
  try {
    for (const table of laterTables) database.exec(`DROP TABLE ${table}`);
    database.exec(
      'DELETE FROM __drizzle_migrations WHERE created_at = (SELECT max(created_at) FROM __drizzle_migrations)',
    );
    change(database);
  } finally {
    database.close();
  }
}
