import { and, asc, desc, eq, gt, isNotNull, isNull, lt, lte, type SQL, sql } from 'drizzle-orm';
import { type SessionStatus, sessionStatuses } from '../../contract/service/session.ts';
import type { EpochMs } from '../../shared/clock.ts';
import {
  build,
  equals,
  findRow,
  insertRow,
  parameter,
  prepareQuery,
  prepareWrite,
} from '../../sqlite/statement.ts';
import type { Store } from '../../sqlite/store.ts';
import { equalsIfSet, mergeNewest, unindexed } from '../list-query.ts';
import { type Livemode, sessionTable } from '../schema.ts';

/** A change of a session's status. `SessionStore.hold` is the only other one. */
export type SessionTransition = 'initiate' | 'pay' | 'fail' | 'expire';

const transitions: Readonly<Record<SessionStatus, Partial<Record<SessionTransition, SessionStatus>>>> = {
  created: { initiate: 'initiated', expire: 'expired' },
  initiated: { pay: 'paid', fail: 'failed', expire: 'expired' },
  paid: {},
  failed: {},
  expired: {},
};

/** Returns the status after a transition, or `undefined` when the status does not allow it. */
export function statusAfter(status: SessionStatus, transition: SessionTransition): SessionStatus | undefined {
  return transitions[status][transition];
}

/** True when a status is final: no transition leaves it. */
export function isTerminal(status: SessionStatus): boolean {
  return Object.keys(transitions[status]).length === 0;
}

/** Returns the conditions of the parts of a list that an index has in order: open sessions, and the closed ones of each status. */
export function listParts(status?: SessionStatus): (SQL | undefined)[] {
  const closed = sessionStatuses.filter((one) => isTerminal(one) && (status ?? one) === one);
  const hasOpen = status === undefined || !isTerminal(status);
  return [
    ...(hasOpen
      ? [and(isNull(sessionTable.closedAt), equalsIfSet(unindexed(sessionTable.status), status))]
      : []),
    ...closed.map((one) => and(isNotNull(sessionTable.closedAt), equalsIfSet(sessionTable.status, one))),
  ];
}

/** A payment session: one row of the table. Amounts are in pesewas. */
export type SessionRow = typeof sessionTable.$inferSelect;

/** The rows that a call may read and write: those of one merchant in one mode. */
export type SessionOwner = { merchantId: string; livemode: Livemode };

export type SessionStore = ReturnType<typeof sessionStore>;

const { placeholder } = sql;

const find = findRow(sessionTable, 'id', 'merchantId', 'livemode');

const findAny = findRow(sessionTable, 'id');

/** Prepares the queries of the sessions of a mode that are due at a time of theirs, the earliest first, and of the first such time. */
function prepareDue(time: typeof sessionTable.expiresAt | typeof sessionTable.inquireAt) {
  const ofMode = equals(sessionTable, 'livemode');
  const due = build
    .select()
    .from(sessionTable)
    .where(and(lte(time, placeholder('now')), ofMode))
    .orderBy(asc(time))
    .limit(placeholder('limit'));
  const next = build
    .select({ at: time })
    .from(sessionTable)
    .where(and(isNotNull(time), ofMode))
    .orderBy(asc(time))
    .limit(1);
  return { due: prepareQuery(due), next: prepareQuery(next) };
}

const expiry = prepareDue(sessionTable.expiresAt);

const inquiry = prepareDue(sessionTable.inquireAt);

const initiate = prepareWrite<{ id: string; now: EpochMs; expiresAt: EpochMs; inquireAt: EpochMs }>(
  build
    .update(sessionTable)
    .set({
      status: 'initiated',
      initiatedAt: parameter('now'),
      expiresAt: parameter('expiresAt'),
      inquireAt: parameter('inquireAt'),
    })
    .where(
      and(
        equals(sessionTable, 'id'),
        eq(sessionTable.status, 'created'),
        gt(sessionTable.expiresAt, placeholder('now')),
      ),
    ),
  1,
);

const close = prepareWrite<{
  id: string;
  from: SessionStatus;
  heldAt: EpochMs | null;
  status: SessionStatus;
  reason: string | null;
  paidAt: EpochMs | null;
  paidMinor: number | null;
  closedAt: EpochMs;
}>(
  build
    .update(sessionTable)
    .set({
      status: parameter('status'),
      reason: parameter('reason'),
      paidAt: parameter('paidAt'),
      paidMinor: parameter('paidMinor'),
      closedAt: parameter('closedAt'),
      expiresAt: null,
      inquireAt: null,
      heldAt: null,
    })
    .where(
      and(
        equals(sessionTable, 'id'),
        eq(sessionTable.status, placeholder('from')),
        sql`${sessionTable.heldAt} IS ${placeholder('heldAt')}`,
      ),
    ),
  1,
);

const hold = prepareWrite<{ id: string; from: 'created' | 'initiated'; at: EpochMs }>(
  build
    .update(sessionTable)
    .set({ status: 'initiated', heldAt: parameter('at'), expiresAt: null, inquireAt: null })
    .where(
      and(
        equals(sessionTable, 'id'),
        eq(sessionTable.status, placeholder('from')),
        isNull(sessionTable.heldAt),
      ),
    ),
  1,
);

const inquireAgain = prepareWrite<{ id: string; at: EpochMs }>(
  build
    .update(sessionTable)
    .set({ inquireAt: parameter('at') })
    .where(and(equals(sessionTable, 'id'), isNotNull(sessionTable.inquireAt))),
);

/** Prepares the statements on payment sessions. Functions that return a `Write` change nothing until it is applied. */
export function sessionStore(store: Store) {
  return {
    /** Finds a session of the owner. Sessions of another merchant or mode are not found. */
    find: (owner: SessionOwner, id: string): Promise<SessionRow | undefined> =>
      find.get(store, { ...owner, id }),
    /** Finds a session of any merchant, for results that the rail reports. */
    findAny: (id: string): Promise<SessionRow | undefined> => findAny.get(store, { id }),
    /** Returns at most `limit` open sessions of a mode whose time is over, the earliest first. */
    overdue: (livemode: Livemode, now: EpochMs, limit: number): Promise<SessionRow[]> =>
      expiry.due.all(store, { livemode, now, limit }),
    /** Returns the earliest time at which an open session of a mode expires; `undefined` without one. */
    nextExpiry: async (livemode: Livemode): Promise<EpochMs | undefined> =>
      (await expiry.next.get(store, { livemode }))?.at ?? undefined,
    insert: insertRow(sessionTable),
    /** Moves an unexpired session from `created` to `initiated`. This guard precedes every push. */
    initiate,
    /** Returns at most `limit` sessions of a mode about which the rail is due to be asked, the longest due first. */
    inquiries: (livemode: Livemode, now: EpochMs, limit: number): Promise<SessionRow[]> =>
      inquiry.due.all(store, { livemode, now, limit }),
    nextInquiry: async (livemode: Livemode): Promise<EpochMs | undefined> =>
      (await inquiry.next.get(store, { livemode }))?.at ?? undefined,
    /** Schedules the next inquiry of a session that still waits for its result. */
    inquireAgain,
    /** Moves a session from `from` to a terminal status. The guard loses when the hold on it has changed. */
    close,
    /** Puts an open session on hold until its review is resolved. It neither expires nor can be initiated. */
    hold,
    /** Returns at most `limit` sessions of the owner, newest first. `before` is the last identifier of the previous page. */
    async list(
      owner: SessionOwner,
      filter: { reference?: string | undefined; status?: SessionStatus | undefined },
      limit: number,
      before: string | undefined,
    ): Promise<SessionRow[]> {
      const { reference, status } = filter;
      const page = (...where: (SQL | undefined)[]) =>
        store.read
          .select()
          .from(sessionTable)
          .where(
            and(
              eq(sessionTable.merchantId, owner.merchantId),
              eq(sessionTable.livemode, owner.livemode),
              ...where,
              before === undefined ? undefined : lt(sessionTable.id, before),
            ),
          )
          .orderBy(desc(sessionTable.id))
          .limit(limit);
      if (reference !== undefined) {
        return page(
          eq(sessionTable.reference, reference),
          equalsIfSet(unindexed(sessionTable.status), status),
        );
      }
      return mergeNewest(await Promise.all(listParts(status).map((part) => page(part))), limit);
    },
  };
}
