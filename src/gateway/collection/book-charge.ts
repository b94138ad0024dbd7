import type { EpochMs } from '../../shared/clock.ts';
import type { Ids } from '../../shared/ids.ts';
import type { Log } from '../../shared/log.ts';
import type { Write } from '../../sqlite/store.ts';
import {
  chargeWrites,
  isExplained,
  isLastRefund,
  refundUnclear,
  refundWrites,
} from '../unplaced/record-charge.ts';
import type { StatedPayment, UnplacedPayment } from '../unplaced/unplaced.ts';
import type { Collection } from './collection.ts';
import type { Decision } from './decide/decision.ts';
import type { Evidence, EvidenceOf } from './evidence.ts';

export type BookChargeDeps = { ids: Pick<Ids, 'next'>; log: Pick<Log, 'error'> };

type Charge = NonNullable<Decision['charge']>;

/**
 * Returns the writes of the money in the collection's payment session that the collection does not explain: a second
 * charge goes into suspense as an unplaced payment of its own, and the service's refund of it leaves suspense.
 *
 * @param charges all unplaced payments of the session.
 */
export function besideWrites(
  deps: BookChargeDeps,
  { before, charges }: { before: Collection; charges: readonly UnplacedPayment[] },
  { evidence, charge }: { evidence: Evidence; charge: Charge | undefined },
  now: EpochMs,
): Write[] {
  const settled = secondRefund(evidence);
  if (settled) {
    const { amountMinor, reference, by, paidAt = null } = settled;
    const refunded = { reports: 'second_charge', chargedMinor: amountMinor, paidAt } as const;
    const report = reportOf(deps, before, evidence, refunded);
    const writes = refundWrites(charges, report, { amountMinor, reference, by }, now);
    if (writes !== 'unclear') return writes;
    const line = { collection: before.id, merchant: before.merchantId, alarm: 'refund_unclear' };
    deps.log.error(line, refundUnclear);
    return [];
  }
  // The payment of the session can be the one that people matched with the collection. A second charge of it is another payment.
  const isMatched =
    charge?.reports === 'payment' && charges.some((one) => one.charge === 1 && one.id === before.unplacedId);
  if (!charge || isMatched) return [];
  return chargeWrites(charges, reportOf(deps, before, evidence, charge), now);
}

/**
 * Keeps the review about second charges to those in suspense. The refund of the last one ends the review of a paid collection,
 * and a further report of a charge that is no longer in suspense opens none.
 */
export function withReviewOfCharges(
  decision: Decision,
  { before, charges }: { before: Collection; charges: readonly UnplacedPayment[] },
  evidence: Evidence,
): Decision {
  const settled = secondRefund(evidence);
  if (settled) {
    const { amountMinor: chargedMinor, paidAt = null } = settled;
    const isAboutCharges = before.status === 'paid' && before.review === 'second_charge';
    if (!isAboutCharges || !isLastRefund(charges, { chargedMinor, paidAt })) return decision;
    const facts = decision.facts.map((fact) =>
      fact.kind === 'refund_reported' ? { ...fact, data: { ...fact.data, endsReview: true } } : fact,
    );
    return { ...decision, facts };
  }
  const { charge, alarm: _, ...rest } = decision;
  if (charge?.reports !== 'second_charge' || !isExplained(charges, charge)) return decision;
  const facts = rest.facts.filter((fact) => fact.kind !== 'flagged' || fact.data.reason !== 'second_charge');
  return facts.length === rest.facts.length ? decision : { ...rest, charge, facts };
}

function secondRefund(evidence: Evidence): EvidenceOf<'event_refund'> | undefined {
  const event = evidence.kind === 'event_stale' ? evidence.event : evidence;
  return event.kind === 'event_refund' && event.secondCharge ? event : undefined;
}

function reportOf(
  { ids }: BookChargeDeps,
  { merchantId, livemode, sessionId, payer, reference, shortReference }: Collection,
  evidence: Evidence,
  charge: Charge,
) {
  const event = 'eventId' in evidence ? evidence : { eventId: null, type: 'poll' };
  const stated: StatedPayment = {
    ...{ eventId: event.eventId, eventType: event.type, ...charge },
    ...{ goodsMinor: null, feeMinor: null, netMinor: null },
    ...{ payer, reference, clientTransId: shortReference, channel: null },
  };
  const key = { merchantId, livemode, sessionId: sessionId ?? '' };
  return { ...key, id: ids.next('unp'), reason: 'second_charge', stated } as const;
}
