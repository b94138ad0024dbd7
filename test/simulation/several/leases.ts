import type { Database } from '../../../src/sqlite/driver.ts';
import type { Image } from './row-images.ts';
import type { Client } from './server.ts';

type LeaseDeps = { now(): number; violate(rule: string, what: string): void };

/** Checks that the lease of a living gateway ends by itself, or by its own work: another gateway never takes the collection. */
export function createLeaseChecks(connection: Database, { now, violate }: LeaseDeps) {
  const columns = (connection.pragma('table_info(collection)') as { name: string }[]).map(({ name }) => name);
  const at = (name: string) => columns.indexOf(name);
  const [id, fence, leaseUntil] = [at('id'), at('fence'), at('lease_until')];
  /** The gateway that claimed each collection last. */
  const owners = new Map<string, Client>();

  return {
    /** Checks a committed change of a row. */
    check(client: Client, { table, before, after }: Image): void {
      if (table !== 'collection' || !before || !after || Number(after[fence]) <= Number(before[fence]))
        return;
      const name = String(after[id]);
      const owner = owners.get(name);
      const leftMs = Number(before[leaseUntil]) - now();
      if (leftMs > 0 && owner && owner !== client && !owner.isOver)
        violate('lease', `${name} is taken from a living gateway ${leftMs} ms before its lease ends`);
      owners.set(name, client);
    },
  };
}
