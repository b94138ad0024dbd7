import pg, { type ClientBase } from 'pg';
import { toUserError } from '../shared/errors.ts';
import { createReadingStore, type RunQuery, type Snapshots, type Store } from '../sqlite/store.ts';
import { compareCatalogue, ledgerSchema } from './compare-catalogue.ts';
import { toSentFault, toUnsentFault } from './fault.ts';
import { requireCurrentPostgresSchema } from './migrate.ts';
import { inOrder, sendPipeline } from './pipeline.ts';
import { closeClient, withinTime } from './real-time.ts';
import { connectionOptions, createPostgresClient, requireVersion } from './server.ts';
import { createStatements } from './statements.ts';

/** Returns the store of a connection whose transaction only reads. Its queries run one after another. */
export function postgresReadingStore(
  client: Pick<ClientBase, 'query'>,
  statementOf = createStatements(),
  close = async () => {},
): Store {
  const query: RunQuery = async (sql, args, result) => {
    try {
      const step = { statement: statementOf(sql, args), values: args };
      const rows = await inOrder(client, () => sendPipeline(client, [step]));
      return result === 'row' ? rows[0] : rows;
    } catch (fault) {
      throw toSentFault(fault);
    }
  };
  return createReadingStore({
    engine: 'postgres',
    query,
    ledgerDifferences: () => compareCatalogue(query),
    close,
  });
}

/** An audit reads for as long as it needs, and writes nothing that a limit would protect. */
const snapshot = `BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL statement_timeout = 0;
  SET LOCAL transaction_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0; SET LOCAL search_path = ${ledgerSchema}`;

/**
 * Opens a PostgreSQL database for reading, also while gateways write it. All reads see it as it was at the opening.
 *
 * @throws UserError when the database cannot be reached, has no ledger, or is of another version.
 */
export async function createPostgresReader(url: string): Promise<Store> {
  const client = createPostgresClient(url, { application_name: 'dialtill reader' });
  try {
    await client.connect();
    await requireVersion(client);
    await client.query(snapshot);
    await requireCurrentPostgresSchema(client);
  } catch (fault) {
    await closeClient(client);
    throw toUserError('cannot read the database', fault);
  }
  return postgresReadingStore(client, createStatements(), () => closeClient(client));
}

export type SnapshotOptions = {
  url: string;
  /** Connections that this process opens at most. */
  maxConnections: number;
  /** The time of one statement; all of one read together have three times as much. */
  maxStatementMs: number;
  /** How much longer than all statements of a read its answers may take, in milliseconds. A connection is lost then. */
  travelMs?: number;
};

/** Opens a small pool for reads that each see the database as it is at their beginning. Nothing is connected before the first one. */
export function createPostgresSnapshots({
  url,
  maxConnections,
  maxStatementMs,
  travelMs = 2_000,
}: SnapshotOptions): Snapshots {
  const pool = new pg.Pool({
    ...connectionOptions,
    connectionString: url,
    max: maxConnections,
    application_name: 'dialtill console',
  });
  // An idle connection that the server ends leaves the pool by itself; without a listener the process would end.
  pool.on('error', () => {});
  const getStatement = createStatements();
  const begin = `BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL statement_timeout = ${maxStatementMs};
    SET LOCAL transaction_timeout = ${3 * maxStatementMs}; SET LOCAL idle_in_transaction_session_timeout = ${maxStatementMs};
    SET LOCAL search_path = ${ledgerSchema}`;

  const unsent = (fault: unknown) => {
    throw toUnsentFault(fault);
  };

  return {
    async read(work) {
      const client = await pool.connect().catch(unsent);
      // An error between two statements also reaches the pool, which removes the connection.
      const ignore = () => {};
      client.on('error', ignore);
      let isLost = true;
      try {
        const result = await withinTime(client, { maxMs: 3 * maxStatementMs + travelMs }, async () => {
          await client.query(begin).catch(unsent);
          const read = await work(postgresReadingStore(client, getStatement));
          await inOrder(client, () => client.query('ROLLBACK'));
          return read;
        });
        isLost = false;
        return result;
      } finally {
        client.off('error', ignore);
        // After a failed read, the state of its connection is not known.
        client.release(isLost);
      }
    },
    close: () => pool.end(),
  };
}
