import { and, asc, desc, eq, inArray, or } from 'drizzle-orm';
import type { Msisdn } from '../../shared/msisdn.ts';
import { equals, prepareQuery } from '../../sqlite/statement.ts';
import type { Store } from '../../sqlite/store.ts';
import type { CollectionRow, CollectionWithJob } from '../collection/collection.ts';
import { selectWithJob } from '../collection/store/claim-store.ts';
import { collection, fact, inbox, posting, staffAction, turn, unplacedPayment } from '../database/schema.ts';
import type { TurnRow } from '../dialogue/turn-store.ts';
import type { UnplacedPayment } from '../unplaced/unplaced.ts';
import type { ActionRow } from './action-query.ts';
import { allMerchants, type Scope } from './page.ts';
import { hasIdInScope } from './page-query.ts';

export type FactRow = typeof fact.$inferSelect;
export type PostingRow = typeof posting.$inferSelect;
export type EventRow = typeof inbox.$inferSelect;

/** A charge of the collection's payment session that is not the collection's payment. */
export type ChargeBeside = Pick<UnplacedPayment, 'id' | 'charge' | 'state' | 'amountMinor'>;

/** Everything that support staff see of one collection. */
export type CollectionRecord = {
  collection: CollectionWithJob;
  /** The collection that retries this one. */
  retriedAs: string | null;
  turns: TurnRow[];
  facts: FactRow[];
  postings: PostingRow[];
  events: EventRow[];
  /** Further charges of the payment session, which are unplaced payments, by their number. */
  charges: ChargeBeside[];
  /** The actions of support staff about the collection, oldest first. */
  actions: ActionRow[];
};

/** The maximum number of dialogues in a record. */
const maxDialogues = 100;
/** The maximum number of rows of each kind in a record. A week of polls is about 200 facts. */
const maxRows = 2_000;

const selectById = prepareQuery(selectWithJob(equals(collection, 'id')));

/** Returns a collection; `undefined` when there is none. */
export async function findCollectionRow(store: Store, id: string): Promise<CollectionWithJob | undefined> {
  return selectById.get(store, { id });
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

/** Loads everything about one collection; `undefined` when there is no such collection in the scope. */
export async function loadCollectionRecord(
  store: Store,
  id: string,
  scope: Scope = allMerchants,
): Promise<CollectionRecord | undefined> {
  const { read } = store;
  const [row]: CollectionWithJob[] = await selectWithJob(hasIdInScope(id, scope), read);
  if (!row) return undefined;
  // Later dialogues that showed this collection belong to its history, too.
  const dialogues = await read
    .selectDistinct({ id: turn.dialogueId })
    .from(turn)
    .where(or(eq(turn.dialogueId, row.dialogueId), eq(turn.collectionId, id)))
    .limit(maxDialogues);
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
      .where(eq(fact.subjectId, id))
      .orderBy(asc(fact.version))
      .limit(maxRows),
    postings: await read.select().from(posting).where(eq(posting.subjectId, id)).orderBy(asc(posting.seq)),
    events: row.sessionId
      ? await read
          .select()
          .from(inbox)
          .where(and(eq(inbox.sessionId, row.sessionId), eq(inbox.merchantId, row.merchantId)))
          .orderBy(asc(inbox.receivedAt))
          .limit(maxRows)
      : [],
    charges: row.sessionId === null ? [] : await chargesBeside(store, { ...row, sessionId: row.sessionId }),
    actions: await read
      .select()
      .from(staffAction)
      .where(and(eq(staffAction.subjectId, id), eq(staffAction.subjectKind, 'collection')))
      .orderBy(asc(staffAction.seq))
      .limit(maxRows),
  };
}

async function chargesBeside(
  { read }: Store,
  { sessionId, merchantId, livemode }: Pick<CollectionRow, 'merchantId' | 'livemode'> & { sessionId: string },
): Promise<ChargeBeside[]> {
  const { id, charge, state, amountMinor } = unplacedPayment;
  return read
    .select({ id, charge, state, amountMinor })
    .from(unplacedPayment)
    .where(
      and(
        eq(unplacedPayment.sessionId, sessionId),
        eq(unplacedPayment.merchantId, merchantId),
        eq(unplacedPayment.livemode, livemode),
        eq(unplacedPayment.reason, 'second_charge'),
      ),
    )
    .orderBy(asc(charge))
    .limit(maxRows);
}

/** Returns one collection; `undefined` when there is none with this id or payment session. */
export async function findCollection(
  { read }: Store,
  by: { id: string } | { sessionId: string },
): Promise<CollectionRow | undefined> {
  const isWanted = 'id' in by ? eq(collection.id, by.id) : eq(collection.sessionId, by.sessionId);
  const [found] = (await read.select().from(collection).where(isWanted).limit(1)) as CollectionRow[];
  return found;
}
