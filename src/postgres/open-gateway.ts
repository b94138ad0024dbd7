import type { Store } from '../sqlite/store.ts';
import { joinGateways, type Member, type MemberOptions } from './member.ts';
import { createPostgresStore, type PostgresOptions } from './postgres.ts';

/**
 * Opens a store on a PostgreSQL database as one of its gateways, and migrates it.
 *
 * @returns the store, whose `close` also leaves the gateways, and this process as one of them.
 * @throws UserError when a program uses the database alone, it cannot be reached, or it could lose an acknowledged event.
 */
export async function openPostgresGateway(
  options: PostgresOptions & MemberOptions,
): Promise<{ store: Store; member: Member }> {
  const store = await createPostgresStore(options);
  try {
    const member = await joinGateways(options);
    const close = async () => {
      try {
        await store.close();
      } finally {
        await member.leave();
      }
    };
    return { store: { ...store, close }, member };
  } catch (fault) {
    await store.close();
    throw fault;
  }
}
