/* No library: drivers commit one transaction for each caller, and here one commit has many, each with a result of its own. */

import {
  type CompiledStatement,
  cacheStatements,
  type Database,
  isUniqueViolation,
  toStoreFault,
} from './driver.ts';
import { type GroupCommitOptions, type SqlValue, type Store, StoreFault, type Write } from './store.ts';

/** Batches that may wait for the next commit. More means that the disk is too slow for the load. */
const maxQueueLength = 10_000;

/** Attempts to begin a transaction while another process locks the file, 20 to 250 ms apart. */
const maxBeginAttempts = 12;

/** The writing half of a store. */
export type Writer = Pick<Store, 'usable' | 'apply' | 'applyReturning'> & {
  /** Resolves when no batch is waiting. */
  drain(): Promise<void>;
  /** Marks the writer unusable when `fault` means that the file has failed permanently. */
  reportFault(fault: StoreFault): void;
};

/** What a batch did: the rows that it changed, none after a conflict, and its answer. */
type Outcome = { changed: number; answer: unknown };

type WaitingBatch = {
  run(): Outcome;
  signal: { readonly aborted: boolean } | undefined;
  resolve(answer: unknown): void;
  reject(fault: Error): void;
};

class Conflict extends Error {}

/**
 * Creates a writer with group commit: all batches of one turn of the event loop share one transaction, with a savepoint
 * each, and one fsync. They are answered after it.
 *
 * @param checkSchema runs at the beginning of each transaction. When it throws, nothing is written.
 */
export function createWriter(
  connection: Database,
  options: GroupCommitOptions,
  checkSchema: () => void = () => {},
): Writer {
  const { clock, defer = setImmediate } = options;
  const prepare = cacheStatements(connection);
  let queue: WaitingBatch[] = [];
  let flushing: Promise<void> | undefined;
  let broken: StoreFault | undefined;
  let isFull = false;

  function setFull(full: boolean): void {
    if (isFull === full) return;
    isFull = full;
    options.onFull?.(isFull);
  }

  /** Runs a write of a batch. Returns the number of changed rows. @throws Conflict */
  function runWrite({ sql, args, rows }: Write): number {
    const { changes } = prepare(sql).run(...args);
    if (rows !== undefined && changes !== rows) throw new Conflict();
    return changes;
  }

  /** Runs a batch so that all of it is written, or nothing. Its answer is false after a conflict. */
  function runBatch(batch: readonly Write[]): Outcome {
    const [first] = batch;
    // SQLite undoes a failing statement by itself, and a conflict of one row has changed nothing.
    const isAtomic = batch.length === 1 && first?.isSingleRow === true;
    let changed = 0;
    if (!isAtomic) prepare('SAVEPOINT batch').run();
    try {
      for (const write of batch) changed += runWrite(write);
      if (!isAtomic) prepare('RELEASE batch').run();
      return { changed, answer: true };
    } catch (fault) {
      if (!connection.inTransaction) throw fault;
      if (!isAtomic) rollbackBatch(prepare, connection);
      if (fault instanceof Conflict || isUniqueViolation(fault)) return { changed: 0, answer: false };
      throw fault;
    }
  }

  /** Runs one statement, which SQLite undoes by itself when it fails. Its answer is its rows. */
  function runReturning({ sql, args }: Write): Outcome {
    const answer = prepare(sql)
      .raw()
      .all(...args);
    return { changed: answer.length, answer };
  }

  function commit(waiting: readonly WaitingBatch[]): void {
    const answers: (() => void)[] = [];
    let changed = 0;
    let metFull = false;
    for (const { run, resolve, reject } of waiting) {
      try {
        const outcome = run();
        changed += outcome.changed;
        answers.push(() => resolve(outcome.answer));
      } catch (thrown) {
        const fault = toStoreFault(thrown);
        // A rejected batch does not affect the others, but nothing is committed to a file that fails.
        if (!connection.inTransaction || fault.kind === 'broken') throw thrown;
        metFull ||= fault.kind === 'full';
        answers.push(() => reject(fault));
      }
    }
    const startedAt = clock.now();
    prepare('COMMIT').run();
    options.onCommit?.(Math.max(0, clock.now() - startedAt));
    for (const answer of answers) answer();
    // A commit without changes needs no space, so it proves nothing.
    if (metFull || changed > 0) setFull(metFull);
  }

  async function begin(): Promise<void> {
    for (let attempts = 1; ; attempts++) {
      try {
        prepare('BEGIN IMMEDIATE').run();
        return;
      } catch (fault) {
        if (toStoreFault(fault).kind !== 'busy' || attempts >= maxBeginAttempts) throw fault;
        await clock.sleep(Math.min(250, 20 * attempts));
      }
    }
  }

  function reportFault(fault: StoreFault): void {
    if (fault.kind !== 'broken' || broken) return;
    broken = fault;
    options.onBroken?.(fault);
  }

  async function flush(): Promise<void> {
    const waiting = queue;
    queue = [];
    try {
      await begin();
      checkSchema();
      commit(waiting.filter(rejectIfAborted));
    } catch (thrown) {
      rollback(connection);
      const fault = connection.open ? toStoreFault(thrown) : rollbackFault(thrown);
      reportFault(fault);
      for (const { reject } of waiting) reject(fault);
      if (fault.kind === 'full') setFull(true);
    }
  }

  function schedule(): void {
    flushing ??= new Promise<void>((resolve) => defer(resolve)).then(flush).finally(() => {
      flushing = undefined;
      if (queue.length > 0) schedule();
    });
  }

  function enqueue(run: () => Outcome, signal?: { readonly aborted: boolean }): Promise<unknown> {
    if (broken) return Promise.reject(broken);
    if (!connection.open) return Promise.reject(new StoreFault('closed', 'the store is closed'));
    if (queue.length >= maxQueueLength)
      return Promise.reject(new StoreFault('busy', 'too many writes are waiting'));
    return new Promise((resolve, reject) => {
      queue.push({ run, signal, resolve, reject });
      schedule();
    });
  }

  return {
    reportFault,
    usable: () => broken === undefined,
    apply: (batch, signal) => enqueue(() => runBatch(batch), signal) as Promise<boolean>,
    applyReturning: (write) => enqueue(() => runReturning(write)) as Promise<SqlValue[][]>,
    async drain(): Promise<void> {
      while (flushing) await flushing;
    },
  };
}

/** Returns false and rejects a batch whose caller no longer waits for it. */
function rejectIfAborted({ signal, reject }: WaitingBatch): boolean {
  if (signal?.aborted) reject(new StoreFault('late', 'the caller stopped waiting for this write'));
  return !signal?.aborted;
}

/** Rolls back the transaction. If that fails, closes the connection; SQLite recovers the file at its next opening. */
function rollback(connection: Database): void {
  try {
    if (connection.inTransaction) connection.exec('ROLLBACK');
  } catch {
    connection.close();
  }
}

/** Rolls back one batch. If that fails, rolls back the whole transaction, so that no part of the batch is committed. */
function rollbackBatch(prepare: (sql: string) => CompiledStatement, connection: Database): void {
  try {
    prepare('ROLLBACK TO batch').run();
    prepare('RELEASE batch').run();
  } catch (fault) {
    rollback(connection);
    throw fault;
  }
}

/** Returns the fault of a transaction that could be neither committed nor rolled back: nothing can be written any more. */
function rollbackFault(thrown: unknown): StoreFault {
  return new StoreFault('broken', `a rollback failed after ${toStoreFault(thrown).message}`, {
    cause: thrown,
  });
}
