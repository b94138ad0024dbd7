import type { ClientBase } from 'pg';
import { UserError } from '../shared/errors.ts';
import type { LedgerChange } from './ledger-change.ts';
import { findLedger, pinSchema } from './search-path.ts';

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

/** Recognizes the ledger that a process has opened, on each new connection. */
export type LedgerIdentity = {
  /** The identity of the server's data and of the database. */
  readonly cluster: string;
  /** The schema of its tables. */
  readonly schema: string;
  /** Leads a connection to the schema of the ledger. Returns what has changed since the opening; null for the same ledger. */
  changeOn(client: Pick<ClientBase, 'query'>): Promise<LedgerChange | null>;
};

/**
 * Reads which ledger a connection leads to. A ledger notes the cluster that it is written in. A restored copy notes another one when it is
 * opened, until its recovery has begun; a move notes that the ledger is elsewhere, which no later connection may miss.
 */
export async function readIdentity(client: Pick<ClientBase, 'query'>): Promise<LedgerIdentity> {
  const schema = await findLedger(client);
  if (schema === null) throw new UserError('there is no schema with a ledger in this database.');
  const cluster = await readCluster(client);
  const opened = await readNotes(client);
  let accepted = opened.cluster;
  return {
    cluster,
    schema,
    async changeOn(other) {
      await pinSchema(other, schema);
      if ((await readCluster(other)) !== cluster) return 'moved';
      const noted = await readNotes(other);
      if (noted.cluster === cluster) accepted = cluster;
      if (noted.cluster !== null && noted.cluster !== accepted) return 'moved';
      return noted.version === opened.version ? null : 'upgraded';
    },
  };
}

/** Returns the cluster that the ledger notes as its own, null when no gateway has written it, and its newest migration. */
async function readNotes(
  client: Pick<ClientBase, 'query'>,
): Promise<{ cluster: string | null; version: string | null }> {
  const { rows } = await client.query(
    `SELECT (SELECT cluster FROM ledger_file) AS cluster, (SELECT max(created_at)::text FROM "__drizzle_migrations") AS version`,
  );
  return rows[0];
}
