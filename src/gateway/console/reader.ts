import type { Store } from '../../sqlite/store.ts';
import { type CollectionRecord, loadCollectionRecord } from '../support/collection-query.ts';
import { findCollectionPage, findNamed } from '../support/find-query.ts';
import { type CollectionFilter, listCollections } from '../support/list-query.ts';
import type { CollectionPage, PageRequest, SearchedPage, UnknownCursor } from '../support/page.ts';

/** Everything that pages of the console read. It has no write. */
export type ConsoleReader = {
  list(filter: CollectionFilter, page: PageRequest): Promise<SearchedPage | UnknownCursor>;
  /** Searches for words, parts of references, amounts and last digits. */
  search(term: string, page: PageRequest): Promise<SearchedPage | UnknownCursor>;
  /** Finds the collections that a number, an id or a whole reference identifies. */
  named(name: string, page: PageRequest): Promise<CollectionPage | UnknownCursor>;
  payment(id: string): Promise<CollectionRecord | undefined>;
};

/** Reads in this process. */
export function createReader(store: Store): ConsoleReader {
  return {
    list: (filter, page) => listCollections(store, filter, page),
    search: (term, page) => findCollectionPage(store, term, page),
    named: (name, page) => findNamed(store, name, page),
    payment: (id) => loadCollectionRecord(store, id),
  };
}
