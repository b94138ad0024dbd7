import type { ClientBase } from 'pg';
import pg from 'pg';
import { UserError } from '../shared/errors.ts';

/**
 * The change of a ledger that a new connection finds: another ledger (`moved`), or tables that a newer version of the program has
 * changed (`upgraded`). The process must write nothing more.
 */
export type LedgerChange = 'moved' | 'upgraded';

type Session = Pick<ClientBase, 'query'>;

// cspell:ignore relkind
/** The schemas with a ledger: first those of the search path, in its order. */
const ledgerSchemas = `SELECT s.nspname AS name, array_position(current_schemas(false), s.nspname) AS place
  FROM pg_class AS t JOIN pg_namespace AS s ON s.oid = t.relnamespace
  WHERE t.relname = 'ledger_file' AND t.relkind = 'r' ORDER BY place NULLS LAST, name`;

/**
 * Limits a connection to the schema of the ledger. Otherwise, tables of a schema with the name of the role, which can be created later,
 * would precede those of `public`. Without a ledger, the schema is the one in which the role creates tables.
 *
 * @returns the schema; null when the role has none.
 * @throws UserError when the ledger is in a schema to which the search path of the role does not lead, or the path leads to two.
 */
export async function findLedger(client: Session): Promise<string | null> {
  const { rows } = await client.query(ledgerSchemas);
  const [ledger, second] = rows;
  if (second && second.place !== null) {
    throw new UserError(
      `there are two ledgers: in the schemas ${pg.escapeIdentifier(ledger.name)} and ${pg.escapeIdentifier(second.name)}. ` +
        'Each may have payments of the other one. Start no gateway before the search_path of the role leads to one of them only: docs/postgresql.md, "Messages".',
    );
  }
  if (ledger && ledger.place === null) {
    const owner = await client.query('SELECT current_user AS role');
    const schema = pg.escapeIdentifier(ledger.name);
    throw new UserError(
      `the ledger is in the schema ${schema}, to which the search_path of the role does not lead, so that another ledger would begin. ` +
        `Lead it there: ALTER ROLE ${pg.escapeIdentifier(owner.rows[0]?.role)} SET search_path = ${schema}.`,
    );
  }
  const schema: string | null =
    ledger?.name ?? (await client.query('SELECT current_schema() AS name')).rows[0]?.name;
  if (schema !== null) await pinSchema(client, schema);
  return schema;
}

/** Limits a connection to one schema. */
export async function pinSchema(client: Session, schema: string): Promise<void> {
  await client.query(`SET search_path = ${pg.escapeIdentifier(schema)}`);
}

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
 * Reads the identity of the ledger of a connection. A ledger records the cluster that writes it. A restored copy has another cluster
 * until its recovery has begun. A move records that the ledger is elsewhere.
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
