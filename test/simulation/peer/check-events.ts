import { hour, minute, second } from '../../kit/clock.ts';
import {
  type EventRow,
  isFinal,
  type ReviewRow,
  type SessionRecord,
  type SessionRow,
} from './service-records.ts';

/** The waits between attempts, from docs/collection-service.md. */
const plan = [
  ...[5 * second, 30 * second, 2 * minute, 10 * minute, 30 * minute],
  ...[hour, 2 * hour, 3 * hour, 6 * hour, 12 * hour, 24 * hour, 24 * hour],
];

/** The longest attempt, with the delay after an interrupted one. */
const attemptMs = 16 * second;

/** The promised fields of an event's data, without those that cannot be reconstructed later. */
type Reported = { type: string; data: Record<string, unknown> };

const iso = (at: number | null) => (at === null ? null : new Date(at).toISOString());

function quoteOf(session: SessionRow): Record<string, unknown> {
  return {
    id: session.id,
    goods_minor: session.goods_minor,
    amount_minor: session.amount_minor,
    expected_fee_minor: session.fee_minor,
    expected_net_minor: session.net_minor,
  };
}

function eventOfReview(session: SessionRow, review: ReviewRow): Reported {
  const { reason, paid_minor } = review;
  const wasOpen = reason === 'paid_short' || reason === 'paid_over';
  return {
    type: 'payment.session.review_amount_mismatch',
    data: {
      ...quoteOf(session),
      ...(wasOpen ? { status: 'initiated' } : {}),
      paid_minor,
      paid_at: iso(review.paid_at),
      reason,
    },
  };
}

/** The event of a refund. Its reference and the person are in a nested field. */
function eventOfRefund(session: SessionRow, { reason }: ReviewRow): Reported {
  const data = { ...quoteOf(session), status: session.status, reason };
  return { type: 'payment.session.refund_settled', data };
}

function eventOfEnd(session: SessionRow, reviews: readonly ReviewRow[]): Reported {
  const { status, reason } = session;
  if (status !== 'paid')
    return { type: 'payment.session.failed', data: { ...quoteOf(session), status, reason } };
  const accepted = reviews.find(
    (one) =>
      one.resolution === 'accepted' && one.paid_at === session.paid_at && one.reason !== 'second_charge',
  );
  const paid = { paid_minor: accepted?.paid_minor ?? session.amount_minor, paid_at: iso(session.paid_at) };
  return { type: 'payment.session.paid', data: { ...quoteOf(session), status, ...paid } };
}

/** Returns the events that a session requires: its end, if it was initiated, each review and each settled refund. */
function requiredEvents({ session, reviews }: SessionRecord): Reported[] {
  const settled = reviews.filter(({ refunded_at }) => refunded_at !== null);
  const ofReviews = [
    ...reviews.map((review) => eventOfReview(session, review)),
    ...settled.map((review) => eventOfRefund(session, review)),
  ];
  const wasAsked = session.initiated_at !== null || session.reason === 'amount_mismatch';
  return isFinal(session) && wasAsked ? [eventOfEnd(session, reviews), ...ofReviews] : ofReviews;
}

function isOf({ id, type, body, created_at }: EventRow, reported: Reported): boolean {
  const envelope = JSON.parse(body) as { data: Record<string, unknown> } & Record<string, unknown>;
  return (
    type === reported.type &&
    envelope.id === id &&
    envelope.type === type &&
    envelope.created_at === iso(created_at) &&
    Object.entries(reported.data).every(([field, value]) => envelope.data[field] === value)
  );
}

/**
 * Returns what is wrong with the events of a session at any time, or `undefined`: exactly the required events
 * exist.
 */
export function eventFault(file: SessionRecord): string | undefined {
  const { session } = file;
  const events = [...file.events];
  for (const reported of requiredEvents(file)) {
    const place = events.findIndex((event) => isOf(event, reported));
    if (place < 0)
      return `${session.id} is ${session.status}, but there is no event ${reported.type} ${JSON.stringify(reported.data)}`;
    events.splice(place, 1);
  }
  const [left] = events;
  return left && `${session.id} is ${session.status}, but there is an event ${left.body}`;
}

/**
 * Returns what is wrong with the delivery of an event, or `undefined`: it is delivered exactly when it was
 * acknowledged, and retried on its plan until then.
 */
export function deliveryFault(event: EventRow, isAcknowledged: boolean): string | undefined {
  const { id, state, next_at, attempts, last_attempt_at, created_at } = event;
  if (state === 'delivered')
    return isAcknowledged ? undefined : `${id} is marked as delivered but was not acknowledged`;
  if (state !== 'waiting' || next_at === null)
    return attempts > plan.length && state === 'given_up'
      ? undefined
      : `${id} is ${state} after ${attempts} attempts`;
  const from = last_attempt_at ?? created_at;
  const waitMs = last_attempt_at === null ? 0 : (plan[attempts - 1] ?? 0) + attemptMs;
  return next_at <= from + waitMs
    ? undefined
    : `${id} is retried ${next_at - from} ms after attempt ${attempts}`;
}
