import type { Action, AdminSession, SessionPrompt } from '../../contract/service/admin.ts';
import { serviceOperations } from '../../contract/service/service-operations.ts';
import { apiError } from '../api-error.ts';
import { isoTime, isoTimeOrNull, jsonResponse, pageResponse } from '../http/response.ts';
import type { Router } from '../http/router.ts';
import type { Prompt } from '../rail/prompt-store.ts';
import type { ServiceReviewRow } from '../review/review-store.ts';
import type { SessionRow } from '../session/session-store.ts';
import { sessionView } from '../session/view.ts';
import { viewEventDelivery } from '../webhook/routes.ts';
import type { AdminAction } from './admin-store.ts';
import { merchantRoutes } from './merchant-routes.ts';
import type { AdminOperations } from './operations.ts';
import { writeStatement } from './statement-file.ts';

const dayMs = 24 * 3_600_000;

/** The admin API, without webhooks, reviews and the test clock: these register their own routes. */
export function adminRoutes(router: Router, operations: AdminOperations): void {
  merchantRoutes(router, operations);
  adminSessionRoutes(router, operations);
  router.admin(
    serviceOperations.getStatement,
    async ({ params: { id: merchantId }, query: { date, livemode } }) => {
      if (!(await operations.findMerchant(merchantId))) return apiError('merchant_not_found');
      const from = Date.parse(date);
      const day = { merchantId, livemode: livemode === 'true' ? 1 : 0, from, to: from + dayMs } as const;
      const charges = await operations.listDayCharges(day);
      if (!charges) return apiError('statement_too_long');
      return {
        kind: 'response',
        status: 200,
        body: writeStatement(charges),
        type: 'text/csv; charset=utf-8',
      };
    },
  );
  router.admin(serviceOperations.listActions, ({ query }) =>
    pageResponse(query, operations.listActions, actionView),
  );
}

function actionView({ id, at, requestId, action, subject }: AdminAction): Action {
  return { id, at: isoTime(at), request_id: requestId, action, subject };
}

function adminSessionRoutes(
  router: Router,
  { adminSessions, findSession, findReview }: AdminOperations,
): void {
  router.admin(serviceOperations.findSessions, ({ query }) => {
    const filter = {
      merchantId: query.merchant_id,
      livemode: query.livemode === undefined ? undefined : query.livemode === 'true' ? 1 : 0,
      status: query.status,
      reference: query.reference,
      payer: query.msisdn,
    } as const;
    return pageResponse(
      query,
      (limit, cursor) => adminSessions.list(filter, limit, cursor),
      async (session) => adminSessionView(session, await findReview(session.id)),
    );
  });

  router.admin(serviceOperations.findSession, async ({ params: { id } }) => {
    const session = await findSession(id);
    if (!session) return apiError('session_not_found');
    const [review, prompts, events] = await Promise.all([
      findReview(id),
      adminSessions.prompts(id),
      adminSessions.events(id),
    ]);
    return jsonResponse(200, {
      session: adminSessionView(session, review),
      prompts: prompts.map(promptView),
      events: events.map(viewEventDelivery),
    });
  });
}

function promptView(prompt: Prompt): SessionPrompt {
  return {
    id: prompt.id,
    status: prompt.status,
    amount_minor: prompt.amountMinor,
    charged_minor: prompt.chargedMinor,
    created_at: isoTime(prompt.createdAt),
    closed_at: isoTimeOrNull(prompt.closedAt),
  };
}

function adminSessionView(session: SessionRow, review: ServiceReviewRow | undefined): AdminSession {
  const shown = sessionView(session, review);
  const note = review?.note ? { note: review.note } : {};
  return {
    ...shown,
    ...(shown.review ? { review: { ...shown.review, ...note } } : {}),
    merchant_id: session.merchantId,
    platform_id: session.platformId,
    livemode: session.livemode === 1,
    held: session.heldAt !== null,
  };
}
