import { readMigrationFiles } from 'drizzle-orm/migrator';
import { Database } from './driver.ts';
import { migrationsFolder } from './migrations-folder.ts';
import { type RunQuery, StoreFault } from './store.ts';

/** A row of `sqlite_schema`: type, name, table, and SQL; the SQL of an automatic index is null. */
export type SchemaObject = readonly [type: string, name: string, table: string, sql: string | null];

/** Reads every object of a schema. No `ORDER BY` and no filter: a planted object can have any name. */
const schemaObjectsQuery = 'SELECT type, name, tbl_name, sql FROM sqlite_schema';

/** The table in which Drizzle records the migrations of a file. */
export const migrationsTable =
  'CREATE TABLE "__drizzle_migrations" ( id SERIAL PRIMARY KEY, hash text NOT NULL, created_at numeric )';

/** Tables that `ANALYZE` creates. They influence the order of a query's work, never its result. */
const statisticsTable = /^sqlite_stat[14]$/;

/** Tables of Litestream, which counts and locks in the file that it replicates. No query of this program reads them. */
const replicationTables = new Map([
  ['_litestream_seq', 'CREATE TABLE _litestream_seq (id INTEGER PRIMARY KEY, seq INTEGER)'],
  ['_litestream_lock', 'CREATE TABLE _litestream_lock (id INTEGER)'],
]);

/** True when a table of this name may be in a file although no migration creates it. */
export const isReplicationTable = (name: string): boolean => replicationTables.has(name);

/** True when an object may be in a file although no migration creates it. A trigger or an index on such a table may not. */
function isAccepted([type, name, , sql]: SchemaObject): boolean {
  if (type !== 'table') return false;
  return statisticsTable.test(name) || (sql !== null && normalizeSql(sql) === replicationTables.get(name));
}

/** By folder and newest migration. A program never changes the migrations that it runs. */
const expectedSchemas = new Map<string, readonly SchemaObject[]>();

/**
 * Returns the schema that a folder of migrations creates.
 *
 * @param upTo creation time of the newest migration that a file has; all by default.
 */
export function expectedSchema(folder: string, upTo = Number.POSITIVE_INFINITY): readonly SchemaObject[] {
  const key = `${upTo} ${folder}`;
  const known = expectedSchemas.get(key);
  if (known) return known;
  const migrations = readMigrationFiles({ migrationsFolder: folder }).filter(
    ({ folderMillis }) => folderMillis <= upTo,
  );
  const connection = new Database(':memory:');
  try {
    connection.exec(migrationsTable);
    for (const statement of migrations.flatMap(({ sql }) => sql)) connection.exec(statement);
    const objects = readSchemaObjects(connection);
    expectedSchemas.set(key, objects);
    return objects;
  } finally {
    connection.close();
  }
}

/** Compares the objects of a ledger's file with those that the gateway's migrations create. */
export async function compareLedger(query: RunQuery): Promise<string[]> {
  const found = (await query(schemaObjectsQuery, [], 'rows')) as SchemaObject[];
  return schemaDifferences(found, expectedSchema(migrationsFolder('gateway')));
}

/** Reads every object of a file's schema. */
export function readSchemaObjects(connection: Database): SchemaObject[] {
  return connection.prepare(schemaObjectsQuery).raw().all() as SchemaObject[];
}

/**
 * Compares two schemas: tables, indexes, triggers and views, by their SQL without differences in white space. A trigger
 * or a view runs inside every statement on its table, so a single unknown one can change any row.
 *
 * @returns one sentence for each object that is missing, changed or not expected; empty when the schemas are equal.
 */
export function schemaDifferences(
  found: readonly SchemaObject[],
  expected: readonly SchemaObject[],
): string[] {
  const missing = new Map(expected.map((object) => [toKey(object), object]));
  const differences: string[] = [];
  for (const object of found) {
    const [, , table, sql] = object;
    const counterpart = missing.get(toKey(object));
    missing.delete(toKey(object));
    if (counterpart === undefined) {
      if (!isAccepted(object)) differences.push(`${getName(object)} is not part of the schema`);
    } else if (counterpart[2] !== table || !isSameSql(sql, counterpart[3])) {
      differences.push(`${getName(object)} differs from the schema`);
    }
  }
  return [...differences, ...[...missing.values()].map((object) => `${getName(object)} is missing`)];
}

const toKey = ([type, name]: SchemaObject) => JSON.stringify([type, name]);

function getName([type, name, table]: SchemaObject): string {
  return type === 'trigger' || type === 'index' ? `${type} ${name} on ${table}` : `${type} ${name}`;
}

function isSameSql(found: string | null, expected: string | null): boolean {
  return found === expected || normalizeSql(found) === normalizeSql(expected);
}

/** Reduces white space outside of quotes to single spaces. */
function normalizeSql(sql: string | null): string | null {
  const quotedOrSpace = /('(?:[^']|'')*'|"(?:[^"]|"")*"|`(?:[^`]|``)*`)|\s+/g;
  if (sql === null) return null;
  return sql.replace(quotedOrSpace, (_, quoted: string | undefined) => quoted ?? ' ');
}

/**
 * Creates the check that each transaction of a writer begins with. Another process can plant a trigger in the file while
 * this one uses it; the trigger would run in the next write. The schema is compared at the first transaction and after each
 * commit of another process, which SQLite counts in memory that the file cannot forge, so that the check costs one small
 * read. The version of the schema is in the file, where it can be set back.
 *
 * @returns a function that throws a `StoreFault` of the kind `broken` after a change other than `ANALYZE` or `VACUUM`.
 */
export function createSchemaWatch(connection: Database, folder: string): () => void {
  const version = connection.prepare('PRAGMA data_version').pluck();
  let accepted: unknown;
  return () => {
    const found = version.get();
    if (found === accepted) return;
    const [difference] = schemaDifferences(readSchemaObjects(connection), expectedSchema(folder));
    if (difference !== undefined)
      throw new StoreFault('broken', `another process has changed the schema: ${difference}`);
    accepted = found;
  };
}
