import pg from 'pg';
import type { Snapshots } from '../sqlite/store.ts';
import { toUnsentFault } from './fault.ts';
import { readingStore } from './reading-store.ts';
import { withinTime } from './real-time.ts';
import { findLedger, pinSchema } from './search-path.ts';
import { connectionOptions } from './server.ts';
import { createStatements } from './statements.ts';

export type SnapshotOptions = {
  url: string;
  /** Connections that this process opens at most. */
  maxConnections: number;
  /** The time of one statement; all of one read together have three times as much. */
  maxStatementMs: number;
  /** The schema of the ledger. Without it, each connection looks for the ledger. */
  schema?: string | undefined;
  /** How much longer than all statements of a read its answers may take, in milliseconds. A connection is lost then. */
  travelMs?: number;
};

/** Opens a small pool for reads that each see the database as it is at their beginning. Nothing is connected before the first one. */
export function createPostgresSnapshots({
  url,
  maxConnections,
  maxStatementMs,
  schema,
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
  const prepared = new WeakSet<pg.PoolClient>();
  const getStatement = createStatements();
  const begin = `BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL statement_timeout = ${maxStatementMs};
    SET LOCAL transaction_timeout = ${3 * maxStatementMs}; SET LOCAL idle_in_transaction_session_timeout = ${maxStatementMs}`;

  async function beginRead(client: pg.PoolClient): Promise<void> {
    if (!prepared.has(client)) await (schema === undefined ? findLedger(client) : pinSchema(client, schema));
    prepared.add(client);
    await client.query(begin);
  }

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
          await beginRead(client).catch(unsent);
          const read = await work(readingStore(client, getStatement, async () => {}));
          await client.query('ROLLBACK');
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
