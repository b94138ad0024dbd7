import { and, asc, eq, sql } from 'drizzle-orm';
import { build, insertRow, prepareQuery, prepareWrite } from '../../sqlite/statement.ts';
import type { Store } from '../../sqlite/store.ts';
import { savedView } from '../database/schema.ts';

export type SavedView = typeof savedView.$inferSelect;

export type SavedViewStore = ReturnType<typeof savedViewStore>;

const { placeholder } = sql;

const ofAccount = prepareQuery(
  build
    .select()
    .from(savedView)
    .where(eq(savedView.accountId, placeholder('accountId')))
    .orderBy(asc(savedView.name)),
);

/** Reads the saved views of accounts. */
export function savedViewStore(store: Store) {
  return {
    list: (accountId: string): Promise<SavedView[]> => ofAccount.all(store, { accountId }),
  };
}

export const savedViewWrites = {
  /** Loses when the person has a view with the name. */
  insert: insertRow(savedView),
  remove: prepareWrite<{ id: string; accountId: string }>(
    build
      .delete(savedView)
      .where(and(eq(savedView.id, placeholder('id')), eq(savedView.accountId, placeholder('accountId')))),
    1,
  ),
};
