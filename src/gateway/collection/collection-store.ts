import { and, asc, desc, eq, gt, gte, inArray, isNotNull, isNull, lte, or, type SQL, sql } from 'drizzle-orm';
import type { EpochMs } from '../../shared/clock.ts';
import type { AmountMinor } from '../../shared/money.ts';
import type { Msisdn } from '../../shared/msisdn.ts';
import { build, filled, prepareWrite, rowOf } from '../../sqlite/statement.ts';
import type { Store, Write } from '../../sqlite/store.ts';
import type { Booking } from '../ledger/posting.ts';
import { collection, fact, inbox, posting, turn } from '../schema.ts';
import { type CollectionRow, openStatuses } from './collection.ts';
import type { Fact } from './fact.ts';
import type { Limits } from './opening/limits.ts';
import { guardedInsert, refusalQuery } from './opening/opening-store.ts';

const { placeholder } = sql;

/** Guarded by the version that was read and by the lease: whoever lost either writes nothing. */
const updateCollection = prepareWrite<CollectionRow & { versionRead: number; fenceRead: number }>(
  build
    .update(collection)
    .set({
      status: filled('status'),
      version: filled('version'),
      amountMinor: filled('amountMinor'),
      feeMinor: filled('feeMinor'),
      netMinor: filled('netMinor'),
      booked: filled('booked'),
      amountSource: filled('amountSource'),
      sessionId: filled('sessionId'),
      promptNotBefore: filled('promptNotBefore'),
      promptDeadline: filled('promptDeadline'),
      initiateSentAt: filled('initiateSentAt'),
      initiateSends: filled('initiateSends'),
      initiateRejection: filled('initiateRejection'),
      initiatedAt: filled('initiatedAt'),
      paidAt: filled('paidAt'),
      closedAt: filled('closedAt'),
      late: filled('late'),
      lapsedAt: filled('lapsedAt'),
      restoredAt: filled('restoredAt'),
      reason: filled('reason'),
      review: filled('review'),
      nextAt: filled('nextAt'),
      leaseUntil: filled('leaseUntil'),
      attempts: filled('attempts'),
      updatedAt: filled('updatedAt'),
    })
    .where(
      and(
        eq(collection.id, placeholder('id')),
        eq(collection.version, placeholder('versionRead')),
        eq(collection.fence, placeholder('fenceRead')),
      ),
    ),
  1,
);

const insertFact = prepareWrite<{
  collectionId: string;
  merchantId: string;
  version: number;
  kind: string;
  data: string;
  at: EpochMs;
}>(build.insert(fact).values(rowOf(fact, 'seq')), 1);

const insertPosting = prepareWrite<{
  collectionId: string;
  merchantId: string;
  livemode: number;
  booking: string;
  account: string;
  amountMinor: number;
  at: EpochMs;
}>(build.insert(posting).values(rowOf(posting, 'seq')), 1);

const claimDue = prepareWrite<{ id: string; fence: number; now: EpochMs; leaseUntil: EpochMs }>(
  build
    .update(collection)
    .set({
      // Due again when the lease runs out, should the worker never come back.
      nextAt: filled('leaseUntil'),
      leaseUntil: filled('leaseUntil'),
      fence: sql`${collection.fence} + 1`,
      attempts: sql`${collection.attempts} + 1`,
    })
    .where(
      and(
        eq(collection.id, placeholder('id')),
        eq(collection.fence, placeholder('fence')),
        // Closed meanwhile: a lost guard, and nobody's fault.
        isNotNull(collection.nextAt),
        lte(collection.leaseUntil, placeholder('now')),
      ),
    ),
  1,
);

const release = prepareWrite<{ now: EpochMs }>(
  build
    .update(collection)
    .set({ leaseUntil: 0, nextAt: filled('now'), fence: sql`${collection.fence} + 1` })
    .where(and(isNotNull(collection.nextAt), gt(collection.leaseUntil, placeholder('now')))),
);

const hurry = prepareWrite<{ merchantId: string; sessionId: string; now: EpochMs }>(
  build
    .update(collection)
    .set({ nextAt: filled('now') })
    .where(
      and(
        eq(collection.merchantId, placeholder('merchantId')),
        eq(collection.sessionId, placeholder('sessionId')),
        gt(collection.nextAt, placeholder('now')),
      ),
    ),
);

const wakeParked = prepareWrite<{ merchantId: string; sessionId: string; now: EpochMs }>(
  build
    .update(inbox)
    .set({ state: 'waiting', nextAt: filled('now') })
    .where(
      and(
        eq(inbox.merchantId, placeholder('merchantId')),
        eq(inbox.sessionId, placeholder('sessionId')),
        eq(inbox.state, 'parked'),
      ),
    ),
);

/** Collections that a dialogue may have to do with. */
const maxRecent = 32;

/** With fewer recent collections of one payer among them, these are all that the payer has. */
export const minRecent = maxRecent / 4;

/** Due collections that one look considers. */
const maxCandidates = 256;

/** Of this mode, and not of a merchant whose calls are held back (a JSON list of ids). */
const isServed = and(
  eq(collection.livemode, placeholder('livemode')),
  sql`${collection.merchantId} NOT IN (SELECT value FROM json_each(${placeholder('held')}))`,
);
const isDue = and(
  lte(collection.nextAt, placeholder('now')),
  lte(collection.leaseUntil, placeholder('now')),
  isServed,
);

/** Which collections a look at the queue may serve. */
export type Served = { livemode: 0 | 1; held: readonly string[] };

/** A collection that waits for a worker. */
export type Due = { id: string; merchantId: string; fence: number };

export type CollectionStore = ReturnType<typeof collectionStore>;

/** Reads and guarded writes of collections, their facts and their postings. */
export function collectionStore(store: Store) {
  const byId = store.read
    .select()
    .from(collection)
    .where(eq(collection.id, placeholder('id')))
    .prepare();
  const bySession = store.read
    .select()
    .from(collection)
    .where(
      and(
        eq(collection.sessionId, placeholder('sessionId')),
        eq(collection.merchantId, placeholder('merchantId')),
        eq(collection.livemode, placeholder('livemode')),
      ),
    )
    .prepare();
  const openOfPayer = store.read
    .select()
    .from(collection)
    .where(
      and(
        eq(collection.merchantId, placeholder('merchantId')),
        eq(collection.payer, placeholder('payer')),
        eq(collection.livemode, placeholder('livemode')),
        inArray(collection.status, [...openStatuses]),
        isNull(collection.lapsedAt),
      ),
    )
    .prepare();
  // Only the latest due are looked at, so that a backlog of any length costs the same; of these, money steps come
  // before polls and the newest first: after an outage the payers who still wait are served.
  const latest = store.read
    .select({
      id: collection.id,
      merchantId: collection.merchantId,
      fence: collection.fence,
      status: collection.status,
      openedAt: collection.openedAt,
    })
    .from(collection)
    .where(isDue)
    .orderBy(desc(collection.nextAt))
    .limit(maxCandidates)
    .as('latest');
  const due = store.read
    .select({ id: latest.id, merchantId: latest.merchantId, fence: latest.fence })
    .from(latest)
    .orderBy(asc(sql`${latest.status} NOT IN ('accepted', 'created')`), desc(latest.openedAt))
    .limit(placeholder('limit'))
    .prepare();
  const oldest = store.read
    .select({ id: collection.id, merchantId: collection.merchantId, fence: collection.fence })
    .from(collection)
    .where(isDue)
    .orderBy(asc(collection.nextAt))
    .limit(placeholder('limit'))
    .prepare();
  const earliest = store.read
    .select({ at: collection.nextAt })
    .from(collection)
    .where(and(isNotNull(collection.nextAt), isServed))
    .orderBy(asc(collection.nextAt))
    .limit(1)
    .prepare();

  const ahead = store.read
    .select({ id: collection.id })
    .from(collection)
    .where(and(isNotNull(collection.nextAt), gt(collection.updatedAt, placeholder('now'))))
    .prepare();

  const lastPayer = store.read
    .select({ payer: turn.payer })
    .from(turn)
    .where(and(eq(turn.channel, placeholder('channel')), eq(turn.session, placeholder('session'))))
    .orderBy(desc(turn.sequence))
    .limit(1);
  const newest = (which: SQL, most: number) => {
    const ids = store.read
      .select({ id: collection.id })
      .from(collection)
      .where(
        and(
          which,
          eq(collection.merchantId, placeholder('merchantId')),
          eq(collection.livemode, placeholder('livemode')),
          gte(collection.openedAt, placeholder('since')),
        ),
      )
      .orderBy(desc(collection.openedAt), desc(collection.id))
      .limit(most)
      .as('newest');
    return sql`SELECT ${ids.id} FROM ${ids}`;
  };
  const seen = [
    newest(eq(collection.payer, placeholder('dialler')), minRecent),
    newest(eq(collection.dialler, placeholder('dialler')), minRecent),
    newest(sql`${collection.payer} = (${lastPayer})`, maxRecent / 2),
  ];
  const recent = store.read
    .select()
    .from(collection)
    .where(sql`${collection.id} IN (${sql.join(seen, sql` UNION `)})`)
    .orderBy(desc(collection.openedAt), desc(collection.id))
    .prepare();
  // As a standing has it: without a reference of the payer's own, one was made.
  const isMade = sql`${collection.reference} = ${collection.shortReference}`;
  const twin = store.read
    .select()
    .from(collection)
    .where(
      and(
        eq(collection.payer, placeholder('payer')),
        eq(collection.merchantId, placeholder('merchantId')),
        eq(collection.livemode, placeholder('livemode')),
        gte(collection.openedAt, placeholder('since')),
        eq(collection.goodsMinor, placeholder('goodsMinor')),
        sql`CASE WHEN ${placeholder('reference')} IS NULL THEN ${isMade}
          ELSE NOT ${isMade} AND ${eq(collection.reference, placeholder('reference'))} END`,
        or(
          inArray(collection.status, ['paid', 'review']),
          and(inArray(collection.status, [...openStatuses]), isNotNull(collection.lapsedAt)),
        ),
      ),
    )
    .orderBy(desc(collection.openedAt), desc(collection.id))
    .limit(1)
    .prepare();
  const byShortReference = store.read
    .select()
    .from(collection)
    .where(
      and(
        eq(collection.shortReference, placeholder('shortReference')),
        eq(collection.merchantId, placeholder('merchantId')),
        eq(collection.livemode, placeholder('livemode')),
      ),
    )
    .prepare();

  return {
    async find(id: string): Promise<CollectionRow | undefined> {
      return (await byId.get({ id })) as CollectionRow | undefined;
    },
    async findBySession(key: { merchantId: string; livemode: 0 | 1; sessionId: string }) {
      return (await bySession.get(key)) as CollectionRow | undefined;
    },
    /** The collection that keeps this payer from opening another one at this merchant. */
    async findOpen(key: {
      merchantId: string;
      livemode: 0 | 1;
      payer: Msisdn;
    }): Promise<CollectionRow | undefined> {
      return (await openOfPayer.get(key)) as CollectionRow | undefined;
    },
    /**
     * Collections opened since a time that a dialogue has to do with, newest first, at most 32: of the dialler's own
     * number, asked for by the dialler, and of the number that would pay as the session's last turn has it. One who
     * asks for many has no room among them that the others need.
     */
    async recent(key: {
      merchantId: string;
      livemode: 0 | 1;
      dialler: Msisdn;
      channel: string;
      session: string;
      since: EpochMs;
    }): Promise<CollectionRow[]> {
      return (await recent.all(key)) as CollectionRow[];
    },
    /**
     * The newest collection since a time of the same payer, amount and reference that was paid, or may be: lapsed, or
     * under review. However many others there are. `reference` is the payer's own, undefined where one was made.
     */
    async duplicateOf({
      reference = null,
      ...key
    }: {
      merchantId: string;
      livemode: 0 | 1;
      payer: Msisdn;
      goodsMinor: AmountMinor;
      reference: string | null | undefined;
      since: EpochMs;
    }): Promise<CollectionRow | undefined> {
      return (await twin.get({ ...key, reference })) as CollectionRow | undefined;
    },
    async findByShortReference(key: {
      merchantId: string;
      livemode: 0 | 1;
      shortReference: string;
    }): Promise<CollectionRow | undefined> {
      return (await byShortReference.get(key)) as CollectionRow | undefined;
    },
    /** The first thing that is in the way of an opening: see `refusalOf`. */
    findRefusal: refusalQuery(store),
    /** Due collections: money steps, then the newest; or, so that nobody waits for ever, the longest due. */
    listDue(look: Served & { now: EpochMs; limit: number; order: 'newest' | 'oldest' }): Promise<Due[]> {
      const key = { ...look, held: JSON.stringify(look.held) };
      return look.order === 'newest' ? due.all(key) : oldest.all(key);
    },
    /** When the next collection falls due; `null` while none is open. */
    async nextDueAt({ livemode, held }: Served): Promise<EpochMs | null> {
      return (await earliest.get({ livemode, held: JSON.stringify(held) }))?.at ?? null;
    },
    /** The ids of open collections that a clock has written which was ahead of this time. */
    async listAhead(now: EpochMs): Promise<string[]> {
      return (await ahead.all({ now })).map(({ id }) => id);
    },
    /** Takes the lease of a due collection; `false` when another worker was faster. */
    claim: ({ id, fence }: Pick<Due, 'id' | 'fence'>, now: EpochMs, leaseUntil: EpochMs): Promise<boolean> =>
      store.apply([claimDue({ id, fence, now, leaseUntil })]),
    apply: store.apply,
  };
}

/** Writes of a collection that has just been opened, refused while anything is in its way: see `refusalOf`. */
export function intentWrites(row: CollectionRow, opening: Fact, limits: Limits): Write[] {
  return [guardedInsert(row, limits), factWrite(row, 1, opening, row.openedAt)];
}

/** Writes of a transition: the projection, guarded by what was read, its facts and its bookings. */
export function transitionWrites(
  before: CollectionRow,
  after: CollectionRow,
  facts: readonly Fact[],
  bookings: readonly Booking[],
  at: EpochMs,
): Write[] {
  const { merchantId, livemode, id: collectionId } = before;
  const writes = [updateCollection({ ...after, versionRead: before.version, fenceRead: before.fence })];
  for (const [index, one] of facts.entries())
    writes.push(factWrite(before, before.version + index + 1, one, at));
  for (const { kind: booking, postings } of bookings) {
    for (const side of postings)
      writes.push(insertPosting({ collectionId, merchantId, livemode, booking, ...side, at }));
  }
  if (before.sessionId === null && after.sessionId !== null) {
    writes.push(wakeParked({ merchantId, sessionId: after.sessionId, now: at }));
  }
  return writes;
}

/** Makes due what a process that ended was working on. Only for the one process that may write. */
export function releaseLeases(now: EpochMs): Write {
  return release({ now });
}

/** Asks for a poll now of the open collection behind a session, when there is one. */
export function hurryWrite(merchantId: string, sessionId: string, now: EpochMs): Write {
  return hurry({ merchantId, sessionId, now });
}

function factWrite(row: { id: string; merchantId: string }, version: number, one: Fact, at: EpochMs): Write {
  const { kind, data } = one;
  return insertFact({
    collectionId: row.id,
    merchantId: row.merchantId,
    version,
    kind,
    data: JSON.stringify(data),
    at,
  });
}
