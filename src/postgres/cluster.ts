import type { ClientBase } from 'pg';

/**
 * The change of a ledger that a new connection finds: another ledger (`moved`), an earlier state of it (`rolled_back`), or tables that a
 * newer version of the program has changed (`upgraded`). The process must write nothing more.
 */
export type LedgerChange = 'moved' | 'rolled_back' | 'upgraded';

type Session = Pick<ClientBase, 'query'>;

/**
 * Returns the identity of the server's data and of the database: `<system identifier>/<timeline>/<database>`. A backup that is
 * restored has another timeline, a dump that is loaded elsewhere another database, and both are copies of the ledger.
 */
export async function readCluster(client: Session): Promise<string> {
  const { rows } = await client.query(
    `SELECT (SELECT system_identifier FROM pg_control_system()) || '/'
       || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) || '/' || oid AS cluster
     FROM pg_database WHERE datname = current_database()`,
  );
  return String(rows[0]?.cluster);
}

/** The newest block of the ledger that a process has seen, shared by all its connections. The ledger contains it from then on. */
export type SeenBlock = { newest?: { number: number; hash: string } };

/** Recognizes the ledger that a process has opened, on each new connection. */
export type LedgerIdentity = {
  /** The identity of the server's data and of the database. */
  readonly cluster: string;
  /** Returns what has changed since the opening; null for the same ledger. */
  changeOn(client: Session): Promise<LedgerChange | null>;
  /** Remembers the newest block, which `changeOn` looks for on later connections. */
  seeBlock(client: Session): Promise<void>;
};

/**
 * Reads the identity of the ledger of a connection. A ledger records the cluster that writes it. A restored copy has another cluster
 * until its recovery has begun. A move records that the ledger is elsewhere.
 */
export async function readIdentity(client: Session, seen: SeenBlock = {}): Promise<LedgerIdentity> {
  const cluster = await readCluster(client);
  const opened = await readNotes(client);
  let accepted = opened.cluster;
  return {
    cluster,
    async changeOn(other) {
      if ((await readCluster(other)) !== cluster) return 'moved';
      const hasLedger = await other.query(`SELECT to_regclass('ledger_file') IS NOT NULL AS found`);
      if (!hasLedger.rows[0]?.found) return 'rolled_back';
      const noted = await readNotes(other);
      if (noted.cluster === cluster) accepted = cluster;
      if (!(await contains(other, seen))) {
        // The next start, of whichever gateway, begins a recovery.
        if (noted.cluster === accepted) await noteElsewhere(other);
        return 'rolled_back';
      }
      if (noted.cluster !== null && noted.cluster !== accepted) return 'moved';
      // Another gateway serves the merchants that have moved meanwhile.
      if (noted.moves !== opened.moves) return 'moved';
      return noted.version === opened.version ? null : 'upgraded';
    },
    async seeBlock(other) {
      const { rows } = await other.query('SELECT number, hash FROM seal ORDER BY number DESC LIMIT 1');
      if (rows[0]) seen.newest = { number: Number(rows[0].number), hash: rows[0].hash };
    },
  };
}

/** Returns whether the ledger still has the newest block that was seen. A server that was set back to an earlier disk has not. */
async function contains(client: Session, { newest }: SeenBlock): Promise<boolean> {
  if (!newest) return true;
  const { rows } = await client.query('SELECT hash FROM seal WHERE number = $1', [newest.number]);
  return rows[0]?.hash === newest.hash;
}

/**
 * Notes that the ledger is elsewhere. The note is another one each time, so that a gateway that has had no connection meanwhile does not
 * take it for one that it has seen.
 *
 * @returns the cluster that was noted before; null without a ledger.
 */
export async function noteElsewhere(client: Session): Promise<string | null> {
  const { rows } = await client.query('SELECT cluster FROM ledger_file');
  await client.query(`UPDATE ledger_file SET cluster = 'elsewhere ' || gen_random_uuid()`);
  return rows[0]?.cluster ?? null;
}

type Notes = {
  /** The cluster that the ledger notes as its own; null when no gateway has written it. */
  cluster: string | null;
  /** The newest migration. */
  version: string | null;
  /** The number of the last action that moved a merchant; null without one. */
  moves: string | null;
};

async function readNotes(client: Session): Promise<Notes> {
  const { rows } = await client.query(
    `SELECT (SELECT cluster FROM ledger_file) AS cluster, (SELECT max(created_at)::text FROM "__drizzle_migrations") AS version,
       (SELECT max(seq)::text FROM staff_action WHERE action = 'move') AS moves`,
  );
  return rows[0];
}
