import { type Msisdn, maskedForm, maskNumbers } from '../../shared/msisdn.ts';
import type { Store } from '../../sqlite/store.ts';
import { toAnswers } from '../collection/answers.ts';
import { type CollectionRow, computeTotal } from '../collection/collection.ts';
import type { TimeSpan } from '../ledger/day.ts';
import { answerCells, answerColumns, cedisCell, plainCell, textCell } from '../support/export/csv.ts';
import { readMoment } from '../support/filter-text.ts';
import { findCollectionPage, findNamed } from '../support/find-query.ts';
import { type ConfiguredValues, resolveFilter } from '../support/known-values-query.ts';
import {
  type ListExtent,
  listInScope,
  listWithSums,
  measureList,
  readListPart,
} from '../support/list-query.ts';
import type { CollectionPart, PageRequest, Scope, SearchedPage, UnknownCursor } from '../support/page.ts';
import type { CollectionFilter } from '../support/selection-query.ts';
import {
  type ExportNumbers,
  type ExportPart,
  type FileColumn,
  fileLine,
  filePart,
  type PartRequest,
} from './parts/export-stream.ts';
import { describeStatus, getDate, getReasons } from './parts/format.ts';

/** The payments that an export contains: those of a filter, or those that a search finds. */
export type Exported = { filter: CollectionFilter } | { term: string };

/** An export at its beginning. Plain data. */
export type ExportExtent = {
  exported: Exported;
  total: number;
  /** The number of older collections that the list does not search either. */
  notSearched: number;
  /** The plan for the list of all merchants. */
  list?: ListExtent;
};

/** Returns the size of an export, and how to read it. */
async function measureExport(store: Store, scope: Scope, exported: Exported): Promise<ExportExtent> {
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
async function readExportPart(
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
  return filePart(part, (row) => fileLine(paymentColumns, row, numbers));
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

/** The columns of the file. Amounts are in cedis, times in UTC. No text can become a formula of a spreadsheet. */
export const paymentColumns: readonly FileColumn<CollectionRow>[] = [
  ['payment', (row) => plainCell(row.id)],
  ['opened_at', (row) => plainCell(new Date(row.openedAt).toISOString())],
  ['status', (row) => textCell(describeStatus(row).words)],
  ['price_cedis', (row) => cedisCell(row.goodsMinor)],
  ['total_cedis', (row) => cedisCell(computeTotal(row))],
  ['payer', (row, numbers) => phoneCell(row.payer, numbers)],
  [
    'dialler',
    ({ payer, dialler }, numbers) => (dialler === payer ? plainCell('') : phoneCell(dialler, numbers)),
  ],
  [
    'reference',
    ({ reference }, numbers) => textCell(numbers === 'whole' ? reference : maskNumbers(reference)),
  ],
  ['reason', (row) => textCell(getReasons(row))],
  ...answerColumns.map(
    (name, at): FileColumn<CollectionRow> => [
      name,
      (row, numbers) => answerCells(toAnswers(row, numbers))[at] ?? '',
    ],
  ),
  ['merchant', (row) => textCell(row.merchantId)],
  ['network', (row) => textCell(row.network)],
  ['channel', (row) => textCell(row.channel)],
];

/** A masked number has a form of the gateway, which no spreadsheet converts. */
function phoneCell(msisdn: Msisdn, numbers: ExportNumbers): string {
  return plainCell(numbers === 'whole' ? msisdn : maskedForm(msisdn));
}

type ListRequest = PageRequest & { timeZone?: string | undefined };

/** More days on one page have no sums in their headings. */
const maxSummedDays = 10;

/** Returns the days of payments, newest first, whose headings have sums; none when they are too many. */
function listDays(rows: readonly CollectionRow[], timeZone: string | undefined): TimeSpan[] {
  const dates = new Set(rows.map(({ openedAt }) => getDate(openedAt, timeZone)));
  return dates.size > maxSummedDays ? [] : [...dates].flatMap((date) => readMoment(date, timeZone) ?? []);
}

/** The reads of the list of payments. Each returns only what is in the scope. */
export const paymentsReads = {
  /** Lists payments with their sums. `timeZone` is that of the days. */
  list(store: Store, scope: Scope, filter: CollectionFilter, { timeZone, ...page }: ListRequest) {
    return listWithSums(store, scope, filter, { ...page, findDays: (rows) => listDays(rows, timeZone) });
  },
  /** Completes the values of a filter, or returns why no payment can have one. */
  resolve(store: Store, scope: Scope, filter: CollectionFilter, known: ConfiguredValues) {
    return resolveFilter(store, filter, known, scope);
  },
  /** Searches for words, parts of references, amounts and last digits. */
  search(store: Store, scope: Scope, term: string, page: PageRequest) {
    return findCollectionPage(store, term, page, scope);
  },
  /** Finds the collections that a number, an id or a whole reference identifies. */
  named(store: Store, scope: Scope, name: string, page: PageRequest) {
    return findNamed(store, name, page, scope);
  },
  measureExport,
  exportPart: readExportPart,
};
