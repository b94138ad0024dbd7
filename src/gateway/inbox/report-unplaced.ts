import { eventEnvelope } from '../../contract/reading.ts';
import type { Clock } from '../../shared/clock.ts';
import type { Ids } from '../../shared/ids.ts';
import type { Log } from '../../shared/log.ts';
import type { Write } from '../../sqlite/store.ts';
import type { EventEvidence } from '../collection/evidence.ts';
import { noteOf } from '../unplaced/fact.ts';
import type { StatedPayment, UnplacedPayment, UnplacedReason } from '../unplaced/unplaced.ts';
import { type UnplacedStore, unplacedWrites } from '../unplaced/unplaced-store.ts';
import type { InboxRow } from './inbox-store.ts';
import { statedPayment } from './stated-payment.ts';

export type ReportUnplacedDeps = {
  unplaced: Pick<UnplacedStore, 'findBySession'>;
  clock: Pick<Clock, 'now'>;
  log: Pick<Log, 'error'>;
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
  if (isOfOtherMode(row)) {
    const line = { event: row.eventId, merchant: merchantId, alarm: 'event_of_other_mode' };
    deps.log.error(
      line,
      'an event of the other mode, test or live, is not booked. Check the webhook secrets',
    );
    return [];
  }
  const stated = statedPayment(row, evidence);
  if (!stated) return [];
  const known =
    sessionId === null ? undefined : await deps.unplaced.findBySession({ merchantId, livemode, sessionId });
  const now = deps.clock.now();
  if (known) warnOfContradiction(deps, known, stated);
  if (known) return unplacedWrites(known, { kind: 'reported_again', data: { stated } }, now);
  // A refund proves that money arrived, so that its payment may still be reported.
  if (stated.reports === 'failure') return [];
  const reason = reasonOf(sessionId, stated, deps.hasOtherChannels(merchantId));
  const data = { id: deps.ids.next('unp'), merchantId, livemode, sessionId, reason, stated };
  return unplacedWrites(undefined, { kind: 'reported', data }, now);
}

/** Money of a test account is no money. */
function isOfOtherMode({ body, livemode }: InboxRow): boolean {
  const stated = eventEnvelope.parse(JSON.parse(body)).livemode;
  return stated !== undefined && stated !== (livemode === 1);
}

/** Nobody looks at a payment again after its decision. */
function warnOfContradiction({ log }: ReportUnplacedDeps, known: UnplacedPayment, stated: StatedPayment) {
  const { id: unplaced, merchantId: merchant, state } = known;
  const note = state === 'placed' || state === 'returned' ? noteOf(known, stated) : null;
  if (note === null) return;
  const line = { unplaced, merchant, event: stated.eventId, state, note, alarm: 'unplaced_contradicted' };
  log.error(line, 'an event contradicts a decision about an unplaced payment. See "dialtill unplaced show"');
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
