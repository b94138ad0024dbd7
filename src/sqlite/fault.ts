import { messageOf, UserError } from '../shared/errors.ts';
import { Database } from './driver.ts';
import { StoreFault, type StoreFaultKind } from './store.ts';

/** Returns a thrown value as a fault of the store, classified by its SQLite code. */
export function toStoreFault(thrown: unknown): StoreFault {
  if (thrown instanceof StoreFault) return thrown;
  const code = sqliteCodeOf(thrown);
  return new StoreFault(kindOf(code), `${code || 'fault'}: ${messageOf(thrown)}`, { cause: thrown });
}

function kindOf(code: string): StoreFaultKind {
  if (code.startsWith('SQLITE_BUSY')) return 'busy';
  if (code === 'SQLITE_FULL') return 'full';
  return /^SQLITE_(IOERR|CORRUPT|NOTADB)/.test(code) ? 'broken' : 'refused';
}

function sqliteCodeOf(thrown: unknown): string {
  return thrown instanceof Database.SqliteError ? thrown.code : '';
}

/** Returns whether a unique index rejected a statement: another writer was first, which is a lost guard. */
export function isUniqueViolation(thrown: unknown): boolean {
  return ['SQLITE_CONSTRAINT_UNIQUE', 'SQLITE_CONSTRAINT_PRIMARYKEY'].includes(sqliteCodeOf(thrown));
}

/**
 * Returns the error for a file that is damaged or cannot be read, from a fault at its opening or in a query; `undefined`
 * for any other fault.
 */
export function damageOf(file: string, thrown: unknown): UserError | undefined {
  const { kind, message } = toStoreFault(
    thrown instanceof Error && 'query' in thrown ? thrown.cause : thrown,
  );
  if (sqliteCodeOf(thrown).startsWith('SQLITE_CANTOPEN'))
    return new UserError(
      `${file} cannot be opened: ${messageOf(thrown)}. Give it, the files beside it and its folder to the user of dialtill.`,
      { cause: thrown },
    );
  if (kind !== 'broken') return undefined;
  return new UserError(
    `${file} cannot be used: ${message}. No payer is charged. What to do: docs/operations/damaged-file.md.`,
    { cause: thrown },
  );
}
