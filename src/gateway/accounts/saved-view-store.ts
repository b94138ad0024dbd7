import { asc } from 'drizzle-orm';
import { maskNumbers } from '../../shared/msisdn.ts';
import { build, equals, insertRow, prepareQuery, prepareWrite } from '../../sqlite/statement.ts';
import type { Store } from '../../sqlite/store.ts';
import type { Person } from '../access/permissions.ts';
import { savedView } from '../database/schema.ts';
import { type AccountFault, changeAccount } from './account-action.ts';
import { quotaWrite } from './limit-store.ts';
import type { AccountDeps } from './session.ts';

export type SavedView = typeof savedView.$inferSelect;

export type SavedViewStore = ReturnType<typeof savedViewStore>;

const ofAccount = prepareQuery(
  build.select().from(savedView).where(equals(savedView, 'accountId')).orderBy(asc(savedView.name)),
);

export function savedViewStore(store: Store) {
  return {
    list: (accountId: string): Promise<SavedView[]> => ofAccount.all(store, { accountId }),
  };
}

export const savedViewWrites = {
  /** Loses when the person has a view with the name. */
  insert: insertRow(savedView),
  remove: prepareWrite<{ id: string; accountId: string }>(
    build.delete(savedView).where(equals(savedView, 'id', 'accountId')),
    1,
  ),
};

type SavedViewDeps = AccountDeps & { views: SavedViewStore };

/** The maximum number of saved views of a person, and the length of their names. */
const maxViews = 20;
export const maxViewName = 40;

/** Saves filters under a name. @param query the filters as they stand in the URL, without a phone number. */
export async function saveView(
  deps: SavedViewDeps,
  person: Person,
  { name: typed, query }: { name: string; query: string },
): Promise<{ ok: true } | AccountFault> {
  const { accountId } = person;
  const name = maskNumbers(typed.trim());
  if (name === '' || name.length > maxViewName || /[\p{Cc}\p{Cf}]/u.test(name))
    return { ok: false, message: `A view has a name of at most ${maxViewName} characters.` };
  const own = await deps.views.list(accountId);
  if (own.length >= maxViews)
    return { ok: false, message: `A person has at most ${maxViews} saved views. Remove one first.` };
  if (own.some((one) => one.name === name))
    return { ok: false, message: 'You have a view with this name. Remove it first, or choose another name.' };
  const id = deps.ids.next('viw');
  const now = deps.clock.now();
  return changeAccount(deps, person, {
    action: 'save_view',
    detail: { view: id, label: name, query },
    writes: [
      quotaWrite('views', { accountId, max: maxViews }, now),
      savedViewWrites.insert({ id, accountId, name, query, createdAt: now }),
    ],
  });
}

/** Removes a saved view of the person. */
export function removeView(
  deps: SavedViewDeps,
  person: Person,
  id: string,
): Promise<{ ok: true } | AccountFault> {
  return changeAccount(deps, person, {
    action: 'remove_view',
    detail: { view: id },
    writes: [savedViewWrites.remove({ id, accountId: person.accountId })],
  });
}
