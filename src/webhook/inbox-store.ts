import { and, asc, eq, gt, lte, sql } from 'drizzle-orm';
import { collection, inbox } from '../db/schema.ts';
import { build, filled, prepareWrite, rowOf } from '../db/statement.ts';
import type { Store, Write } from '../db/store.ts';
import type { EpochMs } from '../shared/clock.ts';

export type InboxRow = typeof inbox.$inferSelect;
export type InboxKey = { merchantId: string; eventId: string };

const { placeholder } = sql;
const isKey = and(eq(inbox.merchantId, placeholder('merchantId')), eq(inbox.eventId, placeholder('eventId')));

const insertEvent = prepareWrite<InboxRow>(build.insert(inbox).values(rowOf(inbox)), 1);

const claimEvent = prepareWrite<InboxKey & { attempts: number; leaseUntil: EpochMs; now: EpochMs }>(
  build
    .update(inbox)
    .set({ leaseUntil: filled('leaseUntil'), attempts: sql`${inbox.attempts} + 1` })
    .where(
      and(
        isKey,
        eq(inbox.state, 'waiting'),
        eq(inbox.attempts, placeholder('attempts')),
        lte(inbox.leaseUntil, placeholder('now')),
      ),
    ),
  1,
);

const settleEvent = prepareWrite<InboxKey & { state: InboxRow['state'] }>(
  build
    .update(inbox)
    .set({ state: filled('state'), nextAt: null, leaseUntil: 0 })
    .where(and(isKey, eq(inbox.state, 'waiting'))),
  1,
);

const parkEvent = prepareWrite<InboxKey & { sessionId: string }>(
  build
    .update(inbox)
    .set({ state: 'parked', nextAt: null, leaseUntil: 0 })
    .where(
      and(
        isKey,
        eq(inbox.state, 'waiting'),
        sql`NOT EXISTS (SELECT 1 FROM ${collection} WHERE ${collection.sessionId} = ${placeholder('sessionId')}
            AND ${collection.merchantId} = ${placeholder('merchantId')} AND ${collection.livemode} = ${inbox.livemode})`,
      ),
    ),
  1,
);

const promoteHint = prepareWrite<InboxKey & { now: EpochMs }>(
  build
    .update(inbox)
    .set({ state: 'waiting', nextAt: filled('now') })
    .where(and(isKey, eq(inbox.state, 'hint'))),
  1,
);

const postponeEvent = prepareWrite<InboxKey & { nextAt: EpochMs }>(
  build
    .update(inbox)
    .set({ nextAt: filled('nextAt'), leaseUntil: 0 })
    .where(and(isKey, eq(inbox.state, 'waiting'))),
);

export type InboxStore = ReturnType<typeof inboxStore>;

/** Reads and guarded writes of received events. The event id settles duplicates, for ever. */
export function inboxStore(store: Store) {
  const byKey = store.read.select().from(inbox).where(isKey).prepare();
  const due = store.read
    .select()
    .from(inbox)
    .where(
      and(
        lte(inbox.nextAt, placeholder('now')),
        lte(inbox.leaseUntil, placeholder('now')),
        eq(inbox.livemode, placeholder('livemode')),
      ),
    )
    .orderBy(asc(inbox.nextAt))
    .limit(placeholder('limit'))
    .prepare();
  const earliest = store.read
    .select({ at: sql<number | null>`min(max(${inbox.nextAt}, ${inbox.leaseUntil}))` })
    .from(inbox)
    .where(and(sql`${inbox.nextAt} IS NOT NULL`, eq(inbox.livemode, placeholder('livemode'))))
    .prepare();

  return {
    find: (key: InboxKey): Promise<InboxRow | undefined> => byKey.get(key),
    listDue: (key: { now: EpochMs; livemode: 0 | 1; limit: number }): Promise<InboxRow[]> => due.all(key),
    async nextDueAt(livemode: 0 | 1): Promise<EpochMs | null> {
      return (await earliest.get({ livemode }))?.at ?? null;
    },
    claim: ({ merchantId, eventId, attempts }: InboxRow, now: EpochMs, leaseUntil: EpochMs) =>
      store.apply([claimEvent({ merchantId, eventId, attempts, leaseUntil, now })]),
    apply: (...writes: Write[]) => store.apply(writes),
  };
}

const releaseEvents = prepareWrite<{ now: EpochMs }>(
  build
    .update(inbox)
    .set({ leaseUntil: 0 })
    .where(and(eq(inbox.state, 'waiting'), gt(inbox.leaseUntil, placeholder('now')))),
);

export const inboxWrites = {
  /** Makes due what a process that ended was working on. */
  releaseLeases: (now: EpochMs): Write => releaseEvents({ now }),
  insert: (row: InboxRow): Write => insertEvent(row),
  /** An event that first came stale, as a hint, has now come in time. */
  promote: (key: InboxKey, now: EpochMs): Write => promoteHint({ ...key, now }),
  settle: ({ merchantId, eventId }: InboxKey, state: 'handled' | 'dead'): Write =>
    settleEvent({ merchantId, eventId, state }),
  /** Parks the event, unless its session has become known meanwhile. */
  park: ({ merchantId, eventId }: InboxKey, sessionId: string): Write =>
    parkEvent({ merchantId, eventId, sessionId }),
  postpone: ({ merchantId, eventId }: InboxKey, nextAt: EpochMs): Write =>
    postponeEvent({ merchantId, eventId, nextAt }),
};
