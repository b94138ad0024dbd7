import pg from 'pg';
import type { Snapshots } from '../sqlite/store.ts';
import { toSentFault, toUnsentFault } from './fault.ts';
import { readingStore } from './reading-store.ts';
import { createStatements } from './statements.ts';

const connectTimeoutMs = 3_000;

export type SnapshotOptions = {
  url: string;
  /** Connections that this process opens at most. */
  maxConnections: number;
  /** The time of one statement; all of one read together have three times as much. */
  maxStatementMs: number;
};

/** Opens a small pool for reads that each see the database as it is at their beginning. Nothing is connected before the first one. */
export function createPostgresSnapshots({ url, maxConnections, maxStatementMs }: SnapshotOptions): Snapshots {
  const pool = new pg.Pool({
    connectionString: url,
    max: maxConnections,
    connectionTimeoutMillis: connectTimeoutMs,
    application_name: 'dialtill console',
    keepAlive: true,
  });
  // An idle connection that the server ends leaves the pool by itself; without a listener the process would end.
  pool.on('error', () => {});
  const statementOf = createStatements();
  const begin = `BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL statement_timeout = ${maxStatementMs};
    SET LOCAL transaction_timeout = ${3 * maxStatementMs}; SET LOCAL idle_in_transaction_session_timeout = ${maxStatementMs}`;

  async function connect(): Promise<pg.PoolClient> {
    try {
      return await pool.connect();
    } catch (fault) {
      throw toUnsentFault(fault);
    }
  }

  return {
    async read(work) {
      const client = await connect();
      // An error between two statements also reaches the pool, which removes the connection.
      const ignore = () => {};
      client.on('error', ignore);
      let isLost = true;
      try {
        await client.query(begin).catch((fault) => {
          throw toSentFault(fault);
        });
        const result = await work(readingStore(client, statementOf, async () => {}));
        await client.query('ROLLBACK');
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
