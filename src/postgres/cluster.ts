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

/** Recognizes the ledger that a process has opened, on each new connection. */
export type LedgerIdentity = {
  /** The identity of the server's data and of the database. */
  readonly cluster: string;
  /** Returns whether a connection leads to the same ledger, and no move has ended its use since. */
  isSame(client: Pick<ClientBase, 'query'>): Promise<boolean>;
};

/**
 * Reads which ledger a connection leads to. A ledger notes the cluster that it is written in. A restored copy notes another one when it is
 * opened, until its recovery has begun; a move notes that the ledger is elsewhere, which no later connection may miss.
 */
export async function readIdentity(client: Pick<ClientBase, 'query'>): Promise<LedgerIdentity> {
  const cluster = await readCluster(client);
  let accepted = await readNote(client);
  return {
    cluster,
    async isSame(other) {
      if ((await readCluster(other)) !== cluster) return false;
      const note = await readNote(other);
      if (note === cluster) accepted = cluster;
      return note === null || note === cluster || note === accepted;
    },
  };
}

/** Returns the cluster that the ledger notes as its own; null when no gateway has written it. */
async function readNote(client: Pick<ClientBase, 'query'>): Promise<string | null> {
  const { rows } = await client.query('SELECT cluster FROM ledger_file');
  return rows[0]?.cluster ?? null;
}
