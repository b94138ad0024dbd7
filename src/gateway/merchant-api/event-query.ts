import { and, asc, desc, eq, gt, lte, sql } from 'drizzle-orm';
import { build, equals, prepareQuery } from '../../sqlite/statement.ts';
import type { Store } from '../../sqlite/store.ts';
import { fact, isNotifiedFact, turn } from '../database/schema.ts';
import { type PaymentEvent, readEventId } from '../notify/payment-events.ts';
import { eventsOfCollection } from '../notify/replay-query.ts';
import type { Owner } from './payment-query.ts';

const { placeholder } = sql;

const ofMerchant = equals(fact, 'merchantId');

const seqQuery = prepareQuery(
  build
    .select({ seq: fact.seq })
    .from(fact)
    .where(and(equals(fact, 'subjectId'), equals(fact, 'version'), ofMerchant)),
);

const newestOwn = prepareQuery(
  build
    .select({ subjectId: fact.subjectId, version: fact.version })
    .from(fact)
    .where(and(ofMerchant, lte(fact.seq, placeholder('end')), isNotifiedFact))
    .orderBy(desc(fact.seq))
    .limit(1),
);

const newest = prepareQuery(
  build.select({ seq: sql<number>`coalesce((SELECT max(seq) FROM fact), 0)` }).from(sql`(SELECT 1) AS one`),
);

const notified = prepareQuery(
  build
    .select({ seq: fact.seq, subjectId: fact.subjectId, version: fact.version })
    .from(fact)
    .where(
      and(ofMerchant, gt(fact.seq, placeholder('after')), lte(fact.seq, placeholder('end')), isNotifiedFact),
    )
    .orderBy(asc(fact.seq))
    .limit(placeholder('limit')),
);

type EventList = {
  events: PaymentEvent[];
  /** The cursor of the fact after which the next page begins; undefined without a fact. */
  next: string | undefined;
};

/** The cursor before all events. */
export const firstEvent = '0';

/** A cursor names a fact of the owner. The numbers of facts count those of all merchants, and are in none. */
const getCursor = ({ subjectId, version }: { subjectId: string; version: number }) =>
  `${subjectId}.${version}`;

/** The cursor after all events, for a request. The answer has the cursor of an event, or this one while a batch lasts too long. */
export const lastEvent = 'end';

/** Returns the cursor after the newest event up to `end`, the result of `readSettledFact`: what is being written comes after it. */
export async function newestEventCursor(
  store: Store,
  { merchantId }: Owner,
  end: number | null,
): Promise<string> {
  if (end === null) return lastEvent;
  const last = await newestOwn.get(store, { merchantId, end });
  return last ? getCursor(last) : firstEvent;
}

/**
 * Reads the place of a cursor: of an event, or of a page.
 *
 * @returns the number of a fact; `undefined` when the text is no cursor, or names nothing of the owner.
 */
export async function readEventCursor(
  store: Store,
  { merchantId }: Owner,
  text: string,
): Promise<number | undefined> {
  if (text === firstEvent) return 0;
  const [, subjectId = '', version] = /^([a-z]+_[0-9a-z]{1,40})\.(\d{1,9})$/.exec(text) ?? [];
  const event = readEventId(text);
  const named = event
    ? { subjectId: event.collectionId, version: event.version }
    : { subjectId, version: Number(version) };
  return version === undefined && !event
    ? undefined
    : (await seqQuery.get(store, { ...named, merchantId }))?.seq;
}

/** Returns the newest fact before which all batches are visible or gone: later snapshots miss none. Null when one lasts too long. */
export async function readSettledFact(store: Pick<Store, 'query' | 'settled'>): Promise<number | null> {
  const end = (await newest.get(store))?.seq ?? 0;
  return (await store.settled()) ? end : null;
}

/**
 * Returns the events of the owner after a fact, in the order in which they were recorded, from at most `limit` facts up to `end`, which
 * is the result of `readSettledFact`: no batch that is still being written comes before an event of the result.
 */
export async function listMerchantEvents(
  store: Store,
  { merchantId, livemode }: Owner,
  { after, end, limit }: { after: number; end: number | null; limit: number },
): Promise<EventList> {
  if (end === null) return { events: [], next: undefined };
  const facts = await notified.all(store, { merchantId, after, end, limit });
  const histories = new Map(
    await Promise.all(
      [...new Set(facts.map(({ subjectId }) => subjectId))].map(
        async (id) => [id, await eventsOfCollection(store, id)] as const,
      ),
    ),
  );
  const events = facts.flatMap(({ subjectId, version }) =>
    (histories.get(subjectId) ?? []).filter(
      ({ collection }) => collection.version === version && collection.livemode === livemode,
    ),
  );
  const last = facts.at(-1);
  return { events, next: last && getCursor(last) };
}

/** More than any dialogue has. */
const maxTurns = 200;

const turnsQuery = prepareQuery(
  build
    .select({ at: turn.at, input: turn.input, screen: turn.screen, reply: turn.reply, ending: turn.ending })
    .from(turn)
    .where(eq(turn.dialogueId, sql.placeholder('dialogueId')))
    .orderBy(asc(turn.at), asc(turn.sequence))
    .limit(maxTurns),
);

/** One screen that a payer has seen, and the input before it; null at the start. Times in milliseconds. */
export type SeenScreen = { at: number; input: string | null; text: string; ends: boolean };

/** Returns the screens of a dialogue, oldest first, at most 200. The end of a session by the network is none. */
export async function readScreens(store: Pick<Store, 'query'>, dialogueId: string): Promise<SeenScreen[]> {
  const rows = await turnsQuery.all(store, { dialogueId });
  return rows
    .filter(({ ending }) => ending === null)
    .map(({ at, input, screen, reply }) => ({ at, input, text: screen, ends: reply === 'end' }));
}
