import BetterSqlite3 from 'better-sqlite3';
import { errorMessage, UserError } from '../shared/errors.ts';
import { type RunQuery, StoreFault, type StoreFaultKind } from './store.ts';

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

/** The first release without the WAL-reset bug, which can corrupt a file that two connections write. */
const minSqliteVersion = [3, 51, 3] as const;

/** Statements that stay compiled. */
const maxStatements = 256;

/**
 * Opens a connection that does not wait for a locked file. It keeps temporary data in memory: SQLite would otherwise write
 * each page that a batch changes to a temporary file as well, to undo the batch after a conflict.
 */
export function connect(file: string): Database {
  const connection = new Database(file, { timeout: 0 });
  connection.pragma('temp_store = MEMORY');
  return connection;
}

/**
 * Makes each commit of the connection durable: WAL with `synchronous=FULL`, read back.
 *
 * @throws UserError when SQLite is too old, or the file does not accept these settings.
 */
export function makeDurable(connection: Database, file: string): void {
  const version = String(connection.prepare('SELECT sqlite_version()').pluck().get());
  if (!isVersionAtLeast(version, minSqliteVersion)) {
    throw new UserError(
      `SQLite ${version} can corrupt a WAL database; dialtill needs ${minSqliteVersion.join('.')} or newer.`,
    );
  }
  connection.pragma('journal_mode = WAL');
  connection.pragma('synchronous = FULL');
  connection.pragma('foreign_keys = ON');
  connection.pragma('trusted_schema = OFF');
  const journal = connection.pragma('journal_mode', { simple: true });
  const synchronous = connection.pragma('synchronous', { simple: true });
  if (journal !== 'wal' || synchronous !== 2) {
    throw new UserError(
      `${file} does not support WAL with synchronous=FULL (journal_mode=${journal}, synchronous=${synchronous}): ` +
        'a power cut could lose an acknowledged event. Put the database on a local file system.',
    );
  }
}

/** Returns whether a dotted version is at least `min`. */
export function isVersionAtLeast(version: string, min: readonly number[]): boolean {
  const parts = version.split('.').map(Number);
  for (const [index, least] of min.entries()) {
    const part = parts[index] ?? 0;
    if (part !== least) return part > least;
  }
  return true;
}

/**
 * Returns a function that compiles each statement once and keeps a bounded number of them.
 *
 * SQLite compiles a statement again for each value that is bound to a bare parameter after LIMIT, which costs ten times
 * the query. With a plus before the parameter it does not.
 */
export function cacheStatements(
  connection: Database,
  configure: (statement: CompiledStatement) => void = () => {},
): (sql: string) => CompiledStatement {
  const statements = new Map<string, CompiledStatement>();
  return (sql) => {
    let statement = statements.get(sql);
    if (!statement) {
      statement = connection.prepare(sql.replaceAll(' limit ?', ' limit +?'));
      configure(statement);
      const [oldest] = statements.keys();
      if (statements.size >= maxStatements && oldest !== undefined) statements.delete(oldest);
      statements.set(sql, statement);
    }
    return statement;
  };
}

/**
 * Returns a function that runs queries on a connection. It rejects writes.
 *
 * @param onFault receives every fault of a query.
 */
export function createQueryRunner(
  connection: Database,
  onFault: (fault: StoreFault) => void = () => {},
): RunQuery {
  const prepare = cacheStatements(connection, (statement) => {
    if (!statement.reader) throw new StoreFault('refused', 'a write must use apply');
    statement.raw(true);
  });
  return async (sql, args, result) => {
    try {
      const statement = prepare(sql);
      return result === 'row' ? statement.get(...args) : statement.all(...args);
    } catch (fault) {
      onFault(toStoreFault(fault));
      throw fault;
    }
  };
}
