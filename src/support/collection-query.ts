import { and, asc, desc, eq, inArray, isNotNull, or } from 'drizzle-orm';
import type { CollectionRow } from '../collection/collection.ts';
import { collection, fact, inbox, posting, turn } from '../db/schema.ts';
import type { Store } from '../db/store.ts';
import { parseMsisdn } from '../shared/msisdn.ts';
import { readShortReference } from '../shared/short-reference.ts';

export type TurnRow = typeof turn.$inferSelect;
export type FactRow = typeof fact.$inferSelect;
export type PostingRow = typeof posting.$inferSelect;
export type EventRow = typeof inbox.$inferSelect;

/** Everything that is known about one collection. */
export type CollectionFile = {
  collection: CollectionRow;
  /** The collection that asked for this one again. */
  askedAgainAs: string | null;
  turns: TurnRow[];
  facts: FactRow[];
  postings: PostingRow[];
  events: EventRow[];
};

/** Collections that a search returns at most; the newest come first. */
const mostFound = 100;
/** Rows of each kind that a file holds at most: a week of polls is about two hundred facts. */
const mostRows = 2_000;

/**
 * Finds collections by what support is told: a phone number in any spelling (of the payer or of the phone that
 * dialled), a reference, a short reference as it is read out, a collection id, or the service's session id.
 */
export async function findCollections(store: Store, term: string): Promise<CollectionRow[]> {
  const msisdn = parseMsisdn(term);
  const short = readShortReference(term);
  const where = msisdn
    ? or(eq(collection.payer, msisdn), eq(collection.dialler, msisdn))
    : or(
        eq(collection.id, term),
        eq(collection.sessionId, term),
        eq(collection.reference, term),
        short === undefined ? undefined : eq(collection.shortReference, short),
      );
  const rows = await store.read
    .select()
    .from(collection)
    .where(where)
    .orderBy(desc(collection.openedAt), desc(collection.id))
    .limit(mostFound);
  return rows as CollectionRow[];
}

/** Collections that wait for a person to decide. */
export async function findReviews(store: Store): Promise<CollectionRow[]> {
  const rows = await store.read
    .select()
    .from(collection)
    .where(isNotNull(collection.review))
    .orderBy(asc(collection.openedAt))
    .limit(mostFound);
  return rows as CollectionRow[];
}

/**
 * Events that no collection answers for: parked because their session is not known here (another channel's, or money
 * that nobody can place), or set aside after too many tries. The newest come first.
 */
export async function findUnmatched(store: Store): Promise<EventRow[]> {
  return store.read
    .select()
    .from(inbox)
    .where(inArray(inbox.state, ['parked', 'dead']))
    .orderBy(desc(inbox.receivedAt))
    .limit(mostFound);
}

/** Opens the file of one collection; `undefined` when there is no such collection. */
export async function openFile(store: Store, id: string): Promise<CollectionFile | undefined> {
  const { read } = store;
  const found = (await read.select().from(collection).where(eq(collection.id, id))) as CollectionRow[];
  const [row] = found;
  if (!row) return undefined;
  // A payer who dialled again was shown this collection: those dialogues belong to its story too.
  const dialogues = await read
    .selectDistinct({ id: turn.dialogueId })
    .from(turn)
    .where(or(eq(turn.dialogueId, row.dialogueId), eq(turn.collectionId, id)))
    .limit(mostFound);
  const ids = dialogues.map((one) => one.id);
  const [again] = await read.select({ id: collection.id }).from(collection).where(eq(collection.againOf, id));
  return {
    collection: row,
    askedAgainAs: again?.id ?? null,
    turns: await read
      .select()
      .from(turn)
      .where(inArray(turn.dialogueId, ids))
      .orderBy(asc(turn.at), asc(turn.sequence))
      .limit(mostRows),
    facts: await read
      .select()
      .from(fact)
      .where(eq(fact.collectionId, id))
      .orderBy(asc(fact.version))
      .limit(mostRows),
    postings: await read.select().from(posting).where(eq(posting.collectionId, id)).orderBy(asc(posting.seq)),
    events: row.sessionId
      ? await read
          .select()
          .from(inbox)
          .where(and(eq(inbox.sessionId, row.sessionId), eq(inbox.merchantId, row.merchantId)))
          .orderBy(asc(inbox.receivedAt))
          .limit(mostRows)
      : [],
  };
}
