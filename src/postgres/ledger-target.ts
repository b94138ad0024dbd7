import type pg from 'pg';
import type { ClientBase } from 'pg';
import { toUserError, UserError } from '../shared/errors.ts';
import type { AppendRows, LedgerTarget, TableShape } from '../sqlite/ledger-target.ts';
import type { SqlValue } from '../sqlite/store.ts';
import { readCluster } from './cluster.ts';
import { toSentFault } from './fault.ts';
import { memberLock, writerLock } from './locks.ts';
import { migratePostgres } from './migrate.ts';
import { postgresReadingStore } from './reader.ts';
import { closeClient } from './real-time.ts';
import { createPostgresClient, prepareSession, requireOwnSessions, requireSafeServer } from './server.ts';

/** A connection that keeps gateways out of a database, until `close`. */
type ServerLock = {
  client: pg.Client;
  /** The identity of the server's data and of the database. */
  cluster: string;
  close(): Promise<void>;
};

/**
 * Keeps gateways out of a database.
 *
 * @throws UserError when a gateway uses it, it cannot be reached, or a pooler shares its sessions.
 */
export async function lockServer(url: string): Promise<ServerLock> {
  const client = createPostgresClient(url, { application_name: 'dialtill move' });
  const close = () => closeClient(client);
  try {
    await client.connect();
    await prepareSession(client);
    await client.query('SET idle_session_timeout = 0');
    await requireOwnSessions(client, url);
    for (const lock of [memberLock, writerLock]) {
      const { rows } = await client.query(`SELECT pg_try_advisory_lock(${lock}) AS locked`);
      if (rows[0]?.locked === true) continue;
      throw new UserError(
        'a gateway uses this database, or the command names it twice. Stop all gateways first.',
      );
    }
    return { client, cluster: await readCluster(client), close };
  } catch (fault) {
    await close();
    throw toUserError('cannot open the database', fault);
  }
}

/** Notes the cluster in which the ledger is written. */
export async function noteCluster({ client }: ServerLock, cluster: string | null): Promise<void> {
  await client.query('UPDATE ledger_file SET cluster = $1', [cluster]);
}

/** All rows are one transaction, which lasts for as long as the move. */
const begin = `BEGIN; SET LOCAL statement_timeout = 0; SET LOCAL transaction_timeout = 0;
  SET LOCAL idle_in_transaction_session_timeout = 0`;

/**
 * Opens a database without rows for those of a ledger, and keeps gateways out. The rows are visible with `commit`.
 *
 * @param tables all tables of the ledger.
 * @throws UserError when the database has rows, a gateway uses it, or it could lose an acknowledged event.
 */
export async function openServerTarget(url: string, tables: readonly TableShape[]): Promise<LedgerTarget> {
  const { client, cluster, close } = await lockServer(url);
  try {
    await prepareSession(client);
    await requireSafeServer(client);
    await migratePostgres(client);
    await client.query(begin);
    await requireEmpty(client, tables);
    const store = postgresReadingStore(client);
    return {
      cluster,
      insert: (table, rows) => insertRows(client, table, rows),
      async continueNumbers(table, last) {
        if (last > 0) await continueAfter(client, table, String(last));
      },
      read: (work) => work(store),
      async commit() {
        try {
          await client.query('COMMIT');
        } catch (fault) {
          throw toSentFault(fault);
        }
      },
      close,
    };
  } catch (fault) {
    await close();
    throw fault;
  }
}

/** Returns the function that adds rows to a database, which the caller has locked. */
export function appendToServer({ client }: ServerLock): AppendRows {
  return async (table, rows) => {
    await client.query('BEGIN');
    await insertRows(client, table, rows);
    await continueAfter(client, table, `(SELECT max("${table.numbered}") FROM "${table.name}")`);
    await client.query('COMMIT');
  };
}

/** @param last the last number, as SQL. */
async function continueAfter(
  client: ClientBase,
  { name, numbered }: TableShape,
  last: string,
): Promise<void> {
  await client.query(`SELECT setval(pg_get_serial_sequence('"${name}"', '${numbered}'), ${last})`);
}

async function requireEmpty(client: ClientBase, tables: readonly TableShape[]): Promise<void> {
  for (const { name } of tables) {
    const { rows } = await client.query(`SELECT EXISTS (SELECT 1 FROM "${name}") AS found`);
    if (rows[0]?.found === true)
      throw new UserError('the database to move to has a ledger already. Create an empty database.');
  }
}

/** Inserts rows with one list of values for each column. */
async function insertRows(
  client: ClientBase,
  { name, columns }: TableShape,
  rows: readonly (readonly SqlValue[])[],
): Promise<void> {
  const names = columns.map((column) => `"${column.name}"`).join(', ');
  const lists = columns.map(({ isNumber }, at) => `$${at + 1}::${isNumber ? 'bigint' : 'text'}[]`).join(', ');
  await client.query(
    `INSERT INTO "${name}" (${names}) OVERRIDING SYSTEM VALUE SELECT * FROM unnest(${lists})`,
    columns.map((_, at) => rows.map((row) => row[at])),
  );
}
