import type { Store } from '../../../sqlite/store.ts';
import type { CollectionFilter } from '../../support/collection-filter.ts';
import { findCollectionPage } from '../../support/find-query.ts';
import { type ListExtent, listInScope, measureList, readListPart } from '../../support/list-query.ts';
import type { CollectionPart, PageRequest, SearchedPage, UnknownCursor } from '../../support/page.ts';
import type { Scope } from '../../support/scope.ts';
import { type ExportNumbers, exportLines } from './export-lines.ts';

/** The payments that an export contains: those of a filter, or those that a search finds. */
export type Exported = { filter: CollectionFilter } | { term: string };

/** An export at its beginning. Plain data. */
export type ExportExtent = {
  exported: Exported;
  total: number;
  /** The number of older collections that the list does not search either. */
  notSearched: number;
  /** How the list of all merchants is read. */
  list?: ListExtent;
};

/** Which part of an export to read, and how to write it. */
export type PartRequest = PageRequest & { numbers: ExportNumbers };

export type ExportPart = {
  /** CSV in UTF-8, without the names of the columns. Bytes cross the thread without a copy. */
  lines: Uint8Array<ArrayBuffer>;
  rows: number;
  /** The cursor of the next part; null after the last one. */
  next: string | null;
};

/** Returns the size of an export, and how to read it. */
export async function measureExport(store: Store, scope: Scope, exported: Exported): Promise<ExportExtent> {
  if ('filter' in exported && scope.merchantId === null) {
    const list = await measureList(store, exported.filter);
    return { exported, total: list.total, notSearched: list.plan.notSearched, list };
  }
  const found = await readPage(store, scope, exported, { limit: 1 });
  // Without a cursor, every page is known.
  const { total, notSearched } = found === 'unknown_cursor' ? { total: 0, notSearched: 0 } : found;
  return { exported, total, notSearched };
}

/** Reads a part of an export, newest payments first. Each part is read as it is at that time. */
export async function readExportPart(
  store: Store,
  scope: Scope,
  extent: ExportExtent,
  { numbers, ...page }: PartRequest,
): Promise<ExportPart | UnknownCursor> {
  const part: CollectionPart | UnknownCursor =
    extent.list && scope.merchantId === null
      ? await readListPart(store, extent.list, page)
      : await readPage(store, scope, extent.exported, page);
  if (part === 'unknown_cursor') return part;
  const lines = new TextEncoder().encode(exportLines(part.data, numbers));
  return { lines, rows: part.data.length, next: part.next };
}

/** Reads a page as the screen shows it, with its count. */
function readPage(
  store: Store,
  scope: Scope,
  exported: Exported,
  page: PageRequest,
): Promise<SearchedPage | UnknownCursor> {
  return 'term' in exported
    ? findCollectionPage(store, exported.term, page, scope)
    : listInScope(store, scope, exported.filter, page);
}
