import { and, asc, desc, eq, gte, isNull, lte, or, sql } from 'drizzle-orm';
import type { EpochMs } from '../../shared/clock.ts';
import type { Store } from '../../sqlite/store.ts';
import { collection, job } from '../database/schema.ts';
import type { UnplacedPayment } from './unplaced.ts';

/** A collection that an unplaced payment may belong to, and what agrees besides the amount. */
export type Suggestion = {
  collectionId: string;
  shortReference: string;
  reference: string;
  status: string;
  payer: string;
  goodsMinor: number;
  amountMinor: number | null;
  openedAt: EpochMs;
  isSamePayer: number;
  isSameReference: number;
};

const hourMs = 60 * 60_000;
/** A payment follows its confirmation within this time. */
const maxAgeMs = 24 * hourMs;
/** The clocks of the service and of the gateway differ by less. */
const maxAheadMs = hourMs / 6;
/** The newest collections of the time span that are compared. */
const maxCompared = 5_000;

/**
 * Returns the collections that an unplaced payment may belong to, best first: of the same merchant and mode, with the same
 * amount and without money, opened up to a day before it. The same payer or reference comes first, then the nearest time.
 * Collections that the gateway still polls are left out: their result is not known yet.
 */
export function suggestMatches(
  { read }: Store,
  payment: UnplacedPayment,
  limit: number,
): Promise<Suggestion[]> {
  const paidAt = toTime(payment);
  const { merchantId, livemode, amountMinor, goodsMinor, payer, reference, clientTransId } = payment;
  const near = read
    .select()
    .from(collection)
    .where(
      and(
        eq(collection.merchantId, merchantId),
        sql`${collection.livemode} = ${livemode}`,
        gte(collection.openedAt, paidAt - maxAgeMs),
        lte(collection.openedAt, paidAt + maxAheadMs),
      ),
    )
    .orderBy(desc(collection.openedAt))
    .limit(maxCompared)
    .as('near');
  // PostgreSQL adds no booleans.
  const isSamePayer = sql<number>`CASE WHEN ${near.payer} = ${payer} THEN 1 ELSE 0 END`;
  const isSameReference = sql<number>`CASE WHEN ${near.reference} IN (${reference}, ${clientTransId})
    OR ${near.shortReference} IN (${reference}, ${clientTransId}) THEN 1 ELSE 0 END`;
  return read
    .select({
      collectionId: near.id,
      shortReference: near.shortReference,
      reference: near.reference,
      status: near.status,
      payer: near.payer,
      goodsMinor: near.goodsMinor,
      amountMinor: near.amountMinor,
      openedAt: near.openedAt,
      isSamePayer,
      isSameReference,
    })
    .from(near)
    .where(
      and(
        isNull(near.booked),
        sql`${near.id} NOT IN (SELECT ${job.collectionId} FROM ${job})`,
        or(
          sql`${near.amountMinor} = ${amountMinor}`,
          sql`${near.amountMinor} IS NULL AND ${near.goodsMinor} = ${goodsMinor}`,
        ),
      ),
    )
    .orderBy(desc(sql`${isSamePayer} + ${isSameReference}`), asc(sql`abs(${near.openedAt} - ${paidAt})`))
    .limit(limit);
}

/** Returns the time of the payment as the event states it, or else the time of the event. */
function toTime({ paidAt, receivedAt }: UnplacedPayment): EpochMs {
  const stated = paidAt === null ? Number.NaN : Date.parse(paidAt);
  return Number.isFinite(stated) ? Math.min(stated, receivedAt) : receivedAt;
}
