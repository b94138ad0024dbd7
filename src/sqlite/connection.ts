import { UserError } from '../shared/errors.ts';
import { type CompiledStatement, Database, toStoreFault } from './driver.ts';
import { type RunQuery, StoreFault } from './store.ts';

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
