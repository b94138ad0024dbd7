import { and, asc, desc, eq, gte, inArray, isNotNull, lt, or, type SQL, sql } from 'drizzle-orm';
import { type Msisdn, parseMsisdn } from '../../shared/msisdn.ts';
import { readShortReference } from '../../shared/short-reference.ts';
import type { Store } from '../../sqlite/store.ts';
import type { CollectionRow } from '../collection/collection.ts';
import { collection, fact, inbox, posting, turn } from '../schema.ts';

export type TurnRow = Omit<typeof turn.$inferSelect, 'seq'>;
export type FactRow = typeof fact.$inferSelect;
export type PostingRow = typeof posting.$inferSelect;
export type EventRow = typeof inbox.$inferSelect;

/** Everything that support staff see of one collection. */
export type CollectionRecord = {
  collection: CollectionRow;
  /** The collection that retries this one. */
  retriedAs: string | null;
  turns: TurnRow[];
  facts: FactRow[];
  postings: PostingRow[];
  events: EventRow[];
};

/** The maximum number of collections in a result, newest first. */
const maxFound = 100;
/** A shorter part of a reference matches too many collections. */
const minPartLength = 3;
/** An id or its start. Ids with fewer equal characters share the same time. */
const startOfId = /^(?:col|pay)_[\w-]{8,}$/i;
const maxWords = 8;
/** The newest collections in which words are searched: some ten milliseconds of work. */
const maxScanned = 20_000;
/** The maximum number of rows of each kind in a record. A week of polls is about 200 facts. */
const maxRows = 2_000;

/**
 * Finds collections by a term that a payer reads out: a phone number in any spelling (of the payer or the dialler), a
 * reference, its start or the start of its words, a short reference, a collection id or payment session id, or the start
 * of an id (at least 8 characters after its prefix).
 *
 * Starts are found in indexes, words only in the newest collections, so that the cost does not grow with the ledger.
 */
export async function findCollections(store: Store, term: string): Promise<CollectionRow[]> {
  const msisdn = parseMsisdn(term);
  if (msisdn) return newest(store, or(eq(collection.payer, msisdn), eq(collection.dialler, msisdn)));
  const short = readShortReference(term);
  const exact = await newest(
    store,
    or(
      eq(collection.id, term),
      eq(collection.sessionId, term),
      eq(collection.reference, term),
      short === undefined ? undefined : eq(collection.shortReference, short),
    ),
  );
  const found = new Map(exact.map((row) => [row.id, row]));
  const isId = exact.some(({ id, sessionId }) => id === term || sessionId === term);
  if (!isId && term.trim().length >= minPartLength) {
    const parts = [
      ...(startOfId.test(term) ? [await findByStartOfId(store, term)] : []),
      await findByStart(store, collection.reference, term),
      // Most menus store references in upper case.
      await findByStart(store, collection.reference, term.toUpperCase()),
      await findByWords(store, term),
    ];
    for (const row of parts.flat()) if (found.size < maxFound) found.set(row.id, row);
  }
  return [...found.values()].sort((a, b) => b.openedAt - a.openedAt || (a.id < b.id ? 1 : -1));
}

async function newest({ read }: Store, where: SQL | undefined): Promise<CollectionRow[]> {
  const rows = await read
    .select()
    .from(collection)
    .where(where)
    .orderBy(desc(collection.openedAt), desc(collection.id))
    .limit(maxFound);
  return rows as CollectionRow[];
}

/** Collection ids are in lower case, payment session ids are case-sensitive. */
async function findByStartOfId(store: Store, start: string): Promise<CollectionRow[]> {
  return [
    ...(await findByStart(store, collection.id, start.toLowerCase())),
    ...(await findByStart(store, collection.sessionId, start)),
    ...(await findByStart(store, collection.sessionId, start.toLowerCase())),
  ];
}

/** Reads a range of the column's case-sensitive index, in its order. */
async function findByStart(
  { read }: Store,
  column: typeof collection.id | typeof collection.sessionId | typeof collection.reference,
  start: string,
): Promise<CollectionRow[]> {
  const rows = await read
    .select()
    .from(collection)
    .where(and(gte(column, start), lt(column, `${start}\u{10ffff}`)))
    .orderBy(asc(column))
    .limit(maxFound);
  return rows as CollectionRow[];
}

/** Finds references in which every word of the term starts a word, regardless of case and separators. */
async function findByWords(store: Store, term: string): Promise<CollectionRow[]> {
  const words = term.split(/[\s/_-]+/).filter((word) => word !== '');
  if (words.length === 0 || words.length > maxWords) return [];
  const recent = store.read
    .select({ row: sql<number>`${collection}.rowid`.as('row') })
    .from(collection)
    .orderBy(desc(sql`${collection}.rowid`))
    .limit(maxScanned);
  const spacedReference = sql`' ' || replace(replace(replace(${collection.reference}, '-', ' '), '/', ' '), '_', ' ')`;
  const matches = words.map(
    (word) => sql`${spacedReference} LIKE ${`% ${word.replace(/[\\%_]/g, '\\$&')}%`} ESCAPE '\\'`,
  );
  return newest(store, and(inArray(sql`${collection}.rowid`, recent), ...matches));
}

/** Returns the collections with this short reference: at most one of each merchant and mode. */
export function findByShortReference(store: Store, shortReference: string): Promise<CollectionRow[]> {
  return newest(store, eq(collection.shortReference, shortReference));
}

/** Returns the id of the newest collection that a phone opened; `undefined` when there is none. */
export async function findLastCollection(store: Store, dialler: Msisdn): Promise<string | undefined> {
  const [found] = await store.read
    .select({ id: collection.id })
    .from(collection)
    .where(eq(collection.dialler, dialler))
    .orderBy(desc(collection.openedAt), desc(collection.id))
    .limit(1);
  return found?.id;
}

/** Returns the collections that a person must decide about, oldest first. */
export async function findReviews(store: Store): Promise<CollectionRow[]> {
  const rows = await store.read
    .select()
    .from(collection)
    .where(isNotNull(collection.review))
    .orderBy(asc(collection.openedAt))
    .limit(maxFound);
  return rows as CollectionRow[];
}

/** Loads everything about one collection; `undefined` when there is no such collection. */
export async function loadCollectionRecord(store: Store, id: string): Promise<CollectionRecord | undefined> {
  const { read } = store;
  const found = (await read.select().from(collection).where(eq(collection.id, id))) as CollectionRow[];
  const [row] = found;
  if (!row) return undefined;
  // Later dialogues that showed this collection belong to its history, too.
  const dialogues = await read
    .selectDistinct({ id: turn.dialogueId })
    .from(turn)
    .where(or(eq(turn.dialogueId, row.dialogueId), eq(turn.collectionId, id)))
    .limit(maxFound);
  const ids = dialogues.map((one) => one.id);
  const [retry] = await read.select({ id: collection.id }).from(collection).where(eq(collection.retryOf, id));
  return {
    collection: row,
    retriedAs: retry?.id ?? null,
    turns: await read
      .select()
      .from(turn)
      .where(inArray(turn.dialogueId, ids))
      .orderBy(asc(turn.at), asc(turn.sequence))
      .limit(maxRows),
    facts: await read
      .select()
      .from(fact)
      .where(eq(fact.collectionId, id))
      .orderBy(asc(fact.version))
      .limit(maxRows),
    postings: await read.select().from(posting).where(eq(posting.collectionId, id)).orderBy(asc(posting.seq)),
    events: row.sessionId
      ? await read
          .select()
          .from(inbox)
          .where(and(eq(inbox.sessionId, row.sessionId), eq(inbox.merchantId, row.merchantId)))
          .orderBy(asc(inbox.receivedAt))
          .limit(maxRows)
      : [],
  };
}
