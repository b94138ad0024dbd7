import BetterSqlite3 from 'better-sqlite3';
import { errorMessage, UserError } from '../shared/errors.ts';
import { StoreFault, type StoreFaultKind } from './store.ts';

/** Opens connections. The only import of better-sqlite3 in the program. */
export const Database: typeof BetterSqlite3 = BetterSqlite3;

/** A connection to a SQLite file. */
export type Database = BetterSqlite3.Database;

/** A compiled statement. */
export type CompiledStatement<Parameters extends unknown[] = unknown[]> = BetterSqlite3.Statement<Parameters>;

/** The result of a write. */
export type RunResult = BetterSqlite3.RunResult;

/** Returns a thrown value as a fault of the store, classified by its SQLite code. */
export function toStoreFault(thrown: unknown): StoreFault {
  if (thrown instanceof StoreFault) return thrown;
  const code = getSqliteCode(thrown);
  return new StoreFault(getKind(code), `${code || 'fault'}: ${errorMessage(thrown)}`, { cause: thrown });
}

function getKind(code: string): StoreFaultKind {
  if (code.startsWith('SQLITE_BUSY')) return 'busy';
  if (code === 'SQLITE_FULL') return 'full';
  return /^SQLITE_(IOERR|CORRUPT|NOTADB)/.test(code) ? 'broken' : 'refused';
}

function getSqliteCode(thrown: unknown): string {
  return thrown instanceof Database.SqliteError ? thrown.code : '';
}

/** Returns whether a unique index rejected a statement: another writer was first, which is a conflict. */
export function isUniqueViolation(thrown: unknown): boolean {
  return ['SQLITE_CONSTRAINT_UNIQUE', 'SQLITE_CONSTRAINT_PRIMARYKEY'].includes(getSqliteCode(thrown));
}

/**
 * Returns the error for a file that is damaged, is no database, cannot be read, or has no space, from a fault at its opening or
 * in a query; `undefined` for any other fault.
 */
export function toFileError(file: string, thrown: unknown): UserError | undefined {
  const fault = thrown instanceof Error && 'query' in thrown ? thrown.cause : thrown;
  const message = describe(file, getSqliteCode(fault), toStoreFault(fault));
  return message === undefined ? undefined : new UserError(message, { cause: thrown });
}

const damagedSee = 'No payer is charged. What to do: docs/operations/damaged-file.md.';

function describe(file: string, code: string, { kind, message }: StoreFault): string | undefined {
  // SHMSIZE: SQLite cannot extend the index of the write-ahead log.
  if (kind === 'full' || code === 'SQLITE_IOERR_SHMSIZE')
    return `the disk of ${file} is full. Free space, and try again. What to do: docs/operations/full-disk.md.`;
  const denied = deniedBy(code);
  if (denied !== undefined)
    return `${file} cannot be ${denied}. Give it, the files beside it and its folder to the user of dialtill.`;
  if (code === 'SQLITE_NOTADB')
    return `${file} is not a database. Check its path; if it was a ledger, it is damaged. ${damagedSee}`;
  return kind === 'broken' ? `${file} cannot be used: ${message}. ${damagedSee}` : undefined;
}

function deniedBy(code: string): string | undefined {
  if (code.startsWith('SQLITE_CANTOPEN')) return 'opened: unable to open database file';
  return code.startsWith('SQLITE_READONLY') ? 'written: it is read-only' : undefined;
}
