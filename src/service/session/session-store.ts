import { and, asc, desc, eq, gt, isNotNull, isNull, lt, lte, sql } from 'drizzle-orm';
import type { SessionStatus } from '../../contract/session.ts';
import type { EpochMs } from '../../shared/clock.ts';
import { build, prepareWrite } from '../../sqlite/statement.ts';
import type { Store, Write } from '../../sqlite/store.ts';
import { filled, insertRow, maybe, unindexed } from '../row-store.ts';
import { type Livemode, session } from '../schema.ts';

export type Session = typeof session.$inferSelect;

/** Whose data a call may touch: one merchant's, in one mode. */
export type Owner = { merchantId: string; livemode: Livemode };

export type SessionStore = ReturnType<typeof sessionStore>;

export function sessionStore({ read }: Store) {
  const { placeholder } = sql;

  const owned = read
    .select()
    .from(session)
    .where(
      and(
        eq(session.id, placeholder('id')),
        eq(session.merchantId, placeholder('merchantId')),
        eq(session.livemode, placeholder('livemode')),
      ),
    )
    .prepare();
  const any = read
    .select()
    .from(session)
    .where(eq(session.id, placeholder('id')))
    .prepare();
  const overdue = read
    .select()
    .from(session)
    .where(and(lte(session.expiresAt, placeholder('now')), eq(session.livemode, placeholder('livemode'))))
    .orderBy(asc(session.expiresAt))
    .limit(placeholder('limit'))
    .prepare();
  const nextExpiry = read
    .select({ at: session.expiresAt })
    .from(session)
    .where(and(isNotNull(session.expiresAt), eq(session.livemode, placeholder('livemode'))))
    .orderBy(asc(session.expiresAt))
    .limit(1)
    .prepare();

  const insert = insertRow(session);
  const initiate = prepareWrite<{ id: string; now: EpochMs; expiresAt: EpochMs }>(
    build
      .update(session)
      .set({ status: 'initiated', initiatedAt: filled('now'), expiresAt: filled('expiresAt') })
      .where(
        and(
          eq(session.id, placeholder('id')),
          eq(session.status, 'created'),
          gt(session.expiresAt, placeholder('now')),
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
    closedAt: EpochMs;
  }>(
    build
      .update(session)
      .set({
        status: filled('status'),
        reason: filled('reason'),
        paidAt: filled('paidAt'),
        closedAt: filled('closedAt'),
        expiresAt: null,
        heldAt: null,
      })
      .where(
        and(
          eq(session.id, placeholder('id')),
          eq(session.status, placeholder('from')),
          sql`${session.heldAt} IS ${placeholder('heldAt')}`,
        ),
      ),
    1,
  );
  const hold = prepareWrite<{ id: string; from: 'created' | 'initiated'; at: EpochMs }>(
    build
      .update(session)
      .set({ status: 'initiated', heldAt: filled('at'), expiresAt: null })
      .where(
        and(
          eq(session.id, placeholder('id')),
          eq(session.status, placeholder('from')),
          isNull(session.heldAt),
        ),
      ),
    1,
  );

  return {
    /** The owner's session; another merchant's or another mode's is not there. */
    find: (owner: Owner, id: string): Promise<Session | undefined> => owned.get({ ...owner, id }),
    /** Any session, for results that the rail reports. */
    findAny: (id: string): Promise<Session | undefined> => any.get({ id }),
    /** A mode's open sessions whose time is over, oldest first. */
    overdue: (livemode: Livemode, now: EpochMs, limit: number): Promise<Session[]> =>
      overdue.all({ livemode, now, limit }),
    nextExpiry: async (livemode: Livemode): Promise<EpochMs | undefined> =>
      (await nextExpiry.get({ livemode }))?.at ?? undefined,
    insert: (row: Session): Write => insert(row),
    /** Leaves `created` while its time is not over: the one guard in front of every push. */
    initiate: (id: string, now: EpochMs, expiresAt: EpochMs): Write => initiate({ id, now, expiresAt }),
    /** Leaves `from` for a terminal status; loses when it was held, or let go, in the meantime. */
    close,
    /** Stops an open session's clock until a person has decided about it; none is initiated any more. */
    hold,
    /** Newest first, those before `before` if it is given. */
    list: (
      owner: Owner,
      of: { reference?: string | undefined; status?: SessionStatus | undefined },
      limit: number,
      before: string | undefined,
    ): Promise<Session[]> =>
      read
        .select()
        .from(session)
        .where(
          and(
            eq(session.merchantId, owner.merchantId),
            eq(session.livemode, owner.livemode),
            maybe(session.reference, of.reference),
            maybe(of.reference === undefined ? session.status : unindexed(session.status), of.status),
            before === undefined ? undefined : lt(session.id, before),
          ),
        )
        .orderBy(desc(session.id))
        .limit(limit),
  };
}
