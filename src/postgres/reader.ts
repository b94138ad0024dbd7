import pg from 'pg';
import { errorMessage, UserError } from '../shared/errors.ts';
import type { Store } from '../sqlite/store.ts';
import { requireCurrentSchema } from './migrate.ts';
import { readingStore } from './reading-store.ts';
import { end } from './real-time.ts';
import { findLedger } from './search-path.ts';
import { connectionOptions } from './server.ts';
import { createStatements } from './statements.ts';

/** An audit reads for as long as it needs, and writes nothing that a limit would protect. */
const snapshot = `BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL statement_timeout = 0;
  SET LOCAL transaction_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0`;

/**
 * Opens a PostgreSQL database for reading, also while gateways write it. All reads see it as it was at the opening.
 *
 * @throws UserError when the database cannot be reached, has no ledger, or is of another version.
 */
export async function createPostgresReader(url: string): Promise<Store> {
  const client = new pg.Client({
    ...connectionOptions,
    connectionString: url,
    application_name: 'dialtill reader',
  });
  // Without a listener, a lost connection would end the process before the query reports it.
  client.on('error', () => {});
  try {
    await client.connect();
    await findLedger(client);
    await requireCurrentSchema(client);
    await client.query(snapshot);
  } catch (fault) {
    await end(client);
    if (fault instanceof UserError) throw fault;
    throw new UserError(`cannot read the database: ${errorMessage(fault)}`, { cause: fault });
  }
  return readingStore(client, createStatements(), () => end(client));
}
