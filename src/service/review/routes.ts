import type { ServiceReview } from '../../contract/service/admin.ts';
import { serviceOperations } from '../../contract/service/service-operations.ts';
import { jsonResponse, pageResponse } from '../http/response.ts';
import type { Router } from '../http/router.ts';
import { sessionReviewView } from '../session/view.ts';
import type { ResolveReview, SettleRefund } from './review-operations.ts';
import type { ReviewStore, ServiceReviewRow } from './review-store.ts';

/** Serves the reviews in the admin API. */
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
