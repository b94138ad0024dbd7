import { eventTypes } from '../../contract/event.ts';
import type { EpochMs } from '../../shared/clock.ts';
import type { InboxStore } from './inbox-store.ts';

const minuteMs = 60_000;
/** So long an event may come before its session is known here: the answer to create that was lost, a restart. */
const patienceMs = 15 * minuteMs;
/** Nothing settles such an event: counted for ever, it would be news for ever. */
const lookBackMs = 24 * 60 * minuteMs;

/** Events of the last day that tell of money and have no collection, by merchant. Where there are none, no merchant. */
export async function countUnmatched(
  inbox: Pick<InboxStore, 'countUnmatched'>,
  now: EpochMs,
): Promise<Map<string, number>> {
  const counts = await inbox.countUnmatched({
    after: now - lookBackMs,
    until: now - patienceMs,
    types: [eventTypes.paid, eventTypes.reviewAmountMismatch],
  });
  return new Map(counts.map(({ merchantId, count }) => [merchantId, count]));
}
