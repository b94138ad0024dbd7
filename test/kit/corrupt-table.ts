import { readFileSync, writeFileSync } from 'node:fs';
import { Database } from '../../src/sqlite/driver.ts';

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
