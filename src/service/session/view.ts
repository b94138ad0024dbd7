import type {
  CreatedSession,
  InitiatedSession,
  Network,
  SessionStatusPoll,
  Session as SessionView,
} from '../../contract/service/session.ts';
import type { EpochMs } from '../../shared/clock.ts';
import { isoTime } from '../http/response.ts';
import type { ServiceReviewRow } from '../review/review-store.ts';
import { isTerminal, type SessionRow } from './session-store.ts';

/** How soon a client polls an open session again: first, and at last or on hold for a review. */
const minPollSeconds = 3;
const maxPollSeconds = 300;

/** The response to a create: the fields of the session's mode, in the order of the interface. */
export function createdView(session: SessionRow): CreatedSession {
  const amounts = {
    network: session.network as Network,
    goods_minor: session.goodsMinor,
    amount_minor: session.amountMinor,
    expected_fee_minor: session.feeMinor,
    expected_net_minor: session.netMinor,
    status: session.status,
  };
  if (session.mode === 'offline') {
    return {
      id: session.id,
      mode: 'offline',
      channel: 'ussd',
      ...amounts,
      reference: session.reference ?? '',
      payer_msisdn: `0${session.payer.slice(3)}`,
    };
  }
  return {
    id: session.id,
    platform_id: session.platformId,
    merchant_id: session.merchantId,
    channel: 'web',
    ...amounts,
    ...(session.reference === null ? {} : { client_trans_id: session.reference }),
    ...(session.otpRequestId === null ? {} : { otp_request_id: session.otpRequestId }),
    payer_msisdn: session.payer,
    created_at: isoTime(session.createdAt),
  };
}

export function initiatedView(session: SessionRow, initiatedAt: number): InitiatedSession {
  const common = { id: session.id, status: 'initiated' } as const;
  return session.mode === 'offline'
    ? { ...common, mode: 'offline', channel: 'ussd' }
    : { ...common, initiated_at: isoTime(initiatedAt) };
}

export function statusView(
  session: SessionRow,
  { review, now }: { review: ServiceReviewRow | undefined; now: EpochMs },
): SessionStatusPoll {
  const terminal = isTerminal(session.status);
  return {
    id: session.id,
    status: session.status,
    terminal,
    ...(session.paidAt === null ? {} : { paid_at: isoTime(session.paidAt) }),
    retry_after_seconds: terminal ? null : pollSeconds(session, now),
    ...(session.paidMinor === null ? {} : { paid_minor: session.paidMinor }),
    ...(session.reason === null ? {} : { reason: session.reason }),
    ...(review ? { review: polledReview(review) } : {}),
  };
}

/** A session with its times, its reason and its review. */
export function sessionView(session: SessionRow, review: ServiceReviewRow | undefined): SessionView {
  return {
    ...createdView(session),
    ...(session.reason === null ? {} : { reason: session.reason }),
    created_at: isoTime(session.createdAt),
    ...(session.initiatedAt === null ? {} : { initiated_at: isoTime(session.initiatedAt) }),
    ...(session.paidAt === null ? {} : { paid_at: isoTime(session.paidAt) }),
    ...(session.paidMinor === null ? {} : { paid_minor: session.paidMinor }),
    ...(session.closedAt === null ? {} : { closed_at: isoTime(session.closedAt) }),
    ...(review ? { review: sessionReviewView(review) } : {}),
  };
}

/** A payer decides within seconds. A session without a result may stay open for hours: a sixtieth of its age. */
function pollSeconds({ heldAt, initiatedAt, createdAt }: SessionRow, now: EpochMs): number {
  if (heldAt !== null) return maxPollSeconds;
  const sinceMs = Math.max(0, now - (initiatedAt ?? createdAt));
  return Math.min(maxPollSeconds, Math.max(minPollSeconds, Math.floor(sinceMs / 60_000)));
}

function polledReview({ resolution, reason, paidMinor, paidAt }: ServiceReviewRow) {
  return { state: resolution ?? 'open', reason, paid_minor: paidMinor, paid_at: isoTime(paidAt) } as const;
}

/** A review as merchants see it; `note` is what staff see besides. */
export function sessionReviewView(review: ServiceReviewRow, note: { note?: string } = {}) {
  return {
    reason: review.reason,
    paid_minor: review.paidMinor,
    paid_at: isoTime(review.paidAt),
    opened_at: isoTime(review.openedAt),
    ...(review.resolution === null ? {} : { resolution: review.resolution }),
    ...(review.resolvedAt === null ? {} : { resolved_at: isoTime(review.resolvedAt) }),
    ...note,
    ...(review.resolution === 'rejected' ? { refund: refundView(review) } : {}),
  };
}

/** A rejected review whose money was returned. */
export type SettledReview = ServiceReviewRow & {
  refundedAt: EpochMs;
  refundReference: string;
  refundedBy: string;
};

function refundView(review: ServiceReviewRow) {
  const { refundedAt, refundReference, refundedBy } = review;
  return refundedAt === null || refundReference === null || refundedBy === null
    ? ({ state: 'due', amount_minor: review.paidMinor } as const)
    : settledRefundView({ ...review, refundedAt, refundReference, refundedBy });
}

/** The refund of a review whose money was returned. */
export function settledRefundView({ paidMinor, refundedAt, refundReference, refundedBy }: SettledReview) {
  return {
    state: 'settled',
    amount_minor: paidMinor,
    reference: refundReference,
    settled_at: isoTime(refundedAt),
    settled_by: refundedBy,
  } as const;
}
