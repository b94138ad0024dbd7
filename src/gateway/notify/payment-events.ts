import type { z } from 'zod';
import type {
  NotificationType,
  notificationBody,
  PaymentEventType,
  PaymentView,
} from '../../contract/merchant/notification.ts';
import type { EpochMs } from '../../shared/clock.ts';
import { type Msisdn, maskedForm, maskNumbers } from '../../shared/msisdn.ts';
import { maskAnswers, toAnswers } from '../collection/answers.ts';
import { type Collection, isOpen } from '../collection/collection.ts';
import { acceptedCollection, evolve, type RecordedFact } from '../collection/fact.ts';

/** A change of a payment that its merchant's system is notified of. */
export type PaymentEvent = { id: string; type: PaymentEventType; at: EpochMs; collection: Collection };

/** Where an event is in the history of its collection. */
type EventKey = { collectionId: string; version: number; index: number; at: EpochMs };

/** Returns the id of an event, derived from its fact: replays have the same one. The time separates histories of restored copies. */
function getEventId({ collectionId, version, index, at }: EventKey): string {
  return `evt_${collectionId.replace(/^col_/, '')}_${version}_${index}_${at.toString(36)}`;
}

/** Returns where the event with an identifier is; `undefined` for a text that is none. */
export function readEventId(id: string): EventKey | undefined {
  const pattern = /^evt_([0-9a-z]{1,40})_(\d{1,9})_(\d)_([0-9a-z]{1,10})$/;
  const [, subject, version, index, at = ''] = pattern.exec(id) ?? [];
  if (subject === undefined) return undefined;
  const key = { version: Number(version), index: Number(index), at: Number.parseInt(at, 36) };
  return { collectionId: `col_${subject}`, ...key };
}

/** Returns the events of the facts that follow `before`, in their order. */
export function listPaymentEvents(
  before: Collection | undefined,
  facts: readonly RecordedFact[],
): PaymentEvent[] {
  const events: PaymentEvent[] = [];
  let state = before;
  for (const fact of facts) {
    const { at } = fact;
    const after = afterFact(state, fact);
    if (!after) continue;
    for (const [index, type] of listEventTypes(state, after).entries()) {
      const id = getEventId({ collectionId: after.id, version: after.version, index, at });
      events.push({ id, type, at, collection: after });
    }
    state = after;
  }
  return events;
}

function afterFact(state: Collection | undefined, fact: RecordedFact): Collection | undefined {
  if (state) return evolve(state, fact, fact.at);
  return fact.kind === 'accepted' ? acceptedCollection(fact.data) : undefined;
}

export function toNotificationBody({ type, at, collection }: PaymentEvent, wholePayer: boolean): string {
  return writeBody(type, at, viewPayment(collection, { wholePayer }));
}

/** Returns the masked body of the same notification. It has the bytes that `toNotificationBody` writes without whole numbers. */
export function maskNotificationBody(body: string): string {
  const { data, ...rest }: z.infer<typeof notificationBody> = JSON.parse(body);
  return JSON.stringify({ ...rest, data: 'payer' in data ? maskPayment(data) : data });
}

export function writeBody(type: NotificationType, at: EpochMs, data: object): string {
  return JSON.stringify({ type, timestamp: new Date(at).toISOString(), data });
}

type State = Pick<Collection, 'status' | 'confirmedAt' | 'review' | 'lapsedAt' | 'amountMinor'>;

type Outcome = 'open' | 'paid' | 'not_paid' | 'review';

/** Returns where a payment is, as its merchant sees it. */
export function getPaymentOutcome({ status }: Pick<State, 'status'>): Outcome {
  if (isOpen(status)) return 'open';
  return status === 'paid' || status === 'review' ? status : 'not_paid';
}

/** Returns the types of the notifications about one fact, in their order; most facts have none. Pure and total. */
export function listEventTypes(before: State | undefined, after: State): PaymentEventType[] {
  if (!before) return ['payment.opened'];
  const types: PaymentEventType[] = [];
  const outcome = outcomeType(before, after);
  if (outcome) types.push(outcome);
  if (opensReview(before, after)) types.push('payment.review_opened');
  if (before.review !== null && after.review === null) types.push('payment.review_closed');
  return types;
}

/** True when a person must now decide, about another question than before, or about the result as well. */
function opensReview(before: State, after: State): boolean {
  if (after.review === null) return false;
  return before.review !== after.review || (after.status === 'review' && before.status !== 'review');
}

function outcomeType(before: State, after: State): PaymentEventType | undefined {
  const from = getPaymentOutcome(before);
  const to = getPaymentOutcome(after);
  if (from === to) {
    if (to === 'paid' && before.confirmedAt === null && after.confirmedAt !== null) return 'payment.paid';
    if (to === 'review' && before.amountMinor !== after.amountMinor) return 'payment.corrected';
    return to === 'open' && before.lapsedAt === null && after.lapsedAt !== null
      ? 'payment.unknown'
      : undefined;
  }
  // An earlier notification reported a result that no longer holds.
  if (from === 'paid' || from === 'not_paid') return 'payment.corrected';
  if (to === 'paid') return 'payment.paid';
  return to === 'not_paid' ? 'payment.not_paid' : undefined;
}

export function viewPayment(collection: Collection, { wholePayer }: { wholePayer: boolean }): PaymentView {
  const { id, version, confirmedAt, reason, review, late, livemode, merchantId, channel } = collection;
  const { reference, shortReference, retryOf, payer, network, booked } = collection;
  const view: PaymentView = {
    id,
    sequence: version,
    status: getPaymentOutcome(collection),
    confirmed: confirmedAt !== null,
    reason,
    review,
    late: late === 1,
    livemode: livemode === 1,
    merchant: merchantId,
    channel,
    reference,
    short_reference: shortReference,
    answers: toAnswers(collection, 'whole'),
    retry_of: retryOf,
    payer,
    network,
    currency: 'GHS',
    price_minor: collection.goodsMinor,
    fee_minor: collection.feeMinor,
    amount_minor: collection.amountMinor,
    net_minor: collection.netMinor,
    opened_at: new Date(collection.openedAt).toISOString(),
    paid_at: booked === null ? null : collection.paidAt,
    closed_at: collection.closedAt === null ? null : new Date(collection.closedAt).toISOString(),
  };
  return wholePayer ? view : maskPayment(view);
}

/** A masked payment stays as it is. */
function maskPayment(view: PaymentView): PaymentView {
  const { reference, answers, payer } = view;
  return {
    ...view,
    reference: maskNumbers(reference),
    answers: maskAnswers(answers),
    payer: maskedForm(payer as Msisdn),
  };
}
