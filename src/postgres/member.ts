import type pg from 'pg';
import { UserError } from '../shared/errors.ts';
import type { ClockSample } from '../shared/following-clock.ts';
import type { Store } from '../sqlite/store.ts';
import { type LedgerChange, readIdentity, type SeenBlock } from './cluster.ts';
import { ledgerSchema } from './compare-catalogue.ts';
import { getLockNumber, memberLock } from './locks.ts';
import { inOrder } from './pipeline.ts';
import { createPostgresStore, type PostgresOptions } from './postgres.ts';
import { closeClient } from './real-time.ts';
import { createPostgresClient, keepalives, settingStatements } from './server.ts';

/** Any number that no other program uses for an advisory lock on this database: "stat" in ASCII. */
const startLock = 0x73_74_61_74;

const pauseChannel = 'dialtill_pause';

/** Time between attempts to connect again, or to get a lock. */
const retryMs = 500;

/** Time between two readings of the clock of the server, of the other gateways and of the newest block. */
const checkMs = 2_000;

/** A statement that takes longer ends the connection, which is opened again. */
const queryTimeoutMs = 5_000;

export type MemberOptions = {
  url: string;
  /** The name of this process. */
  name: string;
  /** Called with a reading of the server's clock. */
  follow(sample: ClockSample): void;
  /** Monotonic milliseconds of this process. */
  monotonic(): number;
  sleep(ms: number, signal: AbortSignal): Promise<void>;
  /** The newest block, for the other connections of this process. */
  seen?: SeenBlock;
  /** Called once when the ledger is not the one that was opened. This process must end. */
  onChanged(change: LedgerChange): void;
  /** Called with the payload of a pause that another gateway reports. */
  onPause(payload: string): void;
};

export type Member = {
  /** The identity of the server's data and of the database. */
  readonly cluster: string;
  count(): number;
  startAlone(work: (isAlone: boolean) => Promise<void>): Promise<void>;
  runAlone<Result>(name: string, work: () => Promise<Result>): Promise<Result | undefined>;
  announcePause(payload: string): void;
  leave(): Promise<void>;
};

/**
 * Joins the gateways that use a database: keeps a connection whose shared lock counts this process, and which reads the clock
 * of the server. A lost connection is opened again, for as long as the server is away.
 *
 * @throws UserError when a program uses the database alone.
 */
export async function joinGateways(options: MemberOptions): Promise<Member> {
  const leaving = new AbortController();
  const first = await connect(options);
  let client: pg.Client | undefined = first;
  let count = 1;
  const identity = await readIdentity(first, options.seen).catch(endAfter(first));
  await check(first).catch(endAfter(first));
  let joining = Promise.resolve();
  watch(first);
  const checking = checkAlways();

  function watch(watched: pg.Client): void {
    watched.on('notification', ({ payload = '' }) => options.onPause(payload));
    watched.once('end', () => {
      client = undefined;
      joining = joinAgain();
    });
  }

  async function joinAgain(): Promise<void> {
    while (!leaving.signal.aborted) {
      const joined = await connect(options).catch(() => undefined);
      const change = joined && (await admit(joined).catch(() => undefined));
      if (joined && change === null && !leaving.signal.aborted) {
        client = joined;
        return watch(joined);
      }
      if (change) options.onChanged(change);
      if (joined) await closeClient(joined);
      if (change) return;
      await options.sleep(retryMs, leaving.signal);
    }
  }

  /** Returns what has changed while there was no connection, and reads the clock: the process may have been suspended. */
  async function admit(joined: pg.Client): Promise<LedgerChange | null> {
    const change = await identity.changeOn(joined);
    if (!change) await check(joined);
    return change;
  }

  async function check(checked: pg.Client): Promise<void> {
    const sentMs = options.monotonic();
    const { rows } = await checked.query('SELECT extract(epoch FROM clock_timestamp()) * 1000 AS at');
    options.follow({ at: Math.floor(Number(rows[0]?.at)), sentMs, receivedMs: options.monotonic() });
    count = await countMembers(checked);
    await identity.seeBlock(checked);
  }

  async function checkAlways(): Promise<void> {
    while (!leaving.signal.aborted) {
      await options.sleep(checkMs, leaving.signal);
      const checked = client;
      // A connection that has ended is opened again by its `end`.
      if (checked && !leaving.signal.aborted) await check(checked).catch(() => closeClient(checked));
    }
  }

  function connected(): pg.Client {
    if (!client) throw new Error('the connection to the database was lost');
    return client;
  }

  return {
    cluster: identity.cluster,
    count: () => count,
    async startAlone(work) {
      const own = connected();
      while (!(await tryLock(own, startLock))) await options.sleep(retryMs, leaving.signal);
      try {
        count = await countMembers(own);
        await work(count === 1);
      } finally {
        await unlock(own, startLock);
      }
    },
    async runAlone(name, work) {
      const own = client;
      const lock = getLockNumber(`job ${name}`);
      if (!own || !(await tryLock(own, lock).catch(() => false))) return undefined;
      try {
        return await work();
      } finally {
        await unlock(own, lock);
      }
    },
    announcePause(payload) {
      // Without the message, the other gateways learn of the pause from their own calls.
      client?.query('SELECT pg_notify($1, $2)', [pauseChannel, payload]).catch(() => {});
    },
    async leave() {
      leaving.abort();
      await Promise.all([checking, joining]);
      if (client) await closeClient(client);
    },
  };
}

/** Ends a connection that cannot be used, and passes its fault on. */
function endAfter(client: pg.Client): (fault: unknown) => Promise<never> {
  return async (fault) => {
    await closeClient(client);
    throw fault;
  };
}

/** Lets the queries of a connection run one after another: a check, a lock and a message can ask at the same time. */
function queryInOrder(client: pg.Client): pg.Client {
  const query: (text: string, values?: unknown[]) => Promise<pg.QueryResult> = client.query.bind(client);
  const run = (text: string, values?: unknown[]) => inOrder(client, () => query(text, values));
  return Object.assign(client, { query: run });
}

/** Returns a connection with the shared lock. @throws when the server is away, or when a program uses it alone. */
async function connect({ url }: MemberOptions): Promise<pg.Client> {
  const client = queryInOrder(
    createPostgresClient(url, { application_name: 'dialtill gateway', query_timeout: queryTimeoutMs }),
  );
  try {
    await client.connect();
    const settings = { ...keepalives, idle_session_timeout: 0, search_path: ledgerSchema };
    await client.query(settingStatements(settings).join('; '));
    const found = await client.query(`SELECT pg_try_advisory_lock_shared(${memberLock}) AS joined`);
    if (found.rows[0]?.joined !== true)
      throw new UserError('another program uses this database alone. Wait until it has ended.');
    await client.query(`LISTEN ${pauseChannel}`);
    return client;
  } catch (fault) {
    await closeClient(client);
    throw fault;
  }
}

async function countMembers(client: pg.Client): Promise<number> {
  const { rows } = await client.query(
    `SELECT count(*)::int AS members FROM pg_locks WHERE locktype = 'advisory' AND classid = 0 AND objid = ${memberLock}
      AND granted AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
  );
  return Number(rows[0]?.members);
}

async function tryLock(client: pg.Client, lock: number | string): Promise<boolean> {
  const { rows } = await client.query('SELECT pg_try_advisory_lock($1::bigint) AS locked', [lock]);
  return rows[0]?.locked === true;
}

/** A lost connection has lost its locks. */
async function unlock(client: pg.Client, lock: number | string): Promise<void> {
  await client.query('SELECT pg_advisory_unlock($1::bigint)', [lock]).catch(() => {});
}

/**
 * Opens a store on a PostgreSQL database as one of its gateways, and migrates it.
 *
 * @returns the store, whose `close` also leaves the gateways, and this process as one of them.
 * @throws UserError when a program uses the database alone, it cannot be reached, or it could lose an acknowledged event.
 */
export async function openPostgresGateway(
  options: PostgresOptions & MemberOptions,
): Promise<{ store: Store; member: Member }> {
  const seen: SeenBlock = {};
  const store = await createPostgresStore({ ...options, seen });
  try {
    const member = await joinGateways({ ...options, seen });
    const close = async () => {
      try {
        await store.close();
      } finally {
        await member.leave();
      }
    };
    return { store: { ...store, close }, member };
  } catch (fault) {
    await store.close();
    throw fault;
  }
}
