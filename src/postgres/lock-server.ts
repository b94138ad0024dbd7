import type pg from 'pg';
import { toUserError, UserError } from '../shared/errors.ts';
import { findLedger } from './cluster.ts';
import { memberLock, writerLock } from './locks.ts';
import { closeClient } from './real-time.ts';
import { createPostgresClient, prepareSession, requireOwnSessions } from './server.ts';

/** A connection that keeps gateways out of a database, until `close`. */
export type ServerLock = { client: pg.Client; close(): Promise<void> };

/**
 * Keeps gateways out of a database.
 *
 * @throws UserError when a gateway uses it, it cannot be reached, or a pooler shares its sessions.
 */
export async function lockServer(url: string): Promise<ServerLock> {
  const client = createPostgresClient(url, { application_name: 'dialtill move' });
  const close = () => closeClient(client);
  try {
    await client.connect();
    await prepareSession(client);
    await client.query('SET idle_session_timeout = 0');
    await requireOwnSessions(client, url);
    for (const lock of [memberLock, writerLock]) {
      const { rows } = await client.query(`SELECT pg_try_advisory_lock(${lock}) AS locked`);
      if (rows[0]?.locked === true) continue;
      throw new UserError('a gateway uses this database. Stop all gateways first.');
    }
    await findLedger(client);
    return { client, close };
  } catch (fault) {
    await close();
    throw toUserError('cannot open the database', fault);
  }
}

/**
 * Notes that the ledger is elsewhere. The note is another one each time, so that a gateway that has had no connection meanwhile does not
 * take it for one that it has seen.
 *
 * @returns the cluster that was noted before; null without a ledger.
 */
export async function noteElsewhere({ client }: ServerLock): Promise<string | null> {
  const { rows } = await client.query('SELECT cluster FROM ledger_file');
  await client.query(`UPDATE ledger_file SET cluster = 'elsewhere ' || gen_random_uuid()`);
  return rows[0]?.cluster ?? null;
}

/** Notes the cluster in which the ledger is written. */
export async function noteCluster({ client }: ServerLock, cluster: string | null): Promise<void> {
  await client.query('UPDATE ledger_file SET cluster = $1', [cluster]);
}
