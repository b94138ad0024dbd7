import pg, { DatabaseError } from 'pg';
import { UserError } from '../shared/errors.ts';
import { StoreFault, type Write } from '../sqlite/store.ts';
import { ledgerSchema } from './compare-catalogue.ts';
import { writerLock } from './locks.ts';
import { closeClient } from './real-time.ts';

/** The part of a connection that runs one statement. */
type Session = { query(sql: string): Promise<{ rows: Record<string, unknown>[] }> };

/** The first release with `transaction_timeout`, which alone ends a pipeline whose rest never arrives. */
const minVersion = 170_000;

/**
 * With these settings, a server notices within about 25 s that the machine of a connection is gone, and releases its locks. The last
 * setting limits the wait for a confirmation of sent bytes, in milliseconds.
 */
export const keepalives = {
  tcp_keepalives_idle: 10,
  tcp_keepalives_interval: 5,
  tcp_keepalives_count: 3,
  tcp_user_timeout: 25_000,
};

/** Every connection is opened, or given up, in this time, and notices within about 20 s that the machine of the server is gone. */
export const connectionOptions = {
  connectionTimeoutMillis: 3_000,
  keepAlive: true,
  keepAliveInitialDelayMillis: 10_000,
};

/** Creates a connection that is not open yet. */
export function createPostgresClient(connectionString: string, options: pg.ClientConfig = {}): pg.Client {
  const client = new pg.Client({ ...connectionOptions, connectionString, ...options });
  // Without a listener, a connection that is lost between two statements would end the process. The next statement reports it.
  client.on('error', () => {});
  return client;
}

/** Limits of each session, in milliseconds. */
const limits = {
  statement_timeout: 5_000,
  lock_timeout: 2_000,
  transaction_timeout: 10_000,
  idle_in_transaction_session_timeout: 5_000,
};

/** Returns the statements that give a session these settings. */
export function settingStatements(settings: Readonly<Record<string, number | string>>): string[] {
  return Object.entries(settings).map(([name, value]) => `SET ${name} = ${value}`);
}

/** Rejects a server that does not know the limits of sessions. @throws UserError for a release before 17. */
export async function requireVersion(client: Session): Promise<void> {
  const { rows } = await client.query(
    `SELECT current_setting('server_version_num')::int AS version, current_setting('server_version') AS name`,
  );
  const { version, name } = rows[0] ?? {};
  if (!(Number(version) >= minVersion))
    throw new UserError(`the database server is PostgreSQL ${name}; dialtill needs version 17 or newer.`);
}

/**
 * Sets the schema and the limits of a new session. They are statements and not startup parameters, which connection poolers reject.
 *
 * @throws UserError for a release before 17.
 */
export async function prepareSession(client: Session): Promise<void> {
  await requireVersion(client);
  await client.query(
    [
      ...settingStatements({ ...limits, ...keepalives, search_path: ledgerSchema }),
      `SET default_transaction_isolation = 'read committed'`,
      // A server may be set to answer before a commit is on its disk, or on the standbys that must agree.
      `SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') IN ('off', 'local')`,
    ].join('; '),
  );
}

/**
 * Shares the database with the other connections that write.
 *
 * @returns the process of the server that serves the session.
 * @throws StoreFault `busy` while a program uses the database alone, such as a move to another one.
 */
export async function shareDatabase(client: Session): Promise<number> {
  const { rows } = await client.query(
    `SELECT pg_try_advisory_lock_shared(${writerLock}) AS shared, pg_backend_pid() AS pid`,
  );
  if (rows[0]?.shared !== true) throw new StoreFault('busy', 'another program uses this database alone');
  return Number(rows[0].pid);
}

/**
 * Returns whether a process of the server still works for the session that it serves, as seen by another connection. A commit that waits
 * for a standby or for the disk has no limit of time, and the process ends with it, not with its connection.
 */
export async function isServing(connectionString: string, pid: number): Promise<boolean> {
  const client = createPostgresClient(connectionString, { query_timeout: 3_000 });
  try {
    await client.connect();
    const found = await client.query(
      `SELECT 1 FROM pg_stat_activity WHERE pid = ${pid} AND state = 'active'`,
    );
    return found.rows.length > 0;
  } catch (fault) {
    // A server that answers, and has no connection to spare, may still work.
    return fault instanceof DatabaseError;
  } finally {
    await closeClient(client);
  }
}

/**
 * Rejects a server on which an acknowledged event could be lost.
 *
 * @throws UserError for `fsync` or `full_page_writes` that are off, for a standby, and for a role that
 *   may not create the tables of a ledger.
 */
export async function requireSafeServer(client: Session): Promise<void> {
  const found = await client.query(
    `SELECT current_setting('fsync') AS fsync, current_setting('full_page_writes') AS pages, pg_is_in_recovery() AS standby,
      current_user AS role, coalesce(has_schema_privilege(to_regnamespace('${ledgerSchema}'), 'CREATE'),
        has_database_privilege(current_database(), 'CREATE')) AS creates`,
  );
  const { fsync, pages, standby, role, creates } = found.rows[0] ?? {};
  if (fsync !== 'on' || pages !== 'on') {
    throw new UserError(
      `the database server runs with fsync=${fsync} and full_page_writes=${pages}: a power cut could lose an acknowledged event. Set both to on.`,
    );
  }
  if (standby)
    throw new UserError('the database server is a standby, which cannot be written. Connect to the primary.');
  if (!creates) {
    throw new UserError(
      `the role ${role} may not create tables in the schema ${ledgerSchema} of this database. Run as the owner of the database: ` +
        `CREATE SCHEMA IF NOT EXISTS ${ledgerSchema}; GRANT ALL ON SCHEMA ${ledgerSchema} TO ${role}.`,
    );
  }
}

/** Statements of each of two sessions: a pooler that is idle gives both the same process at the first one. */
const comparedRounds = 3;

/**
 * Rejects a pooler that gives a session to others between its transactions: locks and limits of a session would be those of
 * other programs.
 *
 * @throws UserError when one process of the server answers two open sessions, or several processes answer one.
 */
export async function requireOwnSession(one: Session, other: Session): Promise<void> {
  const readProcess = async (session: Session) =>
    (await session.query('SELECT pg_backend_pid() AS pid')).rows[0]?.pid;
  const [first, second] = [await readProcess(one), await readProcess(other)];
  for (let round = 1; round <= comparedRounds; round++) {
    if (first !== second && (await readProcess(one)) === first && (await readProcess(other)) === second)
      continue;
    throw new UserError(
      'a pooler shares the connections to the database between transactions, as PgBouncer does with pool_mode = transaction: ' +
        'the locks of a gateway would not hold. Connect to the server directly, or set pool_mode = session.',
    );
  }
}

/** Compares the session of a client with that of another connection. @throws UserError as `requireOwnSession` does. */
export async function requireOwnSessions(client: Session, connectionString: string): Promise<void> {
  const other = createPostgresClient(connectionString);
  await other.connect();
  try {
    await requireOwnSession(client, other);
  } finally {
    await closeClient(other);
  }
}

/**
 * Writes that need about a megabyte of new space, and leave nothing. Rows of a ledger can fit into pages that the server has
 * already, also when its disk is full. The table is not a temporary one, for which a role can lack the right.
 */
export const spaceProbe: readonly Write[] = [
  {
    sql: `CREATE TABLE space_probe AS SELECT repeat('0', 2000) AS filler FROM generate_series(1, 500)`,
    args: [],
    locks: ['space probe'],
  },
  { sql: 'DROP TABLE space_probe', args: [] },
];
