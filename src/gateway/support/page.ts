import type { CollectionRow } from '../collection/collection.ts';

/**
 * Whose collections a read returns: those of one merchant, or with null those of all. A read with a merchant returns nothing
 * that depends on collections of other merchants: no row, count, sum or cursor.
 */
export type Scope = {
  merchantId: string | null;
  /**
   * Searches find phone numbers by exactly their last four digits, and references as they are shown, with masked numbers. For readers
   * who may not see whole numbers, and could otherwise find one by trying.
   */
  lastFour?: boolean;
};

export const allMerchants: Scope = { merchantId: null };

/** The part of a result to return: at most `limit` rows, after the row with the cursor `after`. */
export type PageRequest = { limit: number; after?: string | undefined };

/** A part of a result, and the size of the whole result. */
export type Page<Row> = {
  data: Row[];
  total: number;
  /** The cursor of the next page; null on the last page. */
  next: string | null;
};

/** Collections, newest first. The cursor of a collection is its id. */
export type CollectionPage = Page<CollectionRow> & {
  /** The sum of the prices of the whole result, in pesewas. */
  sumMinor: number;
};

/** Some collections of a result, without the size of the whole. */
export type CollectionPart = Pick<CollectionPage, 'data' | 'next'>;

/** A page of a search that stops after the newest collections. */
export type SearchedPage = CollectionPage & {
  /** The number of older collections that were not searched, or only in part. */
  notSearched: number;
};

/** The row of the cursor does not exist. */
export type UnknownCursor = 'unknown_cursor';

export const defaultPageLimit = 100;
export const maxPageLimit = 1_000;
