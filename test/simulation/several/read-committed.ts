import { type Database, isUniqueViolation } from '../../../src/sqlite/driver.ts';
import type { Write } from '../../../src/sqlite/store.ts';
import type { Scheduler } from '../scheduler.ts';
import { createRowImages, type Image, undo } from './row-images.ts';

/** A transaction on the server. Others see its rows after its commit. */
export type Transaction = {
  /** Its changes of rows, in order. */
  readonly images: Image[];
  /** Its statements, each with its changes. */
  readonly steps: { readonly write: Write; readonly images: readonly Image[] }[];
  /** Its place in the history, at the earliest. */
  since: number;
  /** It has begun a write, and so may have drawn numbers. */
  isWriter: boolean;
  isOver: boolean;
  waitsFor: Transaction | undefined;
  readonly over: AbortController;
};

/** The server has given a transaction up: two waited for each other, or one for too long. */
export class GivenUp extends Error {
  readonly why: 'deadlock' | 'lock timeout';
  constructor(why: GivenUp['why']) {
    super(why);
    this.why = why;
  }
}

const lockTimeoutMs = 2_000;

const skipsLocked = ({ sql }: Write) => sql.includes('/* skip locked */');

/** How an evaluated statement continues. */
type Evaluated =
  | { kind: 'done'; images: Image[] }
  | { kind: 'blocked'; by: Transaction; images: Image[] }
  | { kind: 'outdated' };

/**
 * A database that several transactions write at once, as PostgreSQL at READ COMMITTED does:
 *
 * - A statement sees what was committed before it began, and the changes of its own transaction.
 * - A changed row is locked until the end of its transaction. A statement that waited for a row sees the newest version of
 *   that row, and of all others the one before its wait.
 * - A unique key that another transaction has inserted is waited for, too.
 * - A statement that skips locked rows leaves out those that another transaction has locked.
 * - Numbers of rows are drawn by the statement and become visible with the commit, in any order.
 *
 * The rows are those of a SQLite file, in which every statement is evaluated and undone; its changes are written at the commit.
 */
export function createReadCommitted(
  connection: Database,
  scheduler: Scheduler,
  onAnomaly: (what: string) => void,
) {
  const images = createRowImages(connection);
  const open = new Set<Transaction>();
  const rowLocks = new Map<string, Transaction>();
  const advisoryLocks = new Map<string, Transaction>();
  /** The changes of all commits since some transaction began, and these transactions in an order in which they are serial. */
  let log: Image[] = [];
  let history: Transaction[] = [];
  let commits = 0;

  function begin(): Transaction {
    const transaction: Transaction = {
      ...{ images: [], steps: [], since: history.length },
      ...{ isWriter: false, isOver: false, waitsFor: undefined, over: new AbortController() },
    };
    open.add(transaction);
    return transaction;
  }

  function end(transaction: Transaction): void {
    if (transaction.isOver) return;
    transaction.isOver = true;
    open.delete(transaction);
    for (const locks of [rowLocks, advisoryLocks])
      for (const [name, owner] of locks) if (owner === transaction) locks.delete(name);
    if (open.size === 0) {
      log = [];
      history = [];
    }
    transaction.over.abort();
  }

  /** Waits for the end of another transaction. @throws GivenUp in a circle, or after the server's limit. */
  async function waitFor(transaction: Transaction, other: Transaction): Promise<void> {
    for (let next: Transaction | undefined = other; next; next = next.waitsFor)
      if (next === transaction) throw new GivenUp('deadlock');
    transaction.waitsFor = other;
    await scheduler.sleep(lockTimeoutMs, other.over.signal);
    transaction.waitsFor = undefined;
    if (!other.isOver) throw new GivenUp('lock timeout');
  }

  /** Returns the transaction whose uncommitted rows have a unique key of these. Call it where they have been applied. */
  function rivalOf(transaction: Transaction, changed: readonly Image[]): Transaction | undefined {
    const names = new Set(changed.map(({ table }) => table));
    for (const other of open) {
      if (other === transaction) continue;
      for (const image of other.images) {
        if (!image.after || !names.has(image.table)) continue;
        connection.exec('SAVEPOINT rival');
        try {
          images.apply(image);
        } catch (fault) {
          if (isUniqueViolation(fault)) return other;
          throw fault;
        } finally {
          connection.exec('ROLLBACK TO rival; RELEASE rival');
        }
      }
    }
    return undefined;
  }

  /**
   * Evaluates a write as of an earlier moment, except for the rows `newest`.
   *
   * @param since the length of the log at that moment.
   */
  function evaluate(
    transaction: Transaction,
    write: Write,
    { since, newest }: { since: number; newest: ReadonlySet<string> },
  ): Evaluated {
    const later = log.slice(since).filter(({ id }) => !newest.has(id));
    connection.exec('BEGIN');
    try {
      try {
        for (const image of later.toReversed()) images.apply(undo(image));
        for (const image of transaction.images) images.apply(image);
      } catch (fault) {
        if (isUniqueViolation(fault) && later.length > 0) return { kind: 'outdated' };
        throw fault;
      }
      const isMine = ({ id }: Image) => [undefined, transaction].includes(rowLocks.get(id));
      const found = images.evaluate(write);
      const changed = skipsLocked(write) ? found.filter(isMine) : found;
      const hidden = new Set(later.map(({ id }) => id));
      if (changed.some(({ id }) => hidden.has(id))) return { kind: 'outdated' };
      for (const { id } of changed) {
        const owner = rowLocks.get(id);
        if (owner && owner !== transaction) return { kind: 'blocked', by: owner, images: changed };
      }
      if (later.length > 0) {
        connection.exec('ROLLBACK; BEGIN');
        for (const image of transaction.images) images.apply(image);
      }
      try {
        for (const image of changed) images.apply(image);
      } catch (fault) {
        if (isUniqueViolation(fault) && later.length > 0) return { kind: 'outdated' };
        throw fault;
      }
      const rival = rivalOf(transaction, changed);
      return rival ? { kind: 'blocked', by: rival, images: changed } : { kind: 'done', images: changed };
    } finally {
      connection.exec('ROLLBACK');
    }
  }

  /** Runs the statements of a transaction alone, and then leaves what it has written. @returns the first one that changes other rows. */
  function runAgain({ steps }: Transaction): string | undefined {
    for (const { write, images: written } of steps) {
      const found = images.evaluate(write, { isRepeat: true });
      const again = skipsLocked(write)
        ? found.filter(({ id }) => written.some((image) => image.id === id))
        : found;
      for (const image of written) images.apply(image);
      if (!images.isSame(written, again)) return write.sql;
    }
    return undefined;
  }

  /** Runs transactions one after the other on the rows that were there before the last `undone` ones of the history. */
  function runInOrder(order: readonly Transaction[], undone: readonly Transaction[]): string | undefined {
    connection.exec('BEGIN');
    try {
      for (const image of undone.flatMap((one) => one.images).toReversed()) images.apply(undo(image));
      for (const one of order) {
        const anomaly = runAgain(one);
        if (anomaly !== undefined) return anomaly;
      }
      return undefined;
    } catch (fault) {
      if (isUniqueViolation(fault)) return `${fault}`;
      throw fault;
    } finally {
      connection.exec('ROLLBACK');
    }
  }

  /** Puts a transaction into the history, where it is serial with the others. @returns a statement of it when there is no such place. */
  function place(transaction: Transaction): string | undefined {
    let anomaly: string | undefined;
    for (let at = history.length; at >= transaction.since; at--) {
      const undone = history.slice(at);
      const isAlone = history.length === transaction.since;
      const found = isAlone ? undefined : runInOrder([transaction, ...undone], undone);
      if (found === undefined) {
        history.splice(at, 0, transaction);
        for (const other of open) other.since = Math.min(other.since, at);
        return undefined;
      }
      anomaly ??= found;
    }
    return anomaly;
  }

  return {
    begin,
    /** Takes a named lock until the end of the transaction. @throws GivenUp */
    async lock(transaction: Transaction, name: string): Promise<void> {
      for (
        let owner = advisoryLocks.get(name);
        owner && owner !== transaction;
        owner = advisoryLocks.get(name)
      )
        await waitFor(transaction, owner);
      if (!transaction.isOver) advisoryLocks.set(name, transaction);
    },
    /**
     * Runs a statement.
     *
     * @returns the number of rows that it changed.
     * @throws GivenUp, and as the statement does.
     */
    async run(transaction: Transaction, write: Write): Promise<number> {
      transaction.isWriter = true;
      let moment = { since: log.length, newest: new Set<string>() };
      while (!transaction.isOver) {
        const evaluated = evaluate(transaction, write, moment);
        if (evaluated.kind === 'outdated') {
          moment = { since: log.length, newest: new Set() };
          continue;
        }
        for (const { id } of evaluated.images) moment.newest.add(id);
        if (evaluated.kind === 'blocked') {
          await waitFor(transaction, evaluated.by);
          continue;
        }
        transaction.images.push(...evaluated.images);
        transaction.steps.push({ write, images: evaluated.images });
        for (const { id } of evaluated.images) rowLocks.set(id, transaction);
        return evaluated.images.length;
      }
      return 0;
    },
    /** Commits, and returns the changes. */
    commit(transaction: Transaction): readonly Image[] {
      if (transaction.isOver) return [];
      if (transaction.images.length > 0) {
        const anomaly = place(transaction);
        if (anomaly !== undefined) onAnomaly(anomaly);
        connection.exec('BEGIN');
        for (const image of transaction.images) images.apply(image);
        connection.exec('COMMIT');
        commits += 1;
        log.push(...transaction.images);
      }
      end(transaction);
      return transaction.images;
    },
    returned: images.returned,
    rollback: end,
    /** The transactions that may have drawn numbers. */
    writers: () => [...open].filter(({ isWriter }) => isWriter),
    /** Ends all transactions without a commit. */
    crash(): void {
      for (const transaction of [...open]) end(transaction);
    },
    commits: () => commits,
  };
}
