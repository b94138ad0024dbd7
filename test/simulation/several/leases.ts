import type { Database } from '../../../src/sqlite/driver.ts';
import type { Image } from './row-images.ts';
import type { Client } from './server.ts';

type LeaseDeps = {
  now(): number;
  violate(rule: string, what: string): void;
  /** Called when another gateway takes what a gateway had claimed. */
  onTaken(from: Client): void;
};

/** A table whose rows are claimed: the columns that count the claims and say when the last one ends. People plan an attempt anew. */
const claimed = {
  job: { key: ['collection_id'], claims: 'fence', until: 'lease_until' },
  inbox: { key: ['merchant_id', 'event_id'], claims: 'attempts', until: 'lease_until' },
  notification: {
    key: ['endpoint_id', 'event_id'],
    claims: 'fence',
    until: 'next_at',
    planned: 'planned_at',
  },
} as const;

/** The clocks of two gateways differ by the error with which they follow the server. */
const clockErrorMs = 20;

/**
 * Checks that the lease of a living gateway ends by itself, or by its own work: another gateway never takes what it works on, and it
 * sends nothing afterwards.
 */
export function createLeaseChecks(connection: Database, { now, violate, onTaken }: LeaseDeps) {
  /** The gateway that claimed each row last. */
  const owners = new Map<string, Client>();
  const claims = new Map<Client, number>();
  const tables = new Map(
    Object.entries(claimed).map(([table, { key, claims, until, ...rest }]) => {
      const info = connection.pragma(`table_info(${table})`) as { name: string }[];
      const at = (name: string) => info.findIndex((column) => column.name === name);
      const planned = 'planned' in rest ? at(rest.planned) : undefined;
      return [table, { key: key.map(at), claims: at(claims), until: at(until), planned }] as const;
    }),
  );
  const ofSession = connection.prepare(
    'SELECT id, lease_until FROM job JOIN collection ON id = collection_id WHERE session_id = ?',
  );

  return {
    /** Checks a committed change of a row. */
    check(client: Client, { table, before, after }: Image): void {
      const columns = tables.get(table);
      if (!columns || !after) return;
      const { key, until, planned } = columns;
      const name = `${table} ${key.map((at) => after[at]).join(' ')}`;
      if (before && Number(after[columns.claims]) <= Number(before[columns.claims])) return;
      if (before && planned !== undefined && after[planned] !== before[planned]) return;
      const owner = owners.get(name);
      const leftMs = Number(before?.[until] ?? 0) - now();
      if (leftMs > 0 && owner && owner !== client && !owner.isOver)
        violate('lease', `${name} is taken from a living gateway ${leftMs} ms before its lease ends`);
      owners.set(name, client);
      if (table === 'job') claims.set(client, (claims.get(client) ?? 0) + 1);
      if (owner && owner !== client) onTaken(owner);
    },
    /** The number of collections that a gateway has claimed. */
    claimsOf: (client: Client) => claims.get(client) ?? 0,
    /** Checks a call that leaves a gateway: it initiates only what it has claimed, and until its lease ends. */
    checkCall(client: Client, url: string): void {
      const [, session] = /\/sessions\/([^/]+)\/initiate$/.exec(new URL(url).pathname) ?? [];
      if (session === undefined) return;
      const row = ofSession.get(decodeURIComponent(session)) as
        | { id: string; lease_until: number }
        | undefined;
      if (!row) return;
      const owner = owners.get(`job ${row.id}`);
      const overMs = now() - row.lease_until;
      if (owner && owner !== client) violate('lease', `${row.id} is initiated by a gateway that has lost it`);
      else if (row.lease_until > 0 && overMs > clockErrorMs)
        violate('lease', `${row.id} is initiated ${overMs} ms after the lease has ended`);
    },
  };
}
