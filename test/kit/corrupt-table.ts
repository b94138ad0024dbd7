import { readFileSync, writeFileSync } from 'node:fs';
import Database from 'better-sqlite3';

/** Overwrites a table's first page in a database that nobody has open: SQLite calls the file malformed from then on. */
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
