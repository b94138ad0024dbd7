import { and, asc, eq, getTableColumns, isNull, sql } from 'drizzle-orm';
import type { EpochMs } from '../../shared/clock.ts';
import { build, prepareWrite } from '../../sqlite/statement.ts';
import type { Store, Write } from '../../sqlite/store.ts';
import { filled, insertRow } from '../row-store.ts';
import { review } from '../schema.ts';

export type Review = typeof review.$inferSelect;

/** What the rail took, and when. Of one session, the same again is the same charge. */
export type Charge = { paidMinor: number; paidAt: EpochMs };

/** `id` is its place in the list of those that wait. */
export type WaitingReview = Review & { id: string };

export type ReviewStore = ReturnType<typeof reviewStore>;

/** Nothing is ever removed, so that this is the order in which reviews were opened, also within a millisecond. */
const opening = sql`rowid`;

const place = sql<string>`${review.openedAt} || '-' || ${opening}`;

/** The two numbers of a place. */
const placeOf = (text: string) => text.split('-').map(Number);

export function reviewStore({ read }: Store) {
  const { placeholder } = sql;
  const ofSession = eq(review.sessionId, placeholder('sessionId'));

  const of = read.select().from(review).where(ofSession).orderBy(asc(opening)).prepare();
  const find = read
    .select()
    .from(review)
    .where(ofSession)
    .orderBy(
      sql`${review.resolvedAt} IS NOT NULL`,
      sql`CASE WHEN ${review.resolvedAt} IS NULL THEN ${opening} ELSE -${opening} END`,
    )
    .limit(1)
    .prepare();
  const insert = insertRow(review);
  const resolve = prepareWrite<
    Charge & {
      sessionId: string;
      at: EpochMs;
      resolution: 'accepted' | 'rejected';
      note: string | null;
    }
  >(
    build
      .update(review)
      .set({ resolvedAt: filled('at'), resolution: filled('resolution'), note: filled('note') })
      .where(
        and(
          ofSession,
          eq(review.paidAt, placeholder('paidAt')),
          eq(review.paidMinor, placeholder('paidMinor')),
          isNull(review.resolvedAt),
        ),
      ),
    1,
  );

  return {
    /** The session's oldest review that waits for a person; where none waits, its newest. */
    find: (sessionId: string): Promise<Review | undefined> => find.get({ sessionId }),
    /** All of a session's, the first first. */
    of: (sessionId: string): Promise<Review[]> => of.all({ sessionId }),
    /** Those that wait for a person, oldest first, those after the place `after` if it is given. */
    open: (limit: number, after: string | undefined): Promise<WaitingReview[]> =>
      read
        .select({ ...getTableColumns(review), id: place })
        .from(review)
        .where(
          and(
            isNull(review.resolvedAt),
            after === undefined ? undefined : sql`(${review.openedAt}, ${opening}) > ${placeOf(after)}`,
          ),
        )
        .orderBy(asc(review.openedAt), asc(opening))
        .limit(limit),
    /** Loses when there is a review of this very charge. */
    insert: (row: Review): Write => insert(row),
    /** Loses when the review is resolved already. */
    resolve,
  };
}
