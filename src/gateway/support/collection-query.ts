import { and, asc, desc, eq, gte, inArray, isNotNull, lt, or, type SQL, sql } from 'drizzle-orm';
import { type Msisdn, parseMsisdn } from '../../shared/msisdn.ts';
import { readShortReference } from '../../shared/short-reference.ts';
import type { Store } from '../../sqlite/store.ts';
import type { CollectionRow } from '../collection/collection.ts';
import { collection, fact, inbox, posting, turn } from '../schema.ts';

export type TurnRow = typeof turn.$inferSelect;
export type FactRow = typeof fact.$inferSelect;
export type PostingRow = typeof posting.$inferSelect;
export type EventRow = typeof inbox.$inferSelect;

/** Everything that is known about one collection. */
export type CollectionRecord = {
  collection: CollectionRow;
  /** The collection that retries this one. */
  retriedAs: string | null;
  turns: TurnRow[];
  facts: FactRow[];
  postings: PostingRow[];
  events: EventRow[];
};

/** Collections that a search returns at most; the newest come first. */
const maxFound = 100;
/** Less of a reference is a part of too many. */
const minPartLength = 3;
/** An id, or its beginning: less of it is a time that many share. */
const partOfId = /^(?:col|pay)_[\w-]{8,}$/i;
const maxWords = 8;
/** Collections, the newest, whose references are read for words: some ten milliseconds. */
const maxScanned = 20_000;
/** Rows of each kind that a file holds at most: a week of polls is about two hundred facts. */
const maxRows = 2_000;

/**
 * Finds collections by what support is told: a phone number in any spelling (of the payer or of the phone that
 * dialled), a reference, its beginning or words of it, a short reference as it is read out, a collection id or the
 * service's session id, or the beginning of one (8 characters behind its prefix).
 *
 * Beginnings are looked up in the indexes, words in the newest collections alone: neither reads more of a large ledger
 * than of a small one.
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
      ...(partOfId.test(term) ? [await findByBeginningOfId(store, term)] : []),
      await findByBeginning(store, collection.reference, term),
      // Menus mostly keep references in capitals.
      await findByBeginning(store, collection.reference, term.toUpperCase()),
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

/** Ids of ours have small letters, those of the service whatever it likes. */
async function findByBeginningOfId(store: Store, beginning: string): Promise<CollectionRow[]> {
  return [
    ...(await findByBeginning(store, collection.id, beginning.toLowerCase())),
    ...(await findByBeginning(store, collection.sessionId, beginning)),
    ...(await findByBeginning(store, collection.sessionId, beginning.toLowerCase())),
  ];
}

/** A range of the column's index, which has case: read in its order, it ends with the last that is returned. */
async function findByBeginning(
  { read }: Store,
  column: typeof collection.id | typeof collection.sessionId | typeof collection.reference,
  beginning: string,
): Promise<CollectionRow[]> {
  const rows = await read
    .select()
    .from(collection)
    .where(and(gte(column, beginning), lt(column, `${beginning}\u{10ffff}`)))
    .orderBy(asc(column))
    .limit(maxFound);
  return rows as CollectionRow[];
}

/** Every word of the term begins a word of the reference; neither capitals nor the sign between words count. */
async function findByWords(store: Store, term: string): Promise<CollectionRow[]> {
  const words = term.split(/[\s/_-]+/).filter((word) => word !== '');
  if (words.length === 0 || words.length > maxWords) return [];
  const recent = store.read
    .select({ row: sql<number>`${collection}.rowid`.as('row') })
    .from(collection)
    .orderBy(desc(sql`${collection}.rowid`))
    .limit(maxScanned);
  const said = sql`' ' || replace(replace(replace(${collection.reference}, '-', ' '), '/', ' '), '_', ' ')`;
  const begin = words.map((word) => sql`${said} LIKE ${`% ${word.replace(/[\\%_]/g, '\\$&')}%`} ESCAPE '\\'`);
  return newest(store, and(inArray(sql`${collection}.rowid`, recent), ...begin));
}

/** Collections that were told this short reference: one of each merchant and mode at most. */
export function findByShortReference(store: Store, shortReference: string): Promise<CollectionRow[]> {
  return newest(store, eq(collection.shortReference, shortReference));
}

/** The id of the newest collection that was agreed to on a phone; `undefined` when there is none. */
export async function findLastAgreed(store: Store, dialler: Msisdn): Promise<string | undefined> {
  const [found] = await store.read
    .select({ id: collection.id })
    .from(collection)
    .where(eq(collection.dialler, dialler))
    .orderBy(desc(collection.openedAt), desc(collection.id))
    .limit(1);
  return found?.id;
}

/** Collections that wait for a person to decide. */
export async function findReviews(store: Store): Promise<CollectionRow[]> {
  const rows = await store.read
    .select()
    .from(collection)
    .where(isNotNull(collection.review))
    .orderBy(asc(collection.openedAt))
    .limit(maxFound);
  return rows as CollectionRow[];
}

/** Opens the file of one collection; `undefined` when there is no such collection. */
export async function loadCollectionRecord(store: Store, id: string): Promise<CollectionRecord | undefined> {
  const { read } = store;
  const found = (await read.select().from(collection).where(eq(collection.id, id))) as CollectionRow[];
  const [row] = found;
  if (!row) return undefined;
  // A payer who dialled again was shown this collection: those dialogues belong to its story too.
  const dialogues = await read
    .selectDistinct({ id: turn.dialogueId })
    .from(turn)
    .where(or(eq(turn.dialogueId, row.dialogueId), eq(turn.collectionId, id)))
    .limit(maxFound);
  const ids = dialogues.map((one) => one.id);
  const [again] = await read.select({ id: collection.id }).from(collection).where(eq(collection.retryOf, id));
  return {
    collection: row,
    retriedAs: again?.id ?? null,
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
