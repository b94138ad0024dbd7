import { eventTypes } from '../../contract/event.ts';
import type { EpochMs } from '../../shared/clock.ts';
import type { InboxStore } from './inbox-store.ts';

const minuteMs = 60_000;
/** An event can arrive this long before its session is known, after a lost create response or a restart. */
const minAgeMs = 15 * minuteMs;
/** Nothing resolves an unmatched event, so it is counted for one day only. */
const maxAgeMs = 24 * 60 * minuteMs;

/**
 * Counts the unmatched events of money of the last day by merchant. Merchants without such events are absent.
 */
export async function countUnmatched(
  inbox: Pick<InboxStore, 'countUnmatched'>,
  now: EpochMs,
): Promise<Map<string, number>> {
  const counts = await inbox.countUnmatched({
    after: now - maxAgeMs,
    until: now - minAgeMs,
    types: [eventTypes.paid, eventTypes.reviewAmountMismatch],
  });
  return new Map(counts.map(({ merchantId, count }) => [merchantId, count]));
}
