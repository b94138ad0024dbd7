import type { Database } from '../../src/sqlite/driver.ts';

/** Changes a database without its triggers and creates them again, as an attacker with the file could. */
export function withoutTriggers(file: Database, change: (file: Database) => void): void {
  const triggers = file
    .prepare<[], { name: string; sql: string }>(`SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'`)
    .all();
  for (const { name } of triggers) file.exec(`DROP TRIGGER "${name}"`);
  change(file);
  for (const { sql } of triggers) file.exec(sql);
}
