import { and, desc, gte, type SQL, sql } from 'drizzle-orm';
import { parseCedis } from '../../shared/money.ts';
import { parseMsisdn } from '../../shared/msisdn.ts';
import { readShortReference } from '../../shared/short-reference.ts';
import type { Store } from '../../sqlite/store.ts';
import type { CollectionRow } from '../collection/collection.ts';
import { inRows } from '../collection/store/rows-query.ts';
import { collection } from '../schema.ts';
import { findNewest, findNewestInScope, type Newest } from './newest-query.ts';
import {
  type CollectionPage,
  defaultPageLimit,
  type PageRequest,
  type SearchedPage,
  type UnknownCursor,
} from './page.ts';
import { readCollectionPage } from './page-query.ts';
import { allMerchants, type Scope } from './scope.ts';
import { isInScope } from './scope-query.ts';
import { phoneEndsWith } from './selection-query.ts';

/** A shorter part of a reference matches too many collections. */
const minPartLength = 3;
/** Fewer last digits of a phone match too many collections. */
const minLastDigits = 4;
/** An id or its start. Ids with fewer equal characters share the same time. */
const startOfId = /^(?:col|pay)_[\w-]{8,}$/i;
const maxWords = 8;
/** The newest collections in which parts of references and amounts are searched: some ten milliseconds of work. */
const maxScanned = 20_000;

/**
 * Finds collections by a term that a payer reads out: a phone number in any spelling (of the payer or the dialler) or its
 * last digits (at least 4), a reference or a part of it, a short reference, an amount, a collection id or payment session
 * id, or the start of an id (at least 8 characters after its prefix).
 *
 * Parts of references and amounts are searched only in the newest collections, so that the cost does not grow with the
 * ledger. Everything else is found in indexes.
 */
export async function findCollectionPage(
  store: Store,
  term: string,
  page: PageRequest,
  scope: Scope = allMerchants,
): Promise<SearchedPage | UnknownCursor> {
  const scanned = conditionsOfScan(term);
  const newest = scanned.length > 0 ? await newestOf(store, scope) : undefined;
  const matches = newest === undefined ? [] : await scan(store, scanned, { ...newest, scope });
  const isMatch = sql`${collection.id} IN (SELECT value FROM json_each(${JSON.stringify(matches)}))`;
  const conditions = [...matchesOfIndexes(term), ...(matches.length === 0 ? [] : [isMatch])];
  const found = await readCollectionPage(store, { where: inRows(conditions), selective: true, scope }, page);
  if (found === 'unknown_cursor') return found;
  return { ...found, notSearched: newest?.older ?? 0 };
}

/** Returns the newest collections that match a term. */
export async function findCollections(store: Store, term: string): Promise<CollectionRow[]> {
  const found = await findCollectionPage(store, term, { limit: defaultPageLimit });
  return found === 'unknown_cursor' ? [] : found.data;
}

/**
 * Finds the collections that a name identifies: an id or its start, a payment session id or its start, a short reference, a
 * whole reference, or the phone number of the payer or the dialler.
 */
export function findNamed(
  store: Store,
  name: string,
  page: PageRequest,
  scope: Scope = allMerchants,
): Promise<CollectionPage | UnknownCursor> {
  return readCollectionPage(store, { where: inRows(identifiedBy(name)), selective: true, scope }, page);
}

function identifiedBy(name: string): SQL[] {
  const msisdn = parseMsisdn(name);
  const short = readShortReference(name);
  return [
    sql`${collection.id} = ${name}`,
    sql`${collection.sessionId} = ${name}`,
    sql`${collection.reference} = ${name}`,
    ...(short === undefined ? [] : [sql`${collection.shortReference} = ${short}`]),
    ...(msisdn ? [sql`${collection.payer} = ${msisdn}`, sql`${collection.dialler} = ${msisdn}`] : []),
    // Collection ids are in lower case, payment session ids are case-sensitive.
    ...(startOfId.test(name)
      ? [
          startsWith(collection.id, name.toLowerCase()),
          startsWith(collection.sessionId, name),
          startsWith(collection.sessionId, name.toLowerCase()),
        ]
      : []),
  ];
}

function matchesOfIndexes(term: string): SQL[] {
  const exact = identifiedBy(term);
  if (parseMsisdn(term) || startOfId.test(term)) return exact;
  const digits = lastDigitsOf(term);
  return [
    ...exact,
    ...(digits === undefined ? [] : phoneEndsWith(digits)),
    ...(term.trim().length < minPartLength
      ? []
      : // Most menus store references in upper case.
        [startsWith(collection.reference, term), startsWith(collection.reference, term.toUpperCase())]),
  ];
}

function newestOf(store: Store, scope: Scope): Promise<Newest> {
  return scope.merchantId === null
    ? findNewest(store, maxScanned)
    : findNewestInScope(store, maxScanned, scope);
}

/** Returns the digits of a term that can be the last ones of a phone number. */
function lastDigitsOf(term: string): string | undefined {
  const digits = term.replace(/[\s.-]/g, '');
  return /^\d+$/.test(digits) && digits.length >= minLastDigits && digits.length <= 12 ? digits : undefined;
}

/** A range of the column's case-sensitive index. */
function startsWith(
  column: typeof collection.id | typeof collection.sessionId | typeof collection.reference,
  start: string,
): SQL {
  return sql`${column} >= ${start} AND ${column} < ${`${start}\u{10ffff}`}`;
}

/** Returns the conditions that no index serves, for the newest collections. */
function conditionsOfScan(term: string): SQL[] {
  if (parseMsisdn(term) || startOfId.test(term)) return [];
  return [...(term.trim().length < minPartLength ? [] : referenceContains(term)), ...amountIs(term)];
}

/** Returns the ids of the newest collections that match, newest first. Scans an index once: a page and its sum need them twice. */
async function scan(
  { read }: Store,
  conditions: readonly SQL[],
  { from, scope }: Newest & { scope: Scope },
): Promise<string[]> {
  const isScanned = and(isInScope(scope, { isTested: false }), gte(collection.openedAt, from));
  const found = await read
    .select({ id: collection.id })
    .from(collection)
    .where(and(isScanned, sql`(${sql.join([...conditions], sql` OR `)})`))
    .orderBy(desc(collection.openedAt));
  return found.map(({ id }) => id);
}

/** Matches references that contain every word of the term, regardless of case and separators. */
function referenceContains(term: string): SQL[] {
  const words = term.split(/[\s/_-]+/).filter((word) => word !== '');
  if (words.length === 0 || words.length > maxWords) return [];
  const matches = words.map(
    (word) => sql`${collection.reference} LIKE ${`%${word.replace(/[\\%_]/g, '\\$&')}%`} ESCAPE '\\'`,
  );
  return [sql`(${sql.join(matches, sql` AND `)})`];
}

/** Matches the price, the total on the confirm screen, and the total of the prompt. */
function amountIs(term: string): SQL[] {
  const amount = parseCedis(term);
  if (amount === undefined) return [];
  return [
    sql`${amount} IN (${collection.goodsMinor}, ${collection.shownTotalMinor}, ${collection.amountMinor})`,
  ];
}
