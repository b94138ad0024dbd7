import { z } from 'zod';
import { type Review as ReviewView, review, reviewPage } from '../../contract/service/admin.ts';
import { pageQuery } from '../../contract/service/field.ts';
import { reviewResolutions } from '../../contract/service/session.ts';
import { isApiError } from '../api-error.ts';
import { idParam, operation } from '../http/operation.ts';
import { defaultPageSize, toPage } from '../http/page.ts';
import { jsonResponse } from '../http/response.ts';
import type { Router } from '../http/router.ts';
import { isoTime } from '../http/time.ts';
import { refundView } from './refund-view.ts';
import type { ResolveReview, SettleRefund } from './review-operations.ts';
import type { Review, ReviewStore } from './review-store.ts';

const tag = 'Reviews';

const positionQuery = z.strictObject({
  ...pageQuery,
  cursor: z
    .string()
    .regex(/^\d{1,15}-\d{1,15}$/)
    .optional()
    .meta({ description: 'The `next_cursor` of the previous page.' }),
});

const list = operation({
  method: 'get',
  path: '/backoffice/reviews',
  id: 'listReviews',
  tag,
  summary: 'List open reviews',
  description: 'Returns the reviews that wait for a decision, oldest first.',
  access: 'admin',
  query: positionQuery,
  fieldErrors: { cursor: 'invalid_cursor' },
  success: {
    status: 200,
    description: 'A page of open reviews.',
    schema: reviewPage,
  },
});

const resolve = operation({
  method: 'post',
  path: '/backoffice/sessions/{id}/review',
  id: 'resolveReview',
  tag,
  summary: 'Resolve a review',
  description:
    'A session on hold becomes `paid` with the charged amount (`accepted`), or `failed` with the reason ' +
    '`amount_mismatch` (`rejected`), and its event is sent. A session that was closed before the charge keeps its ' +
    'status: the decision, to deliver the goods or to return the money, is recorded. Of several open reviews, the ' +
    'oldest is resolved.',
  access: 'admin',
  params: idParam('The session.', 'pay_01k5n8c0'),
  body: z
    .strictObject({
      resolution: z.enum(reviewResolutions),
      note: z.string().min(1).max(500).optional().meta({ description: 'A note for later readers.' }),
    })
    .meta({ id: 'ReviewResolution' }),
  examples: { accepted: { resolution: 'accepted', note: 'the merchant accepts the partial payment' } },
  idempotency: 'honoured',
  success: { status: 200, description: 'The resolved review.', schema: review },
  errors: ['review_not_found', 'review_closed'],
});

const refunds = operation({
  method: 'get',
  path: '/backoffice/refunds',
  id: 'listRefundsDue',
  tag,
  summary: 'List refunds that are due',
  description:
    'Returns the rejected reviews whose money was not returned to the payer yet, the oldest decision first.',
  access: 'admin',
  query: positionQuery,
  fieldErrors: { cursor: 'invalid_cursor' },
  success: { status: 200, description: 'A page of rejected reviews.', schema: reviewPage },
});

const text = (maxLength: number) =>
  z
    .string()
    .regex(/^[^\p{Cc}\p{Cs}]+$/u)
    .max(maxLength);

const refunded = operation({
  method: 'post',
  path: '/backoffice/sessions/{id}/refund',
  id: 'settleRefund',
  tag,
  summary: 'Settle a refund',
  description:
    'Records that the money of a rejected review was returned to the payer, and sends ' +
    '`payment.session.refund_settled`. The service moves no money. Of several refunds that are due, the oldest is ' +
    'settled.',
  access: 'admin',
  params: idParam('The session.', 'pay_01k5n8c0'),
  body: z
    .strictObject({
      reference: text(64).meta({
        description: 'The reference of the transfer to the payer.',
        example: 'MP26030',
      }),
      by: text(64).meta({ description: 'Who made the transfer.', example: 'Ama' }),
    })
    .meta({ id: 'RefundSettlement' }),
  examples: { settled: { reference: 'MP26030', by: 'Ama' } },
  idempotency: 'honoured',
  success: { status: 200, description: 'The review with its refund.', schema: review },
  errors: ['refund_not_due'],
});

/** Serves the reviews in the admin API. */
export function reviewRoutes(
  router: Router,
  operations: { reviews: ReviewStore; resolveReview: ResolveReview; settleRefund: SettleRefund },
): void {
  router.admin(list, async ({ query: { limit = defaultPageSize, cursor } }) =>
    jsonResponse(200, toPage(await operations.reviews.open(limit + 1, cursor), limit, view)),
  );

  router.admin(resolve, async ({ params: { id }, body, extraWrites }) => {
    const done = await operations.resolveReview(id, body, (review) =>
      extraWrites(jsonResponse(200, view(review))),
    );
    return isApiError(done) ? done : jsonResponse(200, view(done));
  });

  router.admin(refunds, async ({ query: { limit = defaultPageSize, cursor } }) =>
    jsonResponse(200, toPage(await operations.reviews.refundsDue(limit + 1, cursor), limit, view)),
  );

  router.admin(refunded, async ({ params: { id }, body, extraWrites }) => {
    const done = await operations.settleRefund(id, body, (review) =>
      extraWrites(jsonResponse(200, view(review))),
    );
    return isApiError(done) ? done : jsonResponse(200, view(done));
  });
}

function view(review: Review): ReviewView {
  return {
    session_id: review.sessionId,
    merchant_id: review.merchantId,
    livemode: review.livemode === 1,
    reason: review.reason,
    paid_minor: review.paidMinor,
    paid_at: isoTime(review.paidAt),
    opened_at: isoTime(review.openedAt),
    ...(review.resolution === null ? {} : { resolution: review.resolution }),
    ...(review.resolvedAt === null ? {} : { resolved_at: isoTime(review.resolvedAt) }),
    ...(review.note === null ? {} : { note: review.note }),
    ...(review.resolution === 'rejected' ? { refund: refundView(review) } : {}),
  };
}
