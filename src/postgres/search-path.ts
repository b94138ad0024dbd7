import pg, { type ClientBase } from 'pg';
import { UserError } from '../shared/errors.ts';

type Session = Pick<ClientBase, 'query'>;

// cspell:ignore relkind
/** The schemas with a ledger: first those of the search path, in its order. */
const ledgerSchemas = `SELECT s.nspname AS name, array_position(current_schemas(false), s.nspname) AS place
  FROM pg_class AS t JOIN pg_namespace AS s ON s.oid = t.relnamespace
  WHERE t.relname = 'ledger_file' AND t.relkind = 'r' ORDER BY place NULLS LAST, name`;

/**
 * Leads a connection to the schema of the ledger alone, whatever is created in other schemas later: the tables of a schema with the name
 * of the role would come before those of `public`. Without a ledger, it is the schema in which the role creates tables.
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

/** Leads a connection to one schema alone. */
export async function pinSchema(client: Session, schema: string): Promise<void> {
  await client.query(`SET search_path = ${pg.escapeIdentifier(schema)}`);
}
