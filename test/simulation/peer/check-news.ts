import { type EventRow, isFinal, type ReviewRow, type SessionFile, type SessionRow } from './book.ts';

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;

/** The waits between attempts of docs/collection-service.md. */
const plan = [
  ...[5 * second, 30 * second, 2 * minute, 10 * minute, 30 * minute],
  ...[hour, 2 * hour, 3 * hour, 6 * hour, 12 * hour, 24 * hour, 24 * hour],
];

/** How long an attempt may take, and how much later one is made again that was cut off; and a moment besides. */
const attemptMs = 16 * second;

/** Fields of an event's data that are promised; those that cannot be told afterwards are left out. */
type Told = { type: string; data: Record<string, unknown> };

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

function toldOfReview(session: SessionRow, review: ReviewRow): Told {
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

function toldOfEnd(session: SessionRow, reviews: readonly ReviewRow[]): Told {
  const { status, reason } = session;
  if (status !== 'paid')
    return { type: 'payment.session.failed', data: { ...quoteOf(session), status, reason } };
  const accepted = reviews.find(
    (one) =>
      one.resolution === 'accepted' && one.paid_at === session.paid_at && one.reason !== 'second_charge',
  );
  const taken = accepted && {
    amount_minor: accepted.paid_minor,
    expected_net_minor: Math.max(0, accepted.paid_minor - session.fee_minor),
  };
  return {
    type: 'payment.session.paid',
    data: { ...quoteOf(session), status, paid_at: iso(session.paid_at), ...taken },
  };
}

/** What a merchant must be told of a session: its end, where it was asked for, and money that does not fit. */
function toTell({ session, reviews }: SessionFile): Told[] {
  const ofReviews = reviews.map((review) => toldOfReview(session, review));
  const wasAsked = session.initiated_at !== null || session.reason === 'amount_mismatch';
  return isFinal(session) && wasAsked ? [toldOfEnd(session, reviews), ...ofReviews] : ofReviews;
}

function isOf({ id, type, body, created_at }: EventRow, told: Told): boolean {
  const envelope = JSON.parse(body) as { data: Record<string, unknown> } & Record<string, unknown>;
  return (
    type === told.type &&
    envelope.id === id &&
    envelope.type === type &&
    envelope.created_at === iso(created_at) &&
    Object.entries(told.data).every(([field, value]) => envelope.data[field] === value)
  );
}

/** What is wrong with the events of one session, at whatever moment: each of its news has one, and there are no others. */
export function newsFault(file: SessionFile): string | undefined {
  const { session } = file;
  const events = [...file.events];
  for (const told of toTell(file)) {
    const place = events.findIndex((event) => isOf(event, told));
    if (place < 0)
      return `${session.id} is ${session.status}, and no event says ${told.type} ${JSON.stringify(told.data)}`;
    events.splice(place, 1);
  }
  const [left] = events;
  return left && `${session.id} is ${session.status}, and an event says ${left.body}`;
}

/**
 * What is wrong with the delivery of an event: it is taken down as delivered once somebody took it, and until then tried
 * again on its plan.
 */
export function deliveryFault(event: EventRow, isAcknowledged: boolean): string | undefined {
  const { id, state, next_at, attempts, last_attempt_at, created_at } = event;
  if (state === 'delivered') return isAcknowledged ? undefined : `${id} is delivered, and nobody took it`;
  if (state !== 'waiting' || next_at === null)
    return attempts > plan.length && state === 'given_up'
      ? undefined
      : `${id} is ${state} after ${attempts} attempts`;
  const from = last_attempt_at ?? created_at;
  const waitMs = last_attempt_at === null ? 0 : (plan[attempts - 1] ?? 0) + attemptMs;
  return next_at <= from + waitMs
    ? undefined
    : `${id} is tried again ${next_at - from} ms after attempt ${attempts}`;
}
