import { type End, isCharge, longStopMs, type RailRecord } from './rail.ts';
import { isFinal, type ReviewRow, type SessionRecord, type SessionRow } from './service-records.ts';

/** The time that a result may travel from the rail to the service. */
const maxResultDelayMs = 2_000;

const isReported = (outcome: End['outcome'], railRecord: RailRecord, now: number) =>
  endsOf(railRecord).some((end) => end.outcome === outcome && end.knownAt <= now);

function endsOf({ shown }: RailRecord): readonly End[] {
  return shown.flatMap(({ ends }) => ends);
}

/** Whether the rail's records justify the end of a session. */
function isJustified({ session, reviews }: SessionRecord, railRecord: RailRecord, now: number): boolean {
  switch (session.reason) {
    case null:
      return session.status === 'paid';
    case 'never_initiated':
      return session.initiated_at === null && railRecord.shown.length === 0;
    case 'rail_refused':
      return railRecord.isRefused;
    case 'amount_mismatch':
      return reviews.some(({ resolution }) => resolution === 'rejected');
    case 'not_prompted':
      return session.status === 'failed' && railRecord.shown.length === 0;
    case 'declined':
    case 'pin_limit':
    case 'insufficient_funds':
      return session.status === 'failed' && isReported(session.reason, railRecord, now);
    case 'prompt_expired':
      return session.status === 'expired' && isReported('expired', railRecord, now);
    case 'no_result':
      return (
        session.status === 'expired' && isLongStop(session) && isSilent(railRecord, session.closed_at ?? now)
      );
    default:
      return false;
  }
}

/** Whether the service waited for a result until the long stop. */
function isLongStop({ initiated_at, closed_at }: SessionRow): boolean {
  return initiated_at !== null && closed_at !== null && closed_at - initiated_at >= longStopMs;
}

/** Whether the rail had no result at that time and no prompt could still be answered. */
function isSilent({ shown }: RailRecord, at: number): boolean {
  return shown.every(
    ({ ends, endsAt }) => endsAt <= at && ends.every(({ knownAt }) => knownAt > at - maxResultDelayMs),
  );
}

/** Returns what the service recorded of money, one entry per charge. */
function accounted(session: SessionRow, reviews: readonly ReviewRow[]): string[] {
  const held = reviews.map(({ paid_at, paid_minor }) => `${paid_minor} at ${paid_at}`);
  const own = `${session.amount_minor} at ${session.paid_at}`;
  const isByReview = reviews.some((one) => one.resolution === 'accepted' && one.paid_at === session.paid_at);
  return session.status === 'paid' && !isByReview ? [own, ...held] : held;
}

const charged = (railRecord: RailRecord) =>
  endsOf(railRecord)
    .filter(isCharge)
    .map(({ chargedMinor, at }) => `${chargedMinor} at ${at}`);

/** Returns what the rail's records do not justify in a session, at any time, or `undefined`. */
export function moneyFault(file: SessionRecord, railRecord: RailRecord, now: number): string | undefined {
  const { session, reviews } = file;
  const { status, reason } = session;
  const is = `${session.id} is ${status} (${reason ?? 'no reason'})`;
  if (railRecord.shown.length > 1) return `${is}, and ${railRecord.shown.length} prompts were shown`;
  if (status === 'created' && railRecord.shown.length > 0) return `${is}, but a prompt was shown`;
  for (const { amountMinor, payer } of railRecord.shown)
    if (amountMinor !== session.amount_minor || payer !== session.payer)
      return `${is}, but its prompt asks ${payer.slice(-3)} for ${amountMinor} pesewas`;
  if (isFinal(session) && !isJustified(file, railRecord, now))
    return `${is}, and ${describeRail(railRecord)}`;
  const taken = charged(railRecord);
  for (const one of accounted(session, reviews)) {
    const place = taken.indexOf(one);
    if (place < 0) return `${is}, with ${one} ms, and ${describeRail(railRecord)}`;
    taken.splice(place, 1);
  }
  return undefined;
}

/**
 * Returns what is wrong with a session when no work is left: it must be final, with each charge in its payment or
 * in a review.
 */
export function settledFault(
  { session, reviews }: SessionRecord,
  railRecord: RailRecord,
): string | undefined {
  const is = `${session.id} is ${session.status} (${session.reason ?? 'no reason'})`;
  if (!isFinal(session)) return `${is} at the end`;
  const known = accounted(session, reviews);
  for (const one of charged(railRecord)) {
    const place = known.indexOf(one);
    if (place < 0) return `${is}, and ${one} ms is not recorded`;
    known.splice(place, 1);
  }
  return undefined;
}

function describeRail(railRecord: RailRecord): string {
  if (railRecord.isRefused) return 'the rail rejected it';
  if (railRecord.shown.length === 0) return 'the rail showed no prompt';
  const ends = endsOf(railRecord).map(
    ({ outcome, chargedMinor, at }) => `${outcome} (${chargedMinor}) at ${at} ms`,
  );
  return `the rail has ${ends.join(', ') || 'an open prompt'}`;
}
