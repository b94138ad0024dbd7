import { isFinal, type ReviewRow, type SessionFile, type SessionRow } from './book.ts';
import { type Carried, type End, isCharge } from './rail.ts';

/** A result may be on its way from the rail while its session is looked at. */
const onItsWayMs = 2_000;

const isTold = (outcome: End['outcome'], carried: Carried, now: number) =>
  endsOf(carried).some((end) => end.outcome === outcome && end.knownAt <= now);

function endsOf({ shown }: Carried): readonly End[] {
  return shown.flatMap(({ ends }) => ends);
}

/** Whether a session may have this end, by what the rail knows. */
function isEarned({ session, reviews }: SessionFile, carried: Carried, now: number): boolean {
  switch (session.reason) {
    case null:
      return session.status === 'paid';
    case 'never_initiated':
      return session.initiated_at === null && carried.shown.length === 0;
    case 'rail_refused':
      return carried.isRefused;
    case 'amount_mismatch':
      return reviews.some(({ resolution }) => resolution === 'rejected');
    case 'declined':
    case 'pin_limit':
    case 'insufficient_funds':
      return session.status === 'failed' && isTold(session.reason, carried, now);
    case 'prompt_expired':
      return session.status === 'expired' && isTold('expired', carried, now);
    case 'no_result':
      return session.status === 'expired' && isSilent(carried, session.closed_at ?? now);
    default:
      return false;
  }
}

/** Whether the rail had nothing to say by then: no prompt could be answered any more, and nothing was known of any. */
function isSilent({ shown }: Carried, at: number): boolean {
  return shown.every(
    ({ ends, endsAt }) => endsAt <= at && ends.every(({ knownAt }) => knownAt > at - onItsWayMs),
  );
}

/** What the service has taken down of money, one entry for each charge. */
function accounted(session: SessionRow, reviews: readonly ReviewRow[]): string[] {
  const held = reviews.map(({ paid_at, paid_minor }) => `${paid_minor} at ${paid_at}`);
  const own = `${session.amount_minor} at ${session.paid_at}`;
  const isByReview = reviews.some((one) => one.resolution === 'accepted' && one.paid_at === session.paid_at);
  return session.status === 'paid' && !isByReview ? [own, ...held] : held;
}

const charged = (carried: Carried) =>
  endsOf(carried)
    .filter(isCharge)
    .map(({ chargedMinor, at }) => `${chargedMinor} at ${at}`);

/** What is wrong with the money of one session, at whatever moment: nothing is said that the rail does not bear out. */
export function moneyFault(file: SessionFile, carried: Carried, now: number): string | undefined {
  const { session, reviews } = file;
  const { status, reason } = session;
  const is = `${session.id} is ${status} (${reason ?? 'no reason'})`;
  if (carried.shown.length > 1) return `${is}, and ${carried.shown.length} prompts were shown`;
  if (status === 'created' && carried.shown.length > 0) return `${is}, and a prompt is out`;
  for (const { amountMinor, payer } of carried.shown)
    if (amountMinor !== session.amount_minor || payer !== session.payer)
      return `${is}, and its prompt asks ${payer.slice(-3)} for ${amountMinor} pesewas`;
  if (isFinal(session) && !isEarned(file, carried, now)) return `${is}, and ${tellOf(carried)}`;
  const taken = charged(carried);
  for (const one of accounted(session, reviews)) {
    const place = taken.indexOf(one);
    if (place < 0) return `${is}, with ${one} ms, and ${tellOf(carried)}`;
    taken.splice(place, 1);
  }
  return undefined;
}

/** What is wrong with a session once nothing is on its way any more: each charge is in a payment, or before a person. */
export function settledFault({ session, reviews }: SessionFile, carried: Carried): string | undefined {
  const is = `${session.id} is ${session.status} (${session.reason ?? 'no reason'})`;
  if (!isFinal(session)) return `${is} still`;
  const known = accounted(session, reviews);
  for (const one of charged(carried)) {
    const place = known.indexOf(one);
    if (place < 0) return `${is}, and ${one} ms was taken in silence`;
    known.splice(place, 1);
  }
  return undefined;
}

function tellOf(carried: Carried): string {
  if (carried.isRefused) return 'the rail refused it';
  if (carried.shown.length === 0) return 'the rail showed no prompt';
  const ends = endsOf(carried).map(
    ({ outcome, chargedMinor, at }) => `${outcome} (${chargedMinor}) at ${at} ms`,
  );
  return `the rail has ${ends.join(', ') || 'a prompt that waits'}`;
}
