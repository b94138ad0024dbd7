import { and, asc, eq, lte, sql } from 'drizzle-orm';
import type { EpochMs } from '../../shared/clock.ts';
import { build, insertRow, parameter, prepareQuery, prepareWrite } from '../../sqlite/statement.ts';
import type { Store, Write } from '../../sqlite/store.ts';
import { idempotency } from '../schema.ts';
import type { Owner } from '../session/session-store.ts';

type SavedResponseRow = typeof idempotency.$inferSelect;

export type IdempotencyStore = ReturnType<typeof idempotencyStore>;

const { placeholder } = sql;

const thisKey = and(
  eq(idempotency.merchantId, placeholder('merchantId')),
  eq(idempotency.livemode, placeholder('livemode')),
  eq(idempotency.key, placeholder('key')),
);

const find = prepareQuery(build.select().from(idempotency).where(thisKey));

/** The order of the times at which responses were saved. A row that replaces an expired one is a new row. */
const savingOrder = sql`rowid`;

const oldest = prepareQuery(
  build.select({ at: idempotency.createdAt }).from(idempotency).orderBy(asc(savingOrder)).limit(1),
);

const deleteExpired = prepareWrite<Owner & { key: string; before: EpochMs }>(
  build.delete(idempotency).where(and(thisKey, lte(idempotency.createdAt, placeholder('before')))),
);

const insert = insertRow(idempotency);

const replace = prepareWrite<Owner & { key: string; status: number; body: string }>(
  build
    .update(idempotency)
    .set({ status: parameter('status'), body: parameter('body') })
    .where(thisKey),
  1,
);

export function idempotencyStore(store: Store) {
  return {
    /** Finds the response of a key, also when it has expired. */
    find: (owner: Owner, key: string): Promise<SavedResponseRow | undefined> =>
      find.get(store, { ...owner, key }),
    oldest: async (): Promise<EpochMs | undefined> => (await oldest.get(store))?.at,
    /** Saves a response under a key that has none. */
    insert: (row: SavedResponseRow): Write => insert(row),
    /** Deletes the response of a key if it was created up to `before`. */
    deleteExpired: (owner: Owner, key: string, before: EpochMs): Write =>
      deleteExpired({ merchantId: owner.merchantId, livemode: owner.livemode, key, before }),
    replace: (owner: Owner, key: string, status: number, body: string): Write =>
      replace({ ...owner, key, status, body }),
    prune: (before: EpochMs, limit: number): Write => ({
      sql: `DELETE FROM idempotency WHERE created_at <= ? AND rowid IN (
              SELECT rowid FROM idempotency ORDER BY rowid LIMIT ?)`,
      args: [before, limit],
    }),
  };
}
