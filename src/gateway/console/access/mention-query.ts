import { and, desc, eq, gte, sql } from 'drizzle-orm';
import type { EpochMs } from '../../../shared/clock.ts';
import type { Store } from '../../../sqlite/store.ts';
import { collection, staffAction } from '../../database/schema.ts';

/** A note about a payment that mentions a person. */
export type Mention = { at: EpochMs; by: string; collectionId: string; shortReference: string };

const maxMentions = 20;

/** Older mentions stand in the timelines only. */
const shownMs = 7 * 24 * 3_600_000;

/** Returns who mentioned a person in the last week, newest first. */
export function readMentions({ read }: Store, accountId: string, now: EpochMs): Promise<Mention[]> {
  const { id: collectionId, shortReference } = collection;
  return read
    .select({ at: staffAction.at, by: staffAction.actor, collectionId, shortReference })
    .from(staffAction)
    .innerJoin(collection, eq(collectionId, sql`${staffAction.detail} ->> '$.collection'`))
    .where(
      and(
        eq(staffAction.subjectId, accountId),
        eq(staffAction.action, 'mention'),
        gte(staffAction.at, now - shownMs),
      ),
    )
    .orderBy(desc(staffAction.seq))
    .limit(maxMentions);
}
