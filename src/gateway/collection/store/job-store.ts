import { and, eq, gt, gte, sql } from 'drizzle-orm';
import type { EpochMs } from '../../../shared/clock.ts';
import type { Msisdn } from '../../../shared/msisdn.ts';
import { build, equals, insertRow, parameter, prepareWrite } from '../../../sqlite/statement.ts';
import type { Write } from '../../../sqlite/store.ts';
import { collection, job, phoneLock, turn } from '../../database/schema.ts';
import type { CollectionWithJob } from '../collection.ts';
import { getUrgency } from '../schedule.ts';

/* Writes of jobs, each a part of a batch. `claim-store.ts` lists and claims them; a transition changes them (`collection-store.ts`). */

const { placeholder } = sql;

const insertJob = insertRow(job);

/** Returns the write that gives a new collection its job. */
export function insertJobWrite({ id: collectionId, nextAt, ...row }: CollectionWithJob): Write {
  const { merchantId, livemode, openedAt, leaseUntil, fence, home, attempts } = row;
  return insertJob({
    ...{ collectionId, merchantId, livemode, openedAt, leaseUntil, fence, home, attempts },
    ...{ nextAt: nextAt ?? 0, urgency: getUrgency(row.status) },
  });
}

/** The turns of a phone that were read: all of them since a time, up to a row of the table. */
export type SeenTurns = { since: EpochMs; seq: number };

/** Loses when the payer's phone has a turn that was not seen. */
const unlessDialled = prepareWrite<{ collectionId: string; payer: string } & SeenTurns>(
  build
    .update(job)
    .set({ home: sql`${job.home}` })
    .where(
      and(
        equals(job, 'collectionId'),
        sql`NOT EXISTS (SELECT 1 FROM ${turn} WHERE ${and(
          eq(turn.dialler, placeholder('payer')),
          gte(turn.at, placeholder('since')),
          gt(turn.seq, placeholder('seq')),
        )})`,
      ),
    ),
  1,
);

const release = prepareWrite<{ now: EpochMs }>(
  build
    .update(job)
    .set({ leaseUntil: 0, nextAt: parameter('now'), fence: sql`${job.fence} + 1` })
    .where(gt(job.leaseUntil, placeholder('now'))),
);

/** Every job belongs to this gateway: no other one is connected. */
const adoptAll = prepareWrite<{ home: string }>(build.update(job).set({ home: parameter('home') }));

const pollNow = prepareWrite<{ merchantId: string; sessionId: string; now: EpochMs }>(
  build
    .update(job)
    .set({ nextAt: parameter('now') })
    .where(
      and(
        sql`${job.collectionId} IN (SELECT ${collection.id} FROM ${collection}
          WHERE ${equals(collection, 'merchantId', 'sessionId')})`,
        gt(job.nextAt, placeholder('now')),
      ),
    ),
);

const checkNow = prepareWrite<{ id: string; version: number; now: EpochMs }>(
  build
    .update(job)
    .set({ nextAt: parameter('now') })
    .where(
      sql`${job.collectionId} IN (SELECT ${collection.id} FROM ${collection} WHERE ${equals(collection, 'id', 'version')})`,
    ),
  1,
);

/** Releases every lease and makes its collection due. Only for the single writer, when it starts. */
export function releaseLeases(now: EpochMs): Write {
  return release({ now });
}

/** Makes a gateway the home of every job. For a gateway that starts while no other one is connected. */
export function adoptAllWrite(home: string): Write {
  return { ...adoptAll({ home }), isUnbounded: true };
}

/** The guard of a batch that requests a prompt: it loses when the payer has dialled, or typed, since `seen` was read. */
export function unlessDialledWrite(collectionId: string, payer: Msisdn, seen: SeenTurns): Write {
  return { ...unlessDialled({ collectionId, payer, ...seen }), locks: [phoneLock(payer)] };
}

/** Makes the collection of a session, if there is one with work left, due for a poll now. */
export function pollNowWrite(merchantId: string, sessionId: string, now: EpochMs): Write {
  return pollNow({ merchantId, sessionId, now });
}

/** Makes one collection due now, if it has no newer fact than the caller has read. */
export function checkNowWrite({ id, version }: { id: string; version: number }, now: EpochMs): Write {
  return checkNow({ id, version, now });
}
