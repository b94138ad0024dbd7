import type { ClientBase } from 'pg';

/**
 * Returns the identity of the server's data and of the database: `<system identifier>/<timeline>/<database>`. A backup that is
 * restored has another timeline, a dump that is loaded elsewhere another database, and both are copies of the ledger.
 */
export async function readCluster(client: Pick<ClientBase, 'query'>): Promise<string> {
  const { rows } = await client.query(
    `SELECT (SELECT system_identifier FROM pg_control_system()) || '/'
       || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) || '/' || oid AS cluster
     FROM pg_database WHERE datname = current_database()`,
  );
  return String(rows[0]?.cluster);
}
