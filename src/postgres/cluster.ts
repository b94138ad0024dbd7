import type { RunQuery } from '../sqlite/store.ts';

/**
 * Returns the identity of the server's data and of the database: `<system identifier>/<timeline>/<database>`. A backup that is
 * restored has another timeline, a dump that is loaded elsewhere another database, and both are copies of the ledger.
 */
export async function readCluster({ query }: { query: RunQuery }): Promise<string> {
  const row = await query(
    `SELECT (SELECT system_identifier FROM pg_control_system()) || '/'
       || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) || '/' || oid
     FROM pg_database WHERE datname = current_database()`,
    [],
    'row',
  );
  return String((row as [string])[0]);
}
