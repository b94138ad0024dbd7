import type { Clock } from '../../shared/clock.ts';
import type { Ids } from '../../shared/ids.ts';
import type { Write } from '../../sqlite/store.ts';
import type { EventEvidence } from '../collection/evidence.ts';
import type { StatedPayment, UnplacedReason } from '../unplaced/unplaced.ts';
import { type UnplacedStore, unplacedWrites } from '../unplaced/unplaced-store.ts';
import type { InboxRow } from './inbox-store.ts';
import { statedPayment } from './stated-payment.ts';

export type ReportUnplacedDeps = {
  unplaced: Pick<UnplacedStore, 'findBySession'>;
  clock: Pick<Clock, 'now'>;
  ids: Pick<Ids, 'next'>;
  /** Returns whether the merchant takes payments by other channels of the same account. */
  hasOtherChannels(merchantId: string): boolean;
};

/** The channel of the gateway's own payment sessions. */
const ownChannel = 'ussd';

/**
 * Returns the writes that book the money of an event which no collection explains: into suspense, once per payment session.
 * A later event of the session is recorded. Events that report no money are only parked.
 */
export async function unplacedReport(
  deps: ReportUnplacedDeps,
  row: InboxRow,
  evidence: EventEvidence,
): Promise<Write[]> {
  const { merchantId, livemode, sessionId } = row;
  // A stale event may be out of date, and is only a hint.
  if (row.stale === 1) return [];
  const stated = statedPayment(row, evidence);
  if (!stated) return [];
  const known =
    sessionId === null ? undefined : await deps.unplaced.findBySession({ merchantId, livemode, sessionId });
  const now = deps.clock.now();
  if (known) return unplacedWrites(known, { kind: 'reported_again', data: { stated } }, now);
  if (stated.reports === 'failure' || stated.reports === 'refund') return [];
  const reason = reasonOf(sessionId, stated, deps.hasOtherChannels(merchantId));
  const data = { id: deps.ids.next('unp'), merchantId, livemode, sessionId, reason, stated };
  return unplacedWrites(undefined, { kind: 'reported', data }, now);
}

function reasonOf(
  sessionId: string | null,
  { channel }: StatedPayment,
  hasOtherChannels: boolean,
): UnplacedReason {
  if (channel !== null && channel !== ownChannel) return 'stated_channel';
  if (sessionId === null) return 'no_session';
  return hasOtherChannels && channel === null ? 'other_channels' : 'unknown_session';
}
