import type { Store } from '../../sqlite/store.ts';
import { type CollectionRecord, loadCollectionRecord } from '../support/collection-query.ts';
import { findCollectionPage, findNamed } from '../support/find-query.ts';
import { type CollectionFilter, listCollections, listInScope } from '../support/list-query.ts';
import type { CollectionPage, PageRequest, SearchedPage, UnknownCursor } from '../support/page.ts';
import type { Scope } from '../support/scope.ts';

/** Everything that pages of the console read. It has no write. Each read returns only what is in the scope. */
export type ConsoleReader = {
  list(scope: Scope, filter: CollectionFilter, page: PageRequest): Promise<SearchedPage | UnknownCursor>;
  /** Searches for words, parts of references, amounts and last digits. */
  search(scope: Scope, term: string, page: PageRequest): Promise<SearchedPage | UnknownCursor>;
  /** Finds the collections that a number, an id or a whole reference identifies. */
  named(scope: Scope, name: string, page: PageRequest): Promise<CollectionPage | UnknownCursor>;
  /** Returns a payment; for a merchant without what support staff wrote about it. */
  payment(scope: Scope, id: string): Promise<CollectionRecord | undefined>;
};

/** Reads in this process. */
export function createReader(store: Store): ConsoleReader {
  return {
    list: (scope, filter, page) =>
      scope.merchantId === null
        ? listCollections(store, filter, page)
        : listInScope(store, scope, filter, page),
    search: (scope, term, page) => findCollectionPage(store, term, page, scope),
    named: (scope, name, page) => findNamed(store, name, page, scope),
    async payment(scope, id) {
      const record = await loadCollectionRecord(store, id, scope);
      return record && scope.merchantId !== null ? { ...record, actions: [] } : record;
    },
  };
}
