import { ne, or, sql } from 'drizzle-orm';
import { build, prepareQuery, prepareWrite } from '../../sqlite/statement.ts';
import type { Store } from '../../sqlite/store.ts';
import { ledgerFile } from '../database/schema.ts';

const readCluster = prepareQuery(build.select({ cluster: ledgerFile.cluster }).from(ledgerFile));

const { placeholder } = sql;
const setCluster = prepareWrite<{ cluster: string }>(
  build
    .update(ledgerFile)
    .set({ cluster: sql`${placeholder('cluster')}` })
    .where(or(sql`${ledgerFile.cluster} IS NULL`, ne(ledgerFile.cluster, placeholder('cluster')))),
);

export type ClusterStore = ReturnType<typeof clusterStore>;

/** The server and database that a ledger records as its own. */
export function clusterStore(store: Store) {
  return {
    cluster: async (): Promise<string | null> => (await readCluster.get(store))?.cluster ?? null,
    setCluster: (cluster: string): Promise<boolean> => store.apply([setCluster({ cluster })]),
  };
}
