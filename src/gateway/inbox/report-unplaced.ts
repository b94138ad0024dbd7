import { eventEnvelope } from '../../contract/service/reading.ts';
import type { Clock } from '../../shared/clock.ts';
import type { Ids } from '../../shared/ids.ts';
import type { Log } from '../../shared/log.ts';
import type { Write } from '../../sqlite/store.ts';
import type { EventEvidence, EvidenceOf } from '../collection/evidence.ts';
import { changeUnplaced, findNote, type UnplacedChange } from '../unplaced/fact.ts';
import { type ChargeReport, recordCharge, recordRefund, refundUnclear } from '../unplaced/record-charge.ts';
import {
  ownChannel,
  type StatedPayment,
  type UnplacedPayment,
  type UnplacedReason,
} from '../unplaced/unplaced.ts';
import { type UnplacedStore, unplacedWrites } from '../unplaced/unplaced-store.ts';
import { type InboxRow, type InboxStore, inboxWrites } from './inbox-store.ts';
import { statedPayment } from './stated-payment.ts';

export type ReportUnplacedDeps = {
  unplaced: Pick<UnplacedStore, 'listBySession'>;
  inbox: Pick<InboxStore, 'findParkedFailure'>;
  clock: Pick<Clock, 'now'>;
  log: Pick<Log, 'error'>;
  ids: Pick<Ids, 'next'>;
  /** Returns whether the merchant takes payments by other channels of the same account. */
  hasOtherChannels(merchantId: string): boolean;
};

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
  const charges =
    sessionId === null ? [] : await deps.unplaced.listBySession({ merchantId, livemode, sessionId });
  const now = deps.clock.now();
  const reason = toReason(sessionId, stated, deps.hasOtherChannels(merchantId));
  const report = { id: deps.ids.next('unp'), merchantId, livemode, reason, stated };
  if (sessionId !== null && isSecond(evidence))
    return secondChargeWrites(deps, charges, { ...report, sessionId }, evidence);
  const known = charges.find(({ charge }) => charge === 1);
  if (known) warnOfContradiction(deps, known, stated);
  if (known)
    return unplacedWrites(changeUnplaced(known, [{ kind: 'reported_again', data: { stated } }], now));
  // A refund proves that money arrived, so that its payment may still be reported.
  if (stated.reports === 'failure') return [];
  const failure = sessionId === null ? null : await deps.inbox.findParkedFailure({ ...row, sessionId });
  const failedBefore = failure === null ? {} : { failedBefore: failure };
  const data = { ...report, sessionId, charge: 1, ...failedBefore };
  const reported = unplacedWrites(changeUnplaced(undefined, [{ kind: 'reported', data }], now));
  // A failure that is parked at the same time leaves its note with the payment.
  const guards = sessionId === null || failure !== null ? [] : [inboxWrites.expectNoFailure(row, sessionId)];
  return [...guards, ...reported];
}

type SecondCharge = EvidenceOf<'event_review' | 'event_refund'>;

function isSecond(evidence: EventEvidence): evidence is SecondCharge {
  const { kind } = evidence;
  return (kind === 'event_review' || kind === 'event_refund') && evidence.secondCharge === true;
}

/** Returns the writes of a second charge, or of its refund: other money than the payment of the session. */
function secondChargeWrites(
  { clock, log }: ReportUnplacedDeps,
  charges: readonly UnplacedPayment[],
  { reason, ...report }: ChargeReport,
  evidence: SecondCharge,
): Write[] {
  const { merchantId: merchant, stated } = report;
  const second = { ...report, reason: reason === 'unknown_session' ? 'second_charge' : reason };
  const line = { merchant, event: stated.eventId };
  if (evidence.kind === 'event_review') {
    log.error({ ...line, alarm: 'second_charge' }, 'a payer of an unknown session was charged again');
    return listWrites(recordCharge(charges, second, clock.now()));
  }
  const { amountMinor, reference, by } = evidence;
  const charge = { ...second, stated: { ...stated, chargedMinor: amountMinor } };
  const change = recordRefund(charges, charge, { amountMinor, reference, by }, clock.now());
  if (change !== 'unclear') return listWrites(change);
  log.error({ ...line, alarm: 'refund_unclear' }, refundUnclear);
  return [];
}

function listWrites(change: UnplacedChange | undefined): Write[] {
  return change ? unplacedWrites(change) : [];
}

/** Money of a test account is no money. */
function isOfOtherMode({ body, livemode }: InboxRow): boolean {
  const stated = eventEnvelope.parse(JSON.parse(body)).livemode;
  return stated !== undefined && stated !== (livemode === 1);
}

/** After its decision, a payment is on no list of open work. */
function warnOfContradiction({ log }: ReportUnplacedDeps, known: UnplacedPayment, stated: StatedPayment) {
  const { id: unplaced, merchantId: merchant, state } = known;
  const note = state === 'placed' || state === 'returned' ? findNote(known, stated) : null;
  if (note === null) return;
  const line = { unplaced, merchant, event: stated.eventId, state, note, alarm: 'unplaced_contradicted' };
  log.error(line, 'an event contradicts a decision about an unplaced payment. See "dialtill unplaced show"');
}

function toReason(
  sessionId: string | null,
  { channel, other }: StatedPayment,
  hasOtherChannels: boolean,
): UnplacedReason {
  if (channel !== null && channel !== ownChannel) return 'stated_channel';
  if (other) return 'other_currency';
  if (sessionId === null) return 'no_session';
  return hasOtherChannels && channel === null ? 'other_channels' : 'unknown_session';
}
