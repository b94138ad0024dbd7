import { and, desc, gte, type SQL, sql } from 'drizzle-orm';
import type { Store } from '../../sqlite/store.ts';
import type { CollectionRow } from '../collection/collection.ts';
import { inRows } from '../collection/store/collection-store.ts';
import { collection } from '../database/schema.ts';
import {
  allMerchants,
  type CollectionPage,
  defaultPageLimit,
  type PageRequest,
  type Scope,
  type SearchedPage,
  type UnknownCursor,
} from './page.ts';
import {
  findNewest,
  findNewestInScope,
  isInScope,
  maxNewest,
  type Newest,
  readCollectionPage,
} from './page-query.ts';
import { containsShown, minMaskedLength, readSearchTerm, type SearchTerm } from './search-term.ts';
import { hasAmount, phoneEndsWith } from './selection-query.ts';

/**
 * Finds collections by a term that a payer reads out: a phone number in any spelling (of the payer or the dialler) or its
 * last digits (at least 4), a reference or a part of it, a short reference, an amount, a collection id or payment session
 * id, or the start of an id (`minIdCharacters`).
 *
 * A reader who may not see whole numbers finds references as they are shown, with masked numbers.
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
  const read = readSearchTerm(term, scope);
  const isScanned = read.amountMinor !== undefined || (read.isPart && read.words.length > 0);
  const newest = isScanned ? await readNewest(store, scope) : undefined;
  const matches = newest === undefined ? [] : await scan(store, read, { ...newest, scope });
  const isMatch = sql`${collection.id} IN (SELECT value FROM json_each(${JSON.stringify(matches)}))`;
  const conditions = [...matchesOfIndexes(read), ...(matches.length === 0 ? [] : [isMatch])];
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
  return readCollectionPage(
    store,
    { where: inRows(identifiedBy(readSearchTerm(name, scope))), selective: true, scope },
    page,
  );
}

function identifiedBy({ text, msisdn, isId, isWhole, shortReference }: SearchTerm): SQL[] {
  return [
    sql`${collection.id} = ${text}`,
    sql`${collection.sessionId} = ${text}`,
    ...(isWhole ? [sql`${collection.reference} = ${text}`] : []),
    ...(shortReference === undefined ? [] : [sql`${collection.shortReference} = ${shortReference}`]),
    ...(msisdn ? [sql`${collection.payer} = ${msisdn}`, sql`${collection.dialler} = ${msisdn}`] : []),
    // Collection ids are in lower case, payment session ids are case-sensitive.
    ...(isId
      ? [
          startsWith(collection.id, text.toLowerCase()),
          startsWith(collection.sessionId, text),
          startsWith(collection.sessionId, text.toLowerCase()),
        ]
      : []),
  ];
}

function matchesOfIndexes(term: SearchTerm): SQL[] {
  const { text, lastDigits, isPart, isMasked } = term;
  return [
    ...identifiedBy(term),
    ...(lastDigits === undefined ? [] : phoneEndsWith(lastDigits)),
    ...(isPart && !isMasked
      ? // Most menus store references in upper case.
        [startsWith(collection.reference, text), startsWith(collection.reference, text.toUpperCase())]
      : []),
  ];
}

function readNewest(store: Store, scope: Scope): Promise<Newest> {
  return scope.merchantId === null
    ? findNewest(store, maxNewest)
    : findNewestInScope(store, maxNewest, scope);
}

/** A range of the column's case-sensitive index. */
function startsWith(
  column: typeof collection.id | typeof collection.sessionId | typeof collection.reference,
  start: string,
): SQL {
  return sql`${column} >= ${start} AND ${column} < ${`${start}\u{10ffff}`}`;
}

/** Returns the ids of the newest collections that match. Scans an index once: a page and its sum need them twice. */
async function scan(
  { read }: Store,
  { amountMinor, isPart, isMasked, words }: SearchTerm,
  { from, scope }: Newest & { scope: Scope },
): Promise<string[]> {
  const isScanned = and(isInScope(scope, { isTested: false }), gte(collection.openedAt, from));
  const ofAmount =
    amountMinor === undefined ? sql`FALSE` : hasAmount({ minMinor: amountMinor, maxMinor: amountMinor });
  const ofReference = isPart && words.length > 0 ? referenceContains(words, isMasked) : sql`FALSE`;
  const found = await read
    .select({ id: collection.id, reference: collection.reference, ofAmount: sql<unknown>`${ofAmount}` })
    .from(collection)
    .where(and(isScanned, sql`(${ofAmount} OR ${ofReference})`))
    .orderBy(desc(collection.openedAt));
  const matches = isMasked
    ? found.filter((one) => one.ofAmount || containsShown(one.reference, words))
    : found;
  return matches.map(({ id }) => id);
}

/** Matches references that contain every word, regardless of case and separators; also longer ones, of which masked digits can match. */
function referenceContains(words: readonly string[], isMasked: boolean): SQL {
  const matches = words.map((word) => {
    const contains = sql`${collection.reference} LIKE ${`%${word.replace(/[\\%_]/g, '\\$&')}%`} ESCAPE '\\'`;
    return isMasked && /[\d•]/.test(word)
      ? sql`(${contains} OR length(${collection.reference}) >= ${minMaskedLength})`
      : contains;
  });
  return sql`(${sql.join(matches, sql` AND `)})`;
}
