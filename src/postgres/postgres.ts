import { setImmediate as nextTurn } from 'node:timers/promises';
import pg, { type PoolClient } from 'pg';
import { toUserError } from '../shared/errors.ts';
import { traced } from '../shared/tracing.ts';
import {
  createQueryBuilder,
  type RunQuery,
  type SqlValue,
  type Store,
  StoreFault,
  type Write,
} from '../sqlite/store.ts';
import { type LedgerChange, type LedgerIdentity, readIdentity, type SeenBlock } from './cluster.ts';
import { compareCatalogue } from './compare-catalogue.ts';
import { isDeadlock, isLoss, toSentFault, toUnsentFault } from './fault.ts';
import { createLockQueue, createSettled, listLocks, lockStep } from './locks.ts';
import { migratePostgres } from './migrate.ts';
import { type PipelineStep, sendPipeline } from './pipeline.ts';
import { timeLimit, withinTime } from './real-time.ts';
import {
  connectionOptions,
  isServing,
  prepareSession,
  requireOwnSessions,
  requireSafeServer,
  shareDatabase,
} from './server.ts';
import { createStatements } from './statements.ts';

const storeSpan = { attributes: { 'db.system.name': 'postgresql' }, kind: 'client' } as const;

/** Statements that may wait for a connection. More means that the server is too slow for the load. */
const maxWaiting = 10_000;

/** A server that restarts is tried again after this time, so often, and for so long when attempts are slow. */
const reconnectMs = 100;
const maxReconnects = 25;
const maxReconnectMs = 2_500;

/** Longer than the server lets a transaction last. */
const answerTimeMs = 12_000;

/** Times that a batch is sent again after the server gave it up in favour of another one. */
const maxDeadlocks = 5;

/** Takes the limits of the server away from the pipeline that it begins. What a lost gateway has locked is free after ten seconds. */
const unlimitedStep: PipelineStep = {
  statement: {
    name: '',
    text: `SELECT set_config('statement_timeout', '0', true), set_config('transaction_timeout', '0', true),
      set_config('lock_timeout', '15s', true)`,
    types: [],
  },
  values: [],
};

export type PostgresOptions = {
  /** A connection URL. `sslmode` and `sslrootcert` in it select TLS. */
  url: string;
  /** Connections that this process opens at most. */
  maxConnections?: number;
  /** Called with `true` when a write found no space on the server, and with `false` when the next write succeeded. */
  onFull?: (isFull: boolean) => void;
  /** A connection is lost when it does not answer for so long, in milliseconds, and the server does not work for it. */
  maxAnswerMs?: number;
  /** Called when the ledger is not the one that was opened. Nothing is written to it. */
  onChanged?: (change: LedgerChange) => void;
  /** The newest block that this process has seen. */
  seen?: SeenBlock;
  /** Called with the tables whose sequence was behind their rows, and continues after them now. */
  onBehind?: (tables: readonly string[]) => void;
  /** Called with the schema of an earlier version, from which the ledger was moved. */
  onSchemaMoved?: (from: string) => void;
  /** Lets a statement wait for a server that restarts. Without it, the statement fails at once. */
  sleep?: (ms: number, signal?: AbortSignal) => Promise<void>;
};

/**
 * Opens a store on a PostgreSQL database and migrates it. Other processes may use the same database.
 *
 * @throws UserError when the database cannot be reached, is of a newer version, or could lose an acknowledged event.
 */
export async function createPostgresStore(options: PostgresOptions): Promise<Store> {
  const pool = createPool(options);
  let identity: LedgerIdentity;
  try {
    const client = await pool.connect();
    try {
      await prepareSession(client);
      await requireSafeServer(client);
      await requireOwnSessions(client, options.url);
      const { behind, movedFrom } = await migratePostgres(client);
      if (behind.length > 0) options.onBehind?.(behind);
      if (movedFrom !== null) options.onSchemaMoved?.(movedFrom);
      identity = await readIdentity(client, options.seen);
      client.release();
    } catch (fault) {
      client.release(true);
      throw fault;
    }
  } catch (fault) {
    await pool.end();
    throw toUserError('cannot open the database', fault);
  }
  return createStore(pool, identity, options);
}

function createPool({ url, maxConnections = 10 }: PostgresOptions): pg.Pool {
  const pool = new pg.Pool({
    ...connectionOptions,
    connectionString: url,
    max: maxConnections,
    application_name: 'dialtill',
  });
  // An idle connection that the server ends leaves the pool by itself; without a listener the process would end.
  pool.on('error', () => {});
  // The pool listens only to idle connections. The statements of the others report that they have ended.
  pool.on('connect', (client) => void client.on('error', () => {}));
  return pool;
}

function createStore(
  pool: pg.Pool,
  identity: LedgerIdentity,
  { url, onFull = () => {}, onChanged = () => {}, sleep, maxAnswerMs = answerTimeMs }: PostgresOptions,
): Store {
  const getStatement = createStatements();
  /** The process of the server that serves each connection that is prepared. */
  const servedBy = new WeakMap<PoolClient, number>();
  const inFlight = new Set<Promise<unknown>>();
  const inTurn = createLockQueue();
  let isClosed = false;
  let isFull = false;

  function setFull(full: boolean): void {
    if (isFull === full) return;
    isFull = full;
    onFull(full);
  }

  /** @throws StoreFault `busy` when no connection can be opened in time, `late` when `signal` aborted meanwhile. */
  async function connect(signal?: { readonly aborted: boolean }): Promise<PoolClient> {
    if (isClosed) throw new StoreFault('closed', 'the store is closed');
    if (pool.waitingCount >= maxWaiting) throw new StoreFault('busy', 'too many statements are waiting');
    const isLate = timeLimit(maxReconnectMs);
    for (let attempts = 1; ; attempts++) {
      try {
        const client = await takeClient();
        if (!signal?.aborted) return client;
        client.release();
      } catch (fault) {
        if (!sleep || isLate() || attempts > maxReconnects || isClosed) throw toUnsentFault(fault);
        await sleep(reconnectMs);
      }
      if (signal?.aborted) throw new StoreFault('late', 'the caller stopped waiting for this write');
    }
  }

  async function takeClient(): Promise<PoolClient> {
    const client = await pool.connect();
    try {
      if (!servedBy.has(client))
        servedBy.set(client, await withinTime(client, { maxMs: maxAnswerMs }, () => prepareClient(client)));
      return client;
    } catch (fault) {
      client.release(true);
      throw fault;
    }
  }

  async function prepareClient(client: PoolClient): Promise<number> {
    await prepareSession(client);
    const pid = await shareDatabase(client);
    const change = await identity.changeOn(client);
    if (!change) return pid;
    onChanged(change);
    throw new Error(`the ledger is not the one that was opened: ${change}`);
  }

  /** Sends one pipeline. A connection whose pipeline failed for an unknown reason is closed, as is one that does not answer. */
  async function send(
    steps: readonly PipelineStep[],
    signal?: { readonly aborted: boolean },
  ): Promise<unknown[][]> {
    const client = await connect(signal);
    const pid = servedBy.get(client) ?? 0;
    let isLost = false;
    try {
      const limit = { maxMs: maxAnswerMs, isWorking: () => isServing(url, pid) };
      return await withinTime(client, limit, () => sendPipeline(client, steps));
    } catch (fault) {
      isLost = toSentFault(fault).kind === 'unknown';
      throw fault;
    } finally {
      client.release(isLost);
    }
  }

  async function write(batch: readonly Write[], signal?: { readonly aborted: boolean }): Promise<boolean> {
    const guard = batch.length === 1 ? 'alone' : 'in a batch';
    const steps = batch.map(({ sql, args, rows }): PipelineStep => {
      if (rows === undefined) return { statement: getStatement(sql, args), values: args };
      return { statement: getStatement(sql, args, guard), values: [...args, rows] };
    });
    const locks = listLocks(batch);
    if (locks.length > 0) steps.unshift(lockStep(locks));
    if (batch.some(({ isUnbounded }) => isUnbounded)) steps.unshift(unlimitedStep);
    const rows = await inTurn(locks, () => sendWrites(steps, signal));
    const isLost = guard === 'alone' && batch[0]?.rows !== undefined && rows?.[0]?.[0] === 0;
    return rows !== undefined && !isLost;
  }

  async function writeReturning({ sql, args }: Write): Promise<SqlValue[][]> {
    const rows = await sendWrites([{ statement: getStatement(sql, args), values: args }]);
    return (rows ?? []) as SqlValue[][];
  }

  /** Returns the rows of the last statement; `undefined` after a conflict. */
  async function sendWrites(
    steps: readonly PipelineStep[],
    signal?: { readonly aborted: boolean },
  ): Promise<unknown[][] | undefined> {
    for (let attempts = 1; ; attempts++) {
      try {
        const rows = steps.length > 0 ? await send(steps, signal) : [];
        setFull(false);
        return rows;
      } catch (thrown) {
        if (thrown instanceof StoreFault) throw thrown;
        if (isLoss(thrown)) return undefined;
        if (isDeadlock(thrown) && attempts < maxDeadlocks) {
          await nextTurn();
          continue;
        }
        const fault = toSentFault(thrown);
        if (fault.kind === 'full') setFull(true);
        throw fault;
      }
    }
  }

  function track<Result>(work: Promise<Result>): Promise<Result> {
    const settled: Promise<unknown> = work.then(
      () => inFlight.delete(settled),
      () => inFlight.delete(settled),
    );
    inFlight.add(settled);
    return work;
  }

  const query: RunQuery = async (sql, args, result) => {
    if (!/^[\s(]*(select|with|values)\b/i.test(sql))
      throw new StoreFault('refused', 'a write must use apply');
    try {
      const rows = await track(send([{ statement: getStatement(sql, args), values: args }]));
      return result === 'row' ? rows[0] : rows;
    } catch (thrown) {
      if (thrown instanceof StoreFault) throw thrown;
      const fault = toSentFault(thrown);
      // A read has no outcome that could be unknown.
      throw fault.kind === 'unknown' ? new StoreFault('busy', fault.message, { cause: thrown }) : fault;
    }
  };

  return {
    engine: 'postgres',
    query,
    read: createQueryBuilder(query),
    apply: (batch, signal) => traced('apply', storeSpan, () => track(write(batch, signal))),
    applyReturning: (one) => traced('apply', storeSpan, () => track(writeReturning(one))),
    settled: createSettled(query),
    ledgerDifferences: () => compareCatalogue(query),
    usable: () => true,
    async close() {
      if (isClosed) return;
      while (inFlight.size > 0) await Promise.all(inFlight);
      isClosed = true;
      await pool.end();
    },
  };
}
