import { dirname } from 'node:path';
import Database from 'better-sqlite3';
import { drizzle } from 'drizzle-orm/sqlite-proxy';
import { LRUCache } from 'lru-cache';
import type { Clock } from '../shared/clock.ts';
import { messageOf, UserError } from '../shared/errors.ts';
import { lockDatabase } from './lock.ts';
import { migrate, requireCurrentSchema } from './migrate.ts';
import { migrationsFolder, type SchemaName } from './migrations-folder.ts';
import { createFolder, createPrivately } from './private-file.ts';
import { refuseHalfRestored } from './put-in-place.ts';
import { type SqlValue, type Store, StoreFault, type StoreFaultKind, type Write } from './store.ts';

/** The first release without the WAL-reset bug, which can corrupt a file that two connections write. */
const oldestSqlite = [3, 51, 3] as const;

/** Batches that may wait for the next commit. More means that the disk cannot keep up: refuse, do not swell. */
const maxQueueLength = 10_000;

/** Tries to begin a transaction while another program holds the file, 20 to 250 ms apart. */
const busyTries = 12;

/** How long opening waits for a file that another program has to itself. */
const maxWaitMs = 5_000;

type Waiting = {
  batch: readonly Write[];
  signal: AbortSignal | undefined;
  resolve(applied: boolean): void;
  reject(fault: Error): void;
};

export type SqliteOptions = {
  file: string;
  schema: SchemaName;
  clock: Clock;
  /** Told when the file has failed for good: the process must end, and start anew on what is on disk. */
  onBroken?: (fault: StoreFault) => void;
  /** Told `true` when a write found no space, and `false` when the next one succeeded. */
  onFull?: (isFull: boolean) => void;
  /** Runs `work` once everything that is ready now has run; what arrives until then shares one commit. */
  defer?: (work: () => void) => void;
  /** Opens the connection: better-sqlite3's own way when left out. The way in for whoever plays the disk. */
  connect?: (file: string) => Database.Database;
};

/**
 * Opens a SQLite store: locks the file, migrates it, and checks what durability rests on.
 *
 * Group commit: all batches that arrive within one turn of the event loop share one transaction (a savepoint
 * each) and one fsync, and are answered after it.
 *
 * @throws UserError when the file is in use, is newer than the program, or SQLite is too old.
 */
export function createSqliteStore(options: SqliteOptions): Store {
  createFolder(dirname(options.file));
  const unlock = lockDatabase(options.file);
  let connection: Database.Database | undefined;
  try {
    refuseHalfRestored(options.file);
    createPrivately(options.file);
    connection = (options.connect ?? connect)(options.file);
    // While a report puts right what a crash has left, others are kept out for a moment; nobody waits for us yet.
    connection.pragma(`busy_timeout = ${maxWaitMs}`);
    durable(connection, options.file);
    migrate(connection, migrationsFolder(options.schema));
    connection.pragma('busy_timeout = 0');
  } catch (fault) {
    connection?.close();
    unlock();
    throw damageOf(options.file, fault) ?? fault;
  }
  const opened = connection;
  const writer = groupCommit(opened, options);
  return {
    read: reader(opened, writer.failed),
    apply: writer.apply,
    usable: writer.usable,
    async close() {
      await writer.drain();
      try {
        if (opened.open && writer.usable()) opened.pragma('wal_checkpoint(TRUNCATE)');
      } finally {
        opened.close();
        unlock();
      }
    },
  };
}

/**
 * Opens an existing file for reading only, beside a gateway that may be writing it. All reads see the file as it
 * was when it was opened.
 *
 * @throws UserError when there is no such file, or, unless `anyVersion`, when another version of the program wrote it.
 */
export function createSqliteReader(
  file: string,
  { anyVersion = false }: { anyVersion?: boolean } = {},
): Store {
  let connection: Database.Database;
  try {
    connection = new Database(file, { fileMustExist: true, timeout: 2000 });
    connection.pragma('query_only = ON');
    connection.exec('BEGIN');
    connection.pragma('user_version');
  } catch (cause) {
    throw (
      damageOf(file, cause) ??
      new UserError(`cannot open the database ${file}: ${messageOf(cause)}`, { cause })
    );
  }
  try {
    if (!anyVersion) requireCurrentSchema(connection, 'gateway');
  } catch (fault) {
    connection.close();
    throw damageOf(file, fault) ?? fault;
  }
  return {
    read: reader(connection),
    apply: () => Promise.reject(new StoreFault('refused', 'this store was opened for reading')),
    usable: () => true,
    async close() {
      connection.close();
    },
  };
}

function connect(file: string): Database.Database {
  return new Database(file, { timeout: 0 });
}

/** Makes each commit of the connection durable. @throws UserError where that cannot be. */
function durable(connection: Database.Database, file: string): void {
  const version = String(connection.prepare('SELECT sqlite_version()').pluck().get());
  if (!atLeast(version, oldestSqlite)) {
    throw new UserError(
      `SQLite ${version} can corrupt a WAL database; dialtill needs ${oldestSqlite.join('.')} or newer.`,
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
      `${file} does not take WAL with synchronous=FULL (journal_mode=${journal}, synchronous=${synchronous}); ` +
        'an acknowledged event could be lost at a power cut. Put the database on a local file system.',
    );
  }
}

/** True when the dotted `version` is not older than `oldest`. */
export function atLeast(version: string, oldest: readonly number[]): boolean {
  const parts = version.split('.').map(Number);
  for (const [index, least] of oldest.entries()) {
    const part = parts[index] ?? 0;
    if (part !== least) return part > least;
  }
  return true;
}

/**
 * Statements by their text. Hot ones are compiled once; ad-hoc ones must not pile up.
 *
 * A bare parameter behind LIMIT makes SQLite compile the statement anew for each value bound to it, which costs ten
 * times the query; behind a plus it does not.
 */
function statements(connection: Database.Database) {
  const prepared = new LRUCache<string, Database.Statement>({ max: 256 });
  return (sql: string): Database.Statement => {
    let statement = prepared.get(sql);
    if (!statement) {
      statement = connection.prepare(sql.replaceAll(' limit ?', ' limit +?'));
      prepared.set(sql, statement);
    }
    return statement;
  };
}

/** @param failed told of every fault: one that a read meets is as bad as one that a write does. */
function reader(connection: Database.Database, failed: (fault: StoreFault) => void = () => {}) {
  const prepare = statements(connection);
  return drizzle(async (sql, params: SqlValue[], method) => {
    try {
      const statement = prepare(sql);
      if (!statement.reader) throw new StoreFault('refused', 'writes go through apply');
      statement.raw(true);
      // Drizzle's proxy expects the bare row here, and nothing at all where there is none.
      if (method === 'get') return { rows: statement.get(...params) as unknown[] };
      return { rows: statement.all(...params) };
    } catch (fault) {
      failed(toFault(fault));
      throw fault;
    }
  });
}

class LostGuard extends Error {}

/** Takes a transaction back. When even that fails, the file will be put right by whoever opens it next. */
function undo(connection: Database.Database): void {
  try {
    if (connection.inTransaction) connection.exec('ROLLBACK');
  } catch {
    connection.close();
  }
}

/** Takes one batch back; when that cannot be done, the whole transaction, so that no half of it is committed. */
function undoBatch(prepare: (sql: string) => Database.Statement, connection: Database.Database): void {
  try {
    prepare('ROLLBACK TO batch').run();
    prepare('RELEASE batch').run();
  } catch (fault) {
    undo(connection);
    throw fault;
  }
}

function groupCommit(connection: Database.Database, options: SqliteOptions) {
  const { clock, defer = setImmediate } = options;
  const prepare = statements(connection);
  let queue: Waiting[] = [];
  let flushing: Promise<void> | undefined;
  let broken: StoreFault | undefined;
  let isFull = false;

  function foundSpace(found: boolean): void {
    if (isFull !== found) return;
    isFull = !found;
    options.onFull?.(isFull);
  }

  /** How many rows the batch has changed; `undefined` where a guard lost. */
  function runBatch(batch: readonly Write[]): number | undefined {
    let changed = 0;
    prepare('SAVEPOINT batch').run();
    try {
      for (const write of batch) {
        const { changes } = prepare(write.sql).run(...write.args);
        if (write.rows !== undefined && changes !== write.rows) throw new LostGuard();
        changed += changes;
      }
      prepare('RELEASE batch').run();
      return changed;
    } catch (fault) {
      if (!connection.inTransaction) throw fault;
      undoBatch(prepare, connection);
      if (fault instanceof LostGuard || isTaken(fault)) return undefined;
      throw fault;
    }
  }

  function commit(waiting: readonly Waiting[]): void {
    const answers: (() => void)[] = [];
    let changed = 0;
    let metFull = false;
    for (const { batch, resolve, reject } of waiting) {
      try {
        const rows = runBatch(batch);
        changed += rows ?? 0;
        answers.push(() => resolve(rows !== undefined));
      } catch (thrown) {
        const fault = toFault(thrown);
        // A neighbour is spared a batch that was refused, but nothing is committed beside a file that fails.
        if (!connection.inTransaction || fault.kind === 'broken') throw thrown;
        metFull ||= fault.kind === 'full';
        answers.push(() => reject(fault));
      }
    }
    prepare('COMMIT').run();
    for (const answer of answers) answer();
    // A commit of nothing needs no space, and tells nothing of it.
    if (metFull || changed > 0) foundSpace(!metFull);
  }

  async function begin(): Promise<void> {
    for (let tries = 1; ; tries++) {
      try {
        prepare('BEGIN IMMEDIATE').run();
        return;
      } catch (fault) {
        if (toFault(fault).kind !== 'busy' || tries >= busyTries) throw fault;
        await clock.sleep(Math.min(250, 20 * tries));
      }
    }
  }

  /** Notes that the file has failed for good, and tells whoever must hear of it, once. */
  function failed(fault: StoreFault): void {
    if (fault.kind !== 'broken' || broken) return;
    broken = fault;
    options.onBroken?.(fault);
  }

  async function flush(): Promise<void> {
    const waiting = queue;
    queue = [];
    try {
      await begin();
      commit(waiting.filter(inTime));
    } catch (thrown) {
      undo(connection);
      const fault = connection.open ? toFault(thrown) : closedBy(thrown);
      failed(fault);
      for (const { reject } of waiting) reject(fault);
      if (fault.kind === 'full') foundSpace(false);
    }
  }

  function schedule(): void {
    flushing ??= new Promise<void>((resolve) => defer(resolve)).then(flush).finally(() => {
      flushing = undefined;
      if (queue.length > 0) schedule();
    });
  }

  const writer: Pick<Store, 'usable' | 'apply'> & {
    drain(): Promise<void>;
    failed(fault: StoreFault): void;
  } = {
    failed,
    usable: () => broken === undefined,
    apply(batch, signal): Promise<boolean> {
      if (broken) return Promise.reject(broken);
      if (!connection.open) return Promise.reject(new StoreFault('closed', 'the store is closed'));
      if (queue.length >= maxQueueLength)
        return Promise.reject(new StoreFault('busy', 'too many writes are waiting'));
      return new Promise((resolve, reject) => {
        queue.push({ batch, signal, resolve, reject });
        schedule();
      });
    },
    async drain(): Promise<void> {
      while (flushing) await flushing;
    },
  };
  return writer;
}

/** False for a batch that nobody waits for any more, which is refused. */
function inTime({ signal, reject }: Waiting): boolean {
  if (signal?.aborted) reject(new StoreFault('late', 'nobody waits for this write any more'));
  return !signal?.aborted;
}

function codeOf(fault: unknown): string {
  return fault instanceof Database.SqliteError ? fault.code : '';
}

/**
 * What a person is told of a file that failed for good, at its opening or in a query; nothing where something else is
 * the matter.
 */
export function damageOf(file: string, fault: unknown): UserError | undefined {
  const { kind, message } = toFault(fault instanceof Error && 'query' in fault ? fault.cause : fault);
  if (kind !== 'broken') return undefined;
  return new UserError(
    `${file} cannot be used: ${message}. Nobody is charged. What to do: docs/operations.md, "A damaged file".`,
    { cause: fault },
  );
}

/** A unique index refused: somebody else was first, which is a lost guard and no fault. */
function isTaken(fault: unknown): boolean {
  return ['SQLITE_CONSTRAINT_UNIQUE', 'SQLITE_CONSTRAINT_PRIMARYKEY'].includes(codeOf(fault));
}

/** The transaction could not be taken back either: whatever went wrong first, nothing can be written any more. */
function closedBy(fault: unknown): StoreFault {
  return new StoreFault('broken', `a rollback failed after ${toFault(fault).message}`, { cause: fault });
}

function toFault(fault: unknown): StoreFault {
  if (fault instanceof StoreFault) return fault;
  const code = codeOf(fault);
  const kind: StoreFaultKind = code.startsWith('SQLITE_BUSY')
    ? 'busy'
    : code === 'SQLITE_FULL'
      ? 'full'
      : /^SQLITE_(IOERR|CORRUPT|NOTADB)/.test(code)
        ? 'broken'
        : 'refused';
  return new StoreFault(kind, `${code || 'fault'}: ${messageOf(fault)}`, { cause: fault });
}
