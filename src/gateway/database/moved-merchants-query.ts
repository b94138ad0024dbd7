import { asc, eq, sql } from 'drizzle-orm';
import { UserError } from '../../shared/errors.ts';
import { build, prepareQuery } from '../../sqlite/statement.ts';
import type { Store } from '../../sqlite/store.ts';
import { staffAction } from './schema.ts';

/** The action that records, in the chain of the ledger, that a merchant is in another database, or here again. */
export const moveAction = 'move';

/** What the action records: the name of the database; null for this one. */
export type MoveDetail = { to: string | null };

const moves = prepareQuery(
  build
    .select({ merchantId: staffAction.subjectId, to: sql<string | null>`${staffAction.detail} ->> '$.to'` })
    .from(staffAction)
    .where(eq(staffAction.action, moveAction))
    .orderBy(asc(staffAction.seq)),
);

const ownedRows = ['collection', 'inbox', 'unplaced_payment', 'notification_endpoint', 'merchant_key'];
const owners = sql.raw(
  [
    ...ownedRows.map((table) => `SELECT merchant_id, livemode FROM ${table}`),
    'SELECT merchant_id, 0 FROM turn',
  ].join(' UNION '),
);

const merchants = prepareQuery(
  build
    .select({ id: sql<string>`merchant_id`, livemode: sql<number>`max(livemode)` })
    .from(sql`(${owners}) AS owner`)
    .groupBy(sql`merchant_id`)
    .orderBy(sql`merchant_id`),
);

/** Returns the merchants that have rows in the ledger, and whether one of them is live. */
export const listMerchants = (store: Pick<Store, 'query'>): Promise<{ id: string; livemode: number }[]> =>
  merchants.all(store);

/** Returns the merchants that have moved to another database, each with the name of that database. */
export async function listMoved(store: Pick<Store, 'query'>): Promise<Map<string, string>> {
  const moved = new Map<string, string>();
  for (const { merchantId, to } of await moves.all(store)) {
    if (to === null) moved.delete(merchantId);
    else moved.set(merchantId, to);
  }
  return moved;
}

/**
 * The merchants that have moved to another database, each with the name of that database. Their rows are history: another gateway works
 * on the same payments, so that this one makes no call, handles no event, and accepts no decision.
 */
export type MovedMerchants = ReadonlyMap<string, string>;

/** @throws UserError when one of the merchants has moved to another database. */
export function requireServedHere(moved: MovedMerchants, merchantIds: Iterable<string>): void {
  for (const id of merchantIds) {
    const place = moved.get(id);
    if (place !== undefined)
      throw new UserError(
        `the merchant ${id} has moved to the database ${place}. Remove it and its channels from this configuration, and serve it with a gateway of that database`,
      );
  }
}

/** For a ledger from which no merchant has moved. */
export const noneMoved: MovedMerchants = new Map();
