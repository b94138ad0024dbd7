import type { SqliteRemoteDatabase } from 'drizzle-orm/sqlite-proxy';

export type SqlValue = string | number | null;

/**
 * One guarded statement of a batch. `rows` is the exact number of rows it must touch; another number means
 * that a guard lost, and the whole batch is undone. Without `rows` any number will do.
 */
export type Write = { readonly sql: string; readonly args: readonly SqlValue[]; readonly rows?: number };

/**
 * The database, as the rest of the program sees it.
 *
 * Read a snapshot, decide purely, then `apply` guarded writes; when a guard lost, read again. There is no
 * interactive transaction, so that no network call can ever sit inside one, and the same batches run on SQLite
 * and on PostgreSQL.
 */
export interface Store {
  /** Drizzle's query builder over this store, for reading. Prepare what is read often. */
  readonly read: SqliteRemoteDatabase;
  /**
   * Writes the batch in one durable transaction. Resolves with `true` only after the bytes are on disk, and with
   * `false` when a guard or a unique index refused: then nothing was written.
   *
   * @param signal once aborted, a batch whose transaction has not begun is not written.
   * @throws StoreFault when the database itself fails (full, unreadable, closed, locked by another program), or when
   *   `signal` was aborted in time.
   */
  apply(batch: readonly Write[], signal?: AbortSignal): Promise<boolean>;
  /** False once the file has failed in a way that this process must not write on after. */
  readonly usable: () => boolean;
  /** Finishes what is queued and closes the file. */
  close(): Promise<void>;
}

/**
 * `busy` and `full` may pass; `late` means that nobody waited for it any more; `broken` that this process must not go
 * on with this file.
 */
export type StoreFaultKind = 'busy' | 'full' | 'late' | 'broken' | 'closed' | 'refused';

export class StoreFault extends Error {
  override readonly name = 'StoreFault';
  readonly kind: StoreFaultKind;

  constructor(kind: StoreFaultKind, message: string, options?: ErrorOptions) {
    super(message, options);
    this.kind = kind;
  }
}
