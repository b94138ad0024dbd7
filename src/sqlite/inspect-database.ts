import { errorMessage, UserError } from '../shared/errors.ts';
import { expectedSchema, readSchemaObjects, schemaDifferences } from './compare-schema.ts';
import { hasTable } from './copy.ts';
import { Database } from './driver.ts';
import { requireDatabaseFile } from './lock.ts';
import { requireSchema } from './migrate.ts';
import { migrationsFolder, type SchemaName } from './migrations-folder.ts';

/** The state of a database file, apart from the content of its rows. */
export type DatabaseInspection = {
  /** Faults of pages, indexes and references, in SQLite's words, and changes of the schema; empty for a sound file. */
  faults: string[];
  /** Number of migrations in the file, and of those that this program has. */
  schema: { migrations: number; known: number; isNewer: boolean };
  /** When the copy was made; null in a file that does not record it. */
  takenAt: number | null;
};

const maxFaults = 20;

/**
 * Checks every page of a database file, and its schema. Changes nothing.
 *
 * @throws UserError when the file does not exist or is no database of dialtill.
 */
export function inspectDatabase(file: string, schema: SchemaName): DatabaseInspection {
  requireDatabaseFile(file);
  let connection: Database | undefined;
  try {
    connection = new Database(file, { fileMustExist: true, timeout: 2_000 });
    connection.pragma('query_only = ON');
    const { applied, known, comparison, newest } = requireSchema(connection, schema);
    // This version does not have the migrations of a newer one.
    const expected = comparison === 'newer' ? undefined : expectedSchema(migrationsFolder(schema), newest);
    const opened = connection;
    const changes = expected ? runCheck(() => schemaDifferences(readSchemaObjects(opened), expected)) : [];
    return {
      faults: [...listFaults(connection), ...changes.map((change) => `schema: ${change}`)],
      schema: { migrations: applied, known, isNewer: comparison === 'newer' },
      takenAt: findTakenAt(connection),
    };
  } catch (cause) {
    if (cause instanceof UserError) throw cause;
    throw new UserError(`${file} is not a readable ledger: ${errorMessage(cause)}`, { cause });
  } finally {
    connection?.close();
  }
}

function listFaults(connection: Database): string[] {
  const pages = runCheck(
    () => connection.prepare(`PRAGMA integrity_check(${maxFaults})`).pluck().all() as string[],
  );
  const references = runCheck(() =>
    connection.prepare('PRAGMA foreign_key_check').all().length === 0 ? [] : ['a reference has no target'],
  );
  return [...new Set([...pages.filter((line) => line !== 'ok'), ...references])];
}

/** Returns the faults that a check reports, or the fault that stopped it. */
function runCheck(check: () => string[]): string[] {
  try {
    return check();
  } catch (fault) {
    return [errorMessage(fault)];
  }
}

/** The copy's own row has no time of a restore yet. */
function findTakenAt(connection: Database): number | null {
  if (!hasTable(connection, 'restore')) return null;
  const takenAt = connection
    .prepare('SELECT max(taken_at) FROM restore WHERE restored_at IS NULL')
    .pluck()
    .get();
  return takenAt === null || takenAt === undefined ? null : Number(takenAt);
}
