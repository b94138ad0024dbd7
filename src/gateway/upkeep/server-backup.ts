import type { EpochMs } from '../../shared/clock.ts';
import type { Store, Write } from '../../sqlite/store.ts';
import { moveHorizon } from './horizon-store.ts';

/* When the last verified backup of a ledger on a server was made: a row of the ledger, which all its gateways read. */

const readTime = `SELECT at FROM horizon WHERE name = 'backup'`;

/** Returns when the last verified backup of a ledger on a server was made; undefined when `dialtill backup` made none. */
export async function readServerBackup(store: Store): Promise<EpochMs | undefined> {
  const row = (await store.query(readTime, [], 'row')) as [EpochMs] | undefined;
  return row?.[0];
}

/** Records a verified backup. */
export function serverBackupWrite(at: EpochMs): Write {
  return moveHorizon({ name: 'backup', at });
}

/** Returns the time of the server of a ledger. */
export async function serverTime(store: Store): Promise<EpochMs> {
  const sql = 'SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)';
  const [at] = (await store.query(sql, [], 'row')) as [EpochMs];
  return at;
}
