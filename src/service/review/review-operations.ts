import type { ServiceReview } from '../../contract/service/admin.ts';
import { serviceOperations } from '../../contract/service/service-operations.ts';
import type { Write } from '../../sqlite/store.ts';
import type { ServiceContext } from '../context.ts';
import type { RecordRefundEvent, RecordReviewEvent } from '../event/record.ts';
import { type ExtraWrites, noExtraWrites } from '../extra-writes.ts';
import { type ApiError, apiError, jsonResponse, pageResponse } from '../http/response.ts';
import type { Router } from '../http/router.ts';
import type { CloseSession } from '../session/close.ts';
import { isTerminal, type SessionRow } from '../session/session-store.ts';
import { type SettledReview, sessionReviewView } from '../session/view.ts';
import type { Charge, ReviewStore, ServiceReviewRow } from './review-store.ts';

/**
 * Resolves with the opened review; `undefined` when the session has changed since it was read, or has a review of this
 * charge. `isSecond` means that the session was charged before. `extraWrites` are in the same batch.
 */
export type OpenReview = (
  session: SessionRow,
  charge: Charge,
  details: { isSecond: boolean; extraWrites: readonly Write[] },
) => Promise<ServiceReviewRow | undefined>;

/** Opens a review of a charge that does not fit. One batch: the review, its event, and the hold. A terminal status stays as it is. */
export function openServiceReview(
  deps: Pick<ServiceContext, 'store' | 'sessions' | 'reviews' | 'clock'> & {
    recordEvent: RecordReviewEvent;
  },
): OpenReview {
  const { store, sessions, reviews, clock } = deps;
  return async (session, charge, { isSecond, extraWrites }) => {
    const now = clock.now();
    const review: ServiceReviewRow = {
      ...charge,
      sessionId: session.id,
      merchantId: session.merchantId,
      livemode: session.livemode,
      reason: isSecond ? 'second_charge' : reasonFor(session, charge),
      openedAt: now,
      resolvedAt: null,
      resolution: null,
      note: null,
      refundedAt: null,
      refundReference: null,
      refundedBy: null,
    };
    const { id, status: from } = session;
    const isOpen = (from === 'created' || from === 'initiated') && session.heldAt === null;
    const hold = isOpen ? [sessions.hold({ id, from, at: now })] : [];
    const event = await deps.recordEvent(isOpen ? { ...session, status: 'initiated' } : session, review);
    const batch = [...hold, reviews.insert(review), event.write, ...extraWrites];
    return (await event.applied(store.apply(batch))) ? review : undefined;
  };
}

function reasonFor(session: SessionRow, { paidMinor }: Charge): ServiceReviewRow['reason'] {
  if (isTerminal(session.status) || paidMinor === session.amountMinor) return 'late_approval';
  return paidMinor < session.amountMinor ? 'paid_short' : 'paid_over';
}

type Resolution = { resolution: 'accepted' | 'rejected'; note?: string | null | undefined };

type ResolveReview = (
  sessionId: string,
  resolution: Resolution,
  extraWrites?: ExtraWrites<ServiceReviewRow>,
) => Promise<ServiceReviewRow | ApiError>;

/**
 * Applies a person's decision on a review. If the session is on hold, `accepted` marks it as paid with the charged
 * amount, and `rejected` fails it (`amount_mismatch`). A session that was closed before the charge keeps its status:
 * the decision, to deliver the goods or to return the money, is recorded. Of several open reviews, the oldest is
 * resolved. The review that put the session on hold is always the oldest.
 */
export function resolveReview(
  deps: Pick<ServiceContext, 'store' | 'sessions' | 'reviews' | 'clock'> & {
    close: CloseSession;
  },
): ResolveReview {
  const { store, sessions, reviews, close, clock } = deps;
  return async (sessionId, { resolution, note = null }, extraWrites = noExtraWrites) => {
    const review = await reviews.find(sessionId);
    const session = await sessions.findAny(sessionId);
    if (!review || !session) return apiError('review_not_found');
    if (review.resolvedAt !== null) return apiError('review_closed');
    const at = clock.now();
    const resolved: ServiceReviewRow = { ...review, resolution, resolvedAt: at, note };
    const { paidAt, paidMinor } = review;
    const writes = [
      reviews.resolve({ sessionId, paidAt, paidMinor, at, resolution, note }),
      ...extraWrites(resolved),
    ];
    const applied =
      session.heldAt === null
        ? await store.apply(writes)
        : await close(sessionId, {
            ...(resolution === 'accepted'
              ? { transition: 'pay' as const, reason: null, paidMinor, paidAt }
              : { transition: 'fail' as const, reason: 'amount_mismatch', refundMinor: paidMinor }),
            at,
            isOnHold: true,
            extraWrites: writes,
          });
    if (!applied) return apiError('review_closed');
    return resolved;
  };
}

type SettleRefund = (
  sessionId: string,
  settlement: { reference: string; by: string },
  extraWrites?: ExtraWrites<ServiceReviewRow>,
) => Promise<ServiceReviewRow | ApiError>;

/** Records which transfer returned the money of the oldest refund that is due, and who made it. One batch, with its event. */
export function settleRefund(
  deps: Pick<ServiceContext, 'store' | 'sessions' | 'reviews' | 'clock'> & {
    recordEvent: RecordRefundEvent;
  },
): SettleRefund {
  return async (sessionId, { reference, by }, extraWrites = noExtraWrites) => {
    const review = await deps.reviews.findRefund(sessionId);
    const session = await deps.sessions.findAny(sessionId);
    if (!review || !session) return apiError('refund_not_due');
    const at = deps.clock.now();
    const settled: SettledReview = { ...review, refundedAt: at, refundReference: reference, refundedBy: by };
    const { paidAt, paidMinor } = review;
    const write = deps.reviews.settleRefund({ sessionId, paidAt, paidMinor, at, reference, by });
    const more = extraWrites(settled);
    const event = await deps.recordEvent(session, settled);
    const batch = deps.store.apply([write, event.write, ...more]);
    if (!(await event.applied(batch))) return apiError('refund_not_due');
    return settled;
  };
}

export function reviewRoutes(
  router: Router,
  operations: { reviews: ReviewStore; resolveReview: ResolveReview; settleRefund: SettleRefund },
): void {
  const response = (decided: ServiceReviewRow) => jsonResponse(200, view(decided));
  router.admin(serviceOperations.listReviews, ({ query }) =>
    pageResponse(query, operations.reviews.open, view),
  );

  router.admin(serviceOperations.resolveReview, ({ params: { id }, body, act }) =>
    act(response, (write) => operations.resolveReview(id, body, write)),
  );

  router.admin(serviceOperations.listRefundsDue, ({ query }) =>
    pageResponse(query, operations.reviews.refundsDue, view),
  );

  router.admin(serviceOperations.settleRefund, ({ params: { id }, body, act }) =>
    act(response, (write) => operations.settleRefund(id, body, write)),
  );
}

function view(review: ServiceReviewRow): ServiceReview {
  return {
    session_id: review.sessionId,
    merchant_id: review.merchantId,
    livemode: review.livemode === 1,
    ...sessionReviewView(review, review.note === null ? {} : { note: review.note }),
  };
}
