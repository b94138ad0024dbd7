import { eventTypes } from '../../../contract/service/event.ts';
import type { EpochMs } from '../../../shared/clock.ts';
import { unreachable } from '../../../shared/errors.ts';
import { recordCharge, recordRefund } from '../../unplaced/decide.ts';
import { changeUnplaced, findNote, type UnplacedChange } from '../../unplaced/fact.ts';
import {
  ownChannel,
  type StatedPayment,
  type UnplacedNote,
  type UnplacedPayment,
  type UnplacedReason,
  type UnplacedState,
} from '../../unplaced/unplaced.ts';
import type { EventEvidence, EvidenceOf } from '../evidence.ts';

/** Evidence about a payment session that no collection has. */
export type UnplacedEvidence = EventEvidence | EvidenceOf<'event_stale'>;

/** Statements of an event besides its evidence, as far as they can be read. */
export type EventDetails = Pick<
  StatedPayment,
  'goodsMinor' | 'feeMinor' | 'netMinor' | 'payer' | 'reference' | 'clientTransId' | 'channel' | 'paidAt'
> & {
  /** The event is of the other mode, test or live. Money of a test account is no money. */
  isOfOtherMode: boolean;
};

/** An event, and what the gateway has of its payment session. */
export type UnplacedEventCase = {
  merchantId: string;
  livemode: number;
  sessionId: string | null;
  details: EventDetails;
  /** The unplaced payments of the session. */
  charges: readonly UnplacedPayment[];
  /** The id of a parked event that reports a failure of the session. */
  parkedFailure: string | null;
  /** The merchant takes payments by other channels of the same account. */
  hasOtherChannels: boolean;
};

/** A condition that a person must act on. */
export type UnplacedAlarm =
  | {
      alarm: 'event_without_session' | 'event_of_other_mode' | 'second_charge' | 'refund_unclear';
    }
  | { alarm: 'unplaced_contradicted'; unplaced: string; state: UnplacedState; note: UnplacedNote };

type Effect = {
  changes: readonly UnplacedChange[];
  alarms: readonly UnplacedAlarm[];
  /** The changes hold only while no failure of the session is parked: it leaves a note with the payment. */
  expectsNoFailure?: true;
};

/** A parked event is decided again when a collection learns its session. */
export type UnplacedEventDecision = Effect &
  ({ state: 'parked'; sessionId: string } | { state: 'handled' | 'dead' });

const nothing: Effect = { changes: [], alarms: [] };

/** The types of events that report money. */
const moneyTypes: ReadonlySet<string> = new Set([
  eventTypes.paid,
  eventTypes.reviewAmountMismatch,
  eventTypes.refundSettled,
]);

/**
 * Returns everything that an event does whose payment session no collection has: its money is booked into suspense, once per
 * charge, and a later event of the session is recorded. Pure and total, like `decide`.
 */
export function decideUnplacedEvent(
  found: UnplacedEventCase,
  evidence: UnplacedEvidence,
  context: { now: EpochMs; unplacedId: string },
): UnplacedEventDecision {
  const { sessionId } = found;
  if (sessionId !== null)
    return { state: 'parked', sessionId, ...decideMoney(found, sessionId, evidence, context) };
  const { type } = evidence;
  if (!moneyTypes.has(type)) return { state: 'handled', ...nothing };
  // A refund of no known session is no payment.
  const effect = type === eventTypes.refundSettled ? nothing : decideMoney(found, null, evidence, context);
  return { ...effect, state: 'dead', alarms: [{ alarm: 'event_without_session' }, ...effect.alarms] };
}

function decideMoney(
  found: UnplacedEventCase,
  sessionId: string | null,
  evidence: UnplacedEvidence,
  { now, unplacedId: id }: { now: EpochMs; unplacedId: string },
): Effect {
  // A stale event may be out of date: it books nothing.
  if (evidence.kind === 'event_stale') return nothing;
  const { charges, details, merchantId, livemode, parkedFailure } = found;
  if (details.isOfOtherMode) return { ...nothing, alarms: [{ alarm: 'event_of_other_mode' }] };
  if (evidence.kind === 'event_other') return nothing;
  const stated = toStated(evidence, details);
  const reason = toReason(found, stated);
  const report = { id, merchantId, livemode, stated };
  if (sessionId !== null && isSecondCharge(evidence)) {
    const second = reason === 'unknown_session' ? 'second_charge' : reason;
    return decideSecondCharge(charges, { ...report, sessionId, reason: second }, evidence, now);
  }
  const known = charges.find(({ charge }) => charge === 1);
  if (known)
    return {
      changes: [changeUnplaced(known, [{ kind: 'reported_again', data: { stated } }], now)],
      alarms: findContradiction(known, stated),
    };
  // A refund proves that money arrived, so that its payment may still be reported.
  if (stated.reports === 'failure') return nothing;
  const failedBefore = parkedFailure === null ? {} : { failedBefore: parkedFailure };
  const data = { ...report, reason, sessionId, charge: 1, ...failedBefore };
  const reported = { ...nothing, changes: [changeUnplaced(undefined, [{ kind: 'reported', data }], now)] };
  return sessionId === null || parkedFailure !== null ? reported : { ...reported, expectsNoFailure: true };
}

type SecondCharge = EvidenceOf<'event_review' | 'event_refund'>;

function isSecondCharge(evidence: EventEvidence): evidence is SecondCharge {
  const { kind } = evidence;
  return (kind === 'event_review' || kind === 'event_refund') && evidence.secondCharge === true;
}

/** Decides about a second charge, or about its refund: other money than the payment of the session. */
function decideSecondCharge(
  charges: readonly UnplacedPayment[],
  report: Parameters<typeof recordCharge>[1],
  evidence: SecondCharge,
  now: EpochMs,
): Effect {
  if (evidence.kind === 'event_review') {
    const change = recordCharge(charges, report, now);
    return { changes: change ? [change] : [], alarms: [{ alarm: 'second_charge' }] };
  }
  const { amountMinor, reference, by } = evidence;
  const refunded = { ...report, stated: { ...report.stated, chargedMinor: amountMinor } };
  const change = recordRefund(charges, refunded, { amountMinor, reference, by }, now);
  if (change === 'unclear') return { ...nothing, alarms: [{ alarm: 'refund_unclear' }] };
  return { ...nothing, changes: change ? [change] : [] };
}

/** After its decision, a payment is on no list of open work. */
function findContradiction(known: UnplacedPayment, stated: StatedPayment): UnplacedAlarm[] {
  const { id: unplaced, state } = known;
  const note = state === 'placed' || state === 'returned' ? findNote(known, stated) : null;
  return note === null ? [] : [{ alarm: 'unplaced_contradicted', unplaced, state, note }];
}

function toReason(
  { sessionId, hasOtherChannels }: UnplacedEventCase,
  { channel, other }: StatedPayment,
): UnplacedReason {
  if (channel !== null && channel !== ownChannel) return 'stated_channel';
  if (other) return 'other_currency';
  if (sessionId === null) return 'no_session';
  return hasOtherChannels && channel === null ? 'other_channels' : 'unknown_session';
}

/** Returns what an event states about a payment that it reports or refutes. */
function toStated(
  evidence: Exclude<EventEvidence, { kind: 'event_other' }>,
  { isOfOtherMode: _mode, ...details }: EventDetails,
): StatedPayment {
  const { eventId, type: eventType } = evidence;
  const event = { eventId, eventType, chargedMinor: null, ...details };
  switch (evidence.kind) {
    case 'event_paid': {
      const chargedMinor = evidence.paidMinor ?? evidence.amounts.amountMinor;
      return { ...event, reports: 'payment', chargedMinor, paidAt: evidence.paidAt };
    }
    case 'event_unreadable':
      return { ...event, reports: 'payment' };
    case 'event_other_currency': {
      const { currency, amountMinor } = evidence;
      // The amounts of another currency are no pesewas.
      const quoted = { goodsMinor: null, feeMinor: null, netMinor: null };
      return { ...event, reports: 'payment', other: { currency, amountMinor }, ...quoted };
    }
    case 'event_review': {
      const reports = evidence.secondCharge ? 'second_charge' : 'payment';
      return { ...event, reports, chargedMinor: evidence.amountMinor };
    }
    case 'event_failed':
      return { ...event, reports: 'failure' };
    case 'event_refund':
      return { ...event, reports: evidence.secondCharge ? 'second_charge' : 'refund' };
    default:
      return unreachable(evidence);
  }
}
