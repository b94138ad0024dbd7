import { and, asc, getTableColumns, isNull, type SQL, sql } from 'drizzle-orm';
import type { EpochMs } from '../../shared/clock.ts';
import { build, equals, insertRow, parameter, prepareQuery, prepareWrite } from '../../sqlite/statement.ts';
import type { Store } from '../../sqlite/store.ts';
import { reviewTable } from '../schema.ts';

export type ServiceReviewRow = typeof reviewTable.$inferSelect;

/** A charge of the rail, and its time. Two equal charges of one session are the same charge. */
export type Charge = { paidMinor: number; paidAt: EpochMs };

/** A review in a list. `id` is its position in the list. */
export type ListedReview = ServiceReviewRow & { id: string };

export type ReviewStore = ReturnType<typeof reviewStore>;

/** Rows are never deleted, so this is the order in which reviews were opened, also within a millisecond. */
const openingOrder = sql`rowid`;

const positionAt = (time: typeof reviewTable.openedAt | typeof reviewTable.resolvedAt) =>
  sql<string>`${time} || '-' || ${openingOrder}`;

/** The condition of the index `payment_review_refund_due`, which needs the value in its text. */
const isRefundDue = sql`${reviewTable.resolution} = 'rejected' AND ${reviewTable.refundedAt} IS NULL`;

/** Splits a position into its two numbers. */
const parsePosition = (text: string) => text.split('-').map(Number);

const ofSession = equals(reviewTable, 'sessionId');

const listBySession = prepareQuery(
  build.select().from(reviewTable).where(ofSession).orderBy(asc(openingOrder)),
);

const find = prepareQuery(
  build
    .select()
    .from(reviewTable)
    .where(ofSession)
    .orderBy(
      sql`${reviewTable.resolvedAt} IS NOT NULL`,
      sql`CASE WHEN ${reviewTable.resolvedAt} IS NULL THEN ${openingOrder} ELSE -${openingOrder} END`,
    )
    .limit(1),
);

const resolve = prepareWrite<
  Charge & {
    sessionId: string;
    at: EpochMs;
    resolution: 'accepted' | 'rejected';
    note: string | null;
  }
>(
  build
    .update(reviewTable)
    .set({ resolvedAt: parameter('at'), resolution: parameter('resolution'), note: parameter('note') })
    .where(and(ofSession, equals(reviewTable, 'paidAt', 'paidMinor'), isNull(reviewTable.resolvedAt))),
  1,
);

const findRefund = prepareQuery(
  build.select().from(reviewTable).where(and(ofSession, isRefundDue)).orderBy(asc(openingOrder)).limit(1),
);

const settleRefund = prepareWrite<Charge & { sessionId: string; at: EpochMs; reference: string; by: string }>(
  build
    .update(reviewTable)
    .set({
      refundedAt: parameter('at'),
      refundReference: parameter('reference'),
      refundedBy: parameter('by'),
    })
    .where(and(ofSession, equals(reviewTable, 'paidAt', 'paidMinor'), isRefundDue)),
  1,
);

/** Reviews of money that does not fit its session, and their refunds. */
export function reviewStore(store: Store) {
  const list = (
    condition: SQL | undefined,
    time: typeof reviewTable.openedAt | typeof reviewTable.resolvedAt,
    { limit, after }: { limit: number; after: string | undefined },
  ): Promise<ListedReview[]> =>
    store.read
      .select({ ...getTableColumns(reviewTable), id: positionAt(time) })
      .from(reviewTable)
      .where(
        and(
          condition,
          after === undefined ? undefined : sql`(${time}, ${openingOrder}) > ${parsePosition(after)}`,
        ),
      )
      .orderBy(asc(time), asc(openingOrder))
      .limit(limit);

  return {
    /** A session's oldest rejected review whose money was not returned yet. */
    findRefund: (sessionId: string): Promise<ServiceReviewRow | undefined> =>
      findRefund.get(store, { sessionId }),
    /** Records that the money of a rejected review was returned. The guard loses when it was recorded already. */
    settleRefund,
    /** A session's oldest open review, otherwise its newest resolved one. */
    find: (sessionId: string): Promise<ServiceReviewRow | undefined> => find.get(store, { sessionId }),
    /** All reviews of a session, oldest first. */
    listBySession: (sessionId: string): Promise<ServiceReviewRow[]> =>
      listBySession.all(store, { sessionId }),
    /** The open reviews, oldest first. `after` is the last position of the page before. */
    open: (limit: number, after: string | undefined): Promise<ListedReview[]> =>
      list(isNull(reviewTable.resolvedAt), reviewTable.openedAt, { limit, after }),
    /** The rejected reviews whose money was not returned yet, the oldest decision first. */
    refundsDue: (limit: number, after: string | undefined): Promise<ListedReview[]> =>
      list(isRefundDue, reviewTable.resolvedAt, { limit, after }),
    /** Inserts a review. The guard loses when the session has a review of the same charge. */
    insert: insertRow(reviewTable),
    /** Resolves a review. The guard loses when it is resolved already. */
    resolve,
  };
}
