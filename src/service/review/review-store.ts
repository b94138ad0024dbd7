import { and, asc, eq, isNull, sql } from 'drizzle-orm';
import { build, prepareWrite } from '../../db/statement.ts';
import type { Store, Write } from '../../db/store.ts';
import type { EpochMs } from '../../shared/clock.ts';
import { filled, insertRow } from '../row-store.ts';
import { review } from '../schema.ts';

export type Review = typeof review.$inferSelect;

export type ReviewStore = ReturnType<typeof reviewStore>;

export function reviewStore({ read }: Store) {
  const { placeholder } = sql;

  const find = read
    .select()
    .from(review)
    .where(eq(review.sessionId, placeholder('sessionId')))
    .prepare();
  const insert = insertRow(review);
  const resolve = prepareWrite<{
    sessionId: string;
    at: EpochMs;
    resolution: 'accepted' | 'rejected';
    note: string | null;
  }>(
    build
      .update(review)
      .set({ resolvedAt: filled('at'), resolution: filled('resolution'), note: filled('note') })
      .where(and(eq(review.sessionId, placeholder('sessionId')), isNull(review.resolvedAt))),
    1,
  );

  return {
    find: (sessionId: string): Promise<Review | undefined> => find.get({ sessionId }),
    /** Those that wait for a person, oldest first. */
    open: (limit: number): Promise<Review[]> =>
      read.select().from(review).where(isNull(review.resolvedAt)).orderBy(asc(review.openedAt)).limit(limit),
    insert: (row: Review): Write => insert(row),
    /** Loses when the review is resolved already. */
    resolve,
  };
}
