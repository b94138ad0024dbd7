import { drizzle, type SqliteRemoteDatabase } from 'drizzle-orm/sqlite-proxy';
import type { Clock } from '../shared/clock.ts';
import type { SchemaName } from './migrations-folder.ts';
import type { OnExposed } from './private-file.ts';

/** A value that can be bound to a statement. */
export type SqlValue = string | number | null;

/**
 * One statement of a batch. `rows` makes it a guarded write: the exact number of rows that it must change. With any other
 * number there is a conflict, and the whole batch is rolled back. Without `rows`, any number is accepted.
 */
export type Write = {
  readonly sql: string;
  readonly args: readonly SqlValue[];
  readonly rows?: number;
  /** The statement changes one row or none, so that a batch of it alone needs no savepoint. */
  readonly isSingleRow?: boolean;
  /**
   * Names of the data that the statement's condition reads, such as the collections of a payer. Batches that share a name run one
   * after another. SQLite runs all batches in that way.
   */
  readonly locks?: readonly string[];
  /**
   * The statement changes an unbounded number of rows, so that its batch has no time limit. Only for a start, while no payer waits
   * for its locks.
   */
  readonly isUnbounded?: boolean;
};

/**
 * Runs a compiled query (`prepareQuery`).
 *
 * @returns for `row` the first row as a list of values, or `undefined`; for `rows` the list of all rows.
 */
export type RunQuery = (sql: string, args: readonly SqlValue[], result: 'row' | 'rows') => Promise<unknown>;

/**
 * The database. A caller reads a snapshot, decides, and applies a batch of guarded writes; after a conflict, it reads
 * again (`retryConflict`). There are no interactive transactions, so that no network call can happen inside one.
 */
export interface Store {
  /** The kind of database, for the few questions that only one kind can answer. */
  readonly engine: 'sqlite' | 'postgres';
  readonly query: RunQuery;
  /** Drizzle's query builder, for queries that vary. Compile the others once with `prepareQuery`. */
  readonly read: SqliteRemoteDatabase;
  /**
   * Writes a batch in one durable transaction.
   *
   * @param signal prevents the write when it is aborted before the transaction begins.
   * @returns true after the batch is on disk; false after a conflict: a guard or a unique index rejected a row, and nothing was
   *   written.
   * @throws StoreFault when the database fails, or `signal` prevented the write.
   */
  apply(batch: readonly Write[], signal?: { readonly aborted: boolean }): Promise<boolean>;
  /**
   * Writes one statement without a guard in one durable transaction.
   *
   * @returns the rows of its `RETURNING` clause, after they are on disk.
   * @throws StoreFault when the database fails.
   */
  applyReturning(write: Write): Promise<SqlValue[][]>;
  /**
   * Waits until every batch that has begun is committed or rolled back, so that no row appears later with a lower number than one already read.
   *
   * @returns false when a batch lasts longer than some seconds.
   */
  settled(): Promise<boolean>;
  /**
   * Compares the tables, indexes, triggers, views and functions of a ledger with those that this program creates.
   *
   * @returns one sentence for each that is missing, changed or not expected.
   */
  ledgerDifferences(): Promise<string[]>;
  /** Returns false after the database has failed permanently. This process must not write to it any more. */
  readonly usable: () => boolean;
  /** Completes the waiting writes and closes the database. */
  close(): Promise<void>;
}

/** Reads of a database beside its writer. */
export type Snapshots = {
  /** Runs `work` on the database as it is now. `work` must not use the store after its end. */
  read<Result>(work: (store: Store) => Promise<Result>): Promise<Result>;
  /** Waits for the reads that have begun. */
  close(): Promise<void>;
};

/**
 * The reason why the store did not run a statement.
 *
 * - `busy`: another process has locked the database, or too many writes are waiting. A later attempt may succeed.
 * - `full`: the disk is full. A later attempt may succeed.
 * - `late`: `signal` aborted before the transaction began.
 * - `broken`: the database has failed permanently.
 * - `closed`: the store is closed.
 * - `unknown`: the connection was lost after the batch was sent. It may have been written: read again before you decide.
 * - `refused`: the database rejected the statement.
 */
export type StoreFaultKind = 'busy' | 'full' | 'late' | 'broken' | 'closed' | 'refused' | 'unknown';

/** A failure of the store. `kind` gives the reason, and `cause` the error of the database. */
export class StoreFault extends Error {
  override readonly name = 'StoreFault';
  readonly kind: StoreFaultKind;

  constructor(kind: StoreFaultKind, message: string, options?: ErrorOptions) {
    super(message, options);
    this.kind = kind;
  }
}

/** Returned by an attempt whose batch was not applied, because of a conflict. */
export const conflict = Symbol('conflict');

/** The default limit of attempts. More conflicts on one row point to a bug, not to contention. */
const defaultMaxAttempts = 50;

/**
 * Repeats an optimistic write until its guards hold. An attempt reads a snapshot, decides, applies a guarded batch, and
 * returns `conflict` when the batch was not applied. The next attempt reads a fresh snapshot.
 *
 * @param subject names the row in the error, such as `session pay_1`.
 * @param maxAttempts attempts before the write fails.
 * @returns the result of the first attempt without a conflict.
 * @throws Error after `maxAttempts` conflicts, and whatever an attempt throws.
 */
export async function retryConflict<Result>(
  subject: string,
  attempt: () => Promise<Result | typeof conflict>,
  maxAttempts = defaultMaxAttempts,
): Promise<Result> {
  for (let attempts = 0; attempts < maxAttempts; attempts++) {
    const result = await attempt();
    if (result !== conflict) return result;
  }
  throw new Error(`${subject} changed ${maxAttempts} times while it was written`);
}

/** Returns Drizzle's query builder over a function that runs queries. */
export function createQueryBuilder(query: RunQuery): SqliteRemoteDatabase {
  return drizzle(async (sql, params: SqlValue[], method) => {
    const rows = await query(sql, params, method === 'get' ? 'row' : 'rows');
    // Drizzle's proxy expects the bare row of `get` here, or `undefined` without a row.
    return { rows: rows as unknown[] };
  });
}

const refuseWrite = () => Promise.reject(new StoreFault('refused', 'this store is open for reading only'));

/** Creates a store that rejects writes. */
export function createReadingStore(
  store: Pick<Store, 'engine' | 'query' | 'ledgerDifferences' | 'close'>,
): Store {
  return {
    ...store,
    read: createQueryBuilder(store.query),
    apply: refuseWrite,
    applyReturning: refuseWrite,
    settled: async () => true,
    usable: () => true,
  };
}

/*
 * The options of a store. They name no type of the driver, because a program that embeds the gateway or the service has none.
 */

export type GroupCommitOptions = {
  clock: Clock;
  /** Called once when the file has failed permanently. The process must end and restart from what is on disk. */
  onBroken?: (fault: StoreFault) => void;
  /** Called with `true` when a write found no space, and with `false` when the next write succeeded. */
  onFull?: (isFull: boolean) => void;
  /** Called after each commit with its duration in milliseconds, for metrics. */
  onCommit?: (ms: number) => void;
  /** Delays `work` until the tasks that are ready now have run. Batches that arrive meanwhile share one commit. */
  defer?: (work: () => void) => void;
};

export type StoreOptions = GroupCommitOptions & {
  file: string;
  schema: SchemaName;
  /** Called with each existing file of the database that other users could access, after its mode was corrected. */
  onExposed?: OnExposed;
};

/** Opens a store on a file, as `createSqliteStore` does. */
export type CreateStore = (options: StoreOptions) => Store;
