import type { Store } from '../sqlite/store.ts';
import { readCluster } from './cluster.ts';
import { type ExclusiveOptions, holdExclusively } from './exclusive.ts';
import { createPostgresStore, type PostgresOptions } from './postgres.ts';

/**
 * Opens a store on a PostgreSQL database as its only gateway, and migrates it.
 *
 * @returns the store, whose `close` gives the database free, and the identity of the server and the database.
 * @throws UserError when another gateway uses the database, it cannot be reached, or it could lose an acknowledged event.
 */
export async function openPostgresGateway(
  options: PostgresOptions & ExclusiveOptions,
): Promise<{ store: Store; cluster: string }> {
  const store = await createPostgresStore(options);
  try {
    const release = await holdExclusively(options);
    const close = async () => {
      await store.close();
      await release();
    };
    return { store: { ...store, close }, cluster: await readCluster(store) };
  } catch (fault) {
    await store.close();
    throw fault;
  }
}
