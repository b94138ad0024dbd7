import type { OfflineSession } from '../../../contract/service/reading.ts';
import { isKeyStatus } from '../calls/service-health.ts';
import type { Collection, QuoteFault } from '../collection.ts';
import type { EvidenceOf } from '../evidence.ts';
import type { Fact } from '../fact.ts';
import { maxUnshownFee, quoteFault } from '../opening/create-call.ts';
import {
  abandon,
  callFact,
  type DecideContext,
  type Decision,
  noChange,
  openReview,
  record,
} from './decision.ts';

/** Records a call without a conclusive answer. */
export function callUnknown(evidence: EvidenceOf<'call_unknown'>): Decision {
  const decision = record(callFact(evidence.call, evidence.outcome, evidence));
  return isKeyStatus(evidence.httpStatus) ? { ...decision, alarm: 'key_rejected' } : decision;
}

/** Decides after the service has rejected a call. */
export function callRejected(collection: Collection, evidence: EvidenceOf<'call_rejected'>): Decision {
  if (!isKeyStatus(evidence.httpStatus)) return paymentRejected(collection, evidence);
  // A restored collection may have been prompted, and a rejected key proves nothing about it.
  const decision =
    collection.restoredAt === null
      ? paymentRejected(collection, evidence)
      : record(callFact(evidence.call, 'rejected', evidence));
  return { ...decision, alarm: 'key_rejected' };
}

function paymentRejected(collection: Collection, evidence: EvidenceOf<'call_rejected'>): Decision {
  const fact = callFact(evidence.call, 'rejected', evidence);
  if (evidence.call !== 'create' || collection.status !== 'accepted') return record(fact);
  if (collection.restoredAt !== null) return openReview('restored_unknown', [fact]);
  const abandoned = record(fact, { kind: 'abandoned', data: { reason: evidence.code } });
  // The gateway uses each key once and with stored bytes, so a reused key is a bug of the gateway.
  return evidence.code === 'idempotency_key_reused' ? { ...abandoned, alarm: evidence.code } : abandoned;
}

/**
 * Compares the total of a session with the one that the payer confirmed. A session with another total is never initiated,
 * and without a shown total, a session with a fee above the cap is not.
 */
function totalFault(
  { shownTotalMinor, goodsMinor }: Collection,
  { amount_minor: totalMinor }: OfflineSession,
  { feeCap }: DecideContext,
): QuoteFault | undefined {
  if (shownTotalMinor !== null) return shownTotalMinor === totalMinor ? undefined : 'quote_shown_total';
  return totalMinor - goodsMinor > maxUnshownFee(goodsMinor, feeCap) ? 'quote_fee_too_high' : undefined;
}

/** Pins the session of a create answer. A wrong quote, a session of another collection or an initiated one ends the collection or opens a review. */
export function createAnswered(
  collection: Collection,
  { session, isTaken, ms }: EvidenceOf<'create_answered'>,
  context: DecideContext,
): Decision {
  if (isTaken) return sessionTaken(collection, session);
  if (collection.status !== 'accepted') {
    if (collection.sessionId === session.id) return noChange;
    return record({ kind: 'orphaned', data: { sessionId: session.id } });
  }
  const created: Fact = {
    kind: 'created',
    data: {
      sessionId: session.id,
      goodsMinor: session.goods_minor,
      amountMinor: session.amount_minor,
      feeMinor: session.expected_fee_minor,
      netMinor: session.expected_net_minor,
      ms,
    },
  };
  const fault = quoteFault(collection, session) ?? totalFault(collection, session, context);
  // After a restore the create call only finds the existing session. Polls report its state.
  if (collection.restoredAt !== null) return fault ? openReview(fault, [created]) : record(created);
  if (fault) return { ...abandon(fault, created), alarm: fault };
  // Another party has already used this session: the gateway never initiates it.
  if (session.status !== 'created') return openReview('session_already_driven', [created]);
  return record(created);
}

/** Handles a session that another collection has pinned. It is never initiated for this one. */
function sessionTaken({ status, restoredAt }: Collection, session: OfflineSession): Decision {
  const fact: Fact = { kind: 'orphaned', data: { sessionId: session.id } };
  const reason = 'session_taken';
  if (status !== 'accepted') return record(fact);
  if (restoredAt !== null) return openReview(reason, [fact]);
  return { ...abandon(reason, fact), alarm: reason };
}

/** Decides after an answer to initiate. */
export function initiateAnswered(
  collection: Collection,
  { initiatedAt, ms }: EvidenceOf<'initiate_answered'>,
): Decision {
  if (collection.status !== 'initiating') return record(callFact('initiate', 'ok', { ms }));
  return record({
    kind: 'initiated',
    data: { ...(initiatedAt === undefined ? {} : { at: initiatedAt }), ms },
  });
}
