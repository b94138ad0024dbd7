import Database from 'better-sqlite3';
import { messageOf, UserError } from '../shared/errors.ts';
import { hasTable } from './copy.ts';
import { readSchemaVersion } from './migrate.ts';
import { migrationsFolder, type SchemaName } from './migrations-folder.ts';

/** What SQLite says of a file. */
export type Examined = {
  /** What is wrong with its pages, its indexes, or its references, in SQLite's words; empty when nothing is. */
  faults: string[];
  /** Migrations in it, and how many this program has. */
  schema: { migrations: number; known: number; isNewer: boolean };
  /** When the copy was made, as it says itself; null where it does not. */
  takenAt: number | null;
};

/** Faults told at most. */
const maxFaults = 20;

/**
 * Reads a database file from its first page to its last, and changes nothing.
 *
 * @throws UserError when it is not there, or is no ledger at all.
 */
export function examine(file: string, schema: SchemaName): Examined {
  let connection: Database.Database | undefined;
  try {
    connection = new Database(file, { fileMustExist: true, timeout: 2_000 });
    connection.pragma('query_only = ON');
    const { applied, known, comparison } = readSchemaVersion(connection, migrationsFolder(schema));
    if (comparison === 'empty') throw new Error('it holds no tables of dialtill');
    return {
      faults: faultsOf(connection),
      schema: { migrations: applied, known, isNewer: comparison === 'newer' },
      takenAt: takenAtOf(connection),
    };
  } catch (cause) {
    throw new UserError(`${file} is no ledger that can be read: ${messageOf(cause)}`, { cause });
  } finally {
    connection?.close();
  }
}

function faultsOf(connection: Database.Database): string[] {
  const pages = told(
    () => connection.prepare(`PRAGMA integrity_check(${maxFaults})`).pluck().all() as string[],
  );
  const references = told(() =>
    connection.prepare('PRAGMA foreign_key_check').all().length === 0 ? [] : ['references lead nowhere'],
  );
  return [...new Set([...pages.filter((line) => line !== 'ok'), ...references])];
}

/** What a check says, or that it could not go on. */
function told(check: () => string[]): string[] {
  try {
    return check();
  } catch (fault) {
    return [messageOf(fault)];
  }
}

/** The row that is still without its restore is the copy's own. */
function takenAtOf(connection: Database.Database): number | null {
  if (!hasTable(connection, 'restore')) return null;
  const taken = connection
    .prepare('SELECT max(taken_at) FROM restore WHERE restored_at IS NULL')
    .pluck()
    .get();
  return taken === null || taken === undefined ? null : Number(taken);
}
