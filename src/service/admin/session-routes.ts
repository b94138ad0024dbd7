import { z } from 'zod';
import {
  type AdminSession,
  adminSessionPage,
  type SessionPrompt,
  sessionRecord,
} from '../../contract/service/admin.ts';
import { msisdn, pageQuery } from '../../contract/service/field.ts';
import { sessionStatuses } from '../../contract/service/session.ts';
import { apiError } from '../api-error.ts';
import { idParam, operation } from '../http/operation.ts';
import { defaultPageSize, toPage } from '../http/page.ts';
import { jsonResponse } from '../http/response.ts';
import type { Router } from '../http/router.ts';
import { isoTime, isoTimeOrNull } from '../http/time.ts';
import type { Prompt } from '../rail/prompt-store.ts';
import type { Review } from '../review/review-store.ts';
import type { Session } from '../session/session-store.ts';
import { sessionView } from '../session/view.ts';
import { deliveryView } from '../webhook/views.ts';
import type { AdminOperations } from './operations.ts';

const tag = 'Back office sessions';

const list = operation({
  method: 'get',
  path: '/backoffice/sessions',
  id: 'findSessions',
  tag,
  summary: 'Find sessions of all merchants, newest first',
  description: 'Returns the sessions that match all given filters.',
  access: 'admin',
  query: z
    .strictObject({
      merchant_id: z.string().max(128).optional(),
      livemode: z.enum(['true', 'false']).optional().meta({ description: 'Default: both modes.' }),
      status: z.enum(sessionStatuses).optional(),
      reference: z.string().max(64).optional().meta({
        description: 'Requires `merchant_id`: references belong to one merchant.',
        example: 'INV-7',
      }),
      msisdn: msisdn.optional().meta({ description: "The payer's number.", example: '233244123456' }),
      ...pageQuery,
    })
    .refine((query) => query.reference === undefined || query.merchant_id !== undefined, {
      path: ['merchant_id'],
      message: 'a reference requires merchant_id',
    }),
  fieldErrors: { msisdn: 'invalid_msisdn' },
  success: { status: 200, description: 'A page of sessions.', schema: adminSessionPage },
  errors: ['missing_field'],
});

const get = operation({
  method: 'get',
  path: '/backoffice/sessions/{id}',
  id: 'findSession',
  tag,
  summary: 'Get a session of any merchant, with its prompts and events',
  description: 'Returns one session with its prompts and its events.',
  access: 'admin',
  params: idParam('The session.', 'pay_01k5n8c0'),
  success: {
    status: 200,
    description:
      "The session and its review, the simulated rail's prompts, and the events. Prompts and events are listed " +
      'oldest first.',
    schema: sessionRecord,
  },
  errors: ['session_not_found'],
});

export function adminSessionRoutes(
  router: Router,
  { adminSessions, findSession, findReview }: AdminOperations,
): void {
  router.admin(list, async ({ query }) => {
    const { limit = defaultPageSize, cursor } = query;
    const filter = {
      merchantId: query.merchant_id,
      livemode: query.livemode === undefined ? undefined : query.livemode === 'true' ? 1 : 0,
      status: query.status,
      reference: query.reference,
      payer: query.msisdn,
    } as const;
    const rows = await adminSessions.list(filter, limit + 1, cursor);
    const page = toPage(rows, limit, (session) => session);
    const data = await Promise.all(
      page.data.map(async (session) => adminSessionView(session, await findReview(session.id))),
    );
    return jsonResponse(200, { ...page, data });
  });

  router.admin(get, async ({ params: { id } }) => {
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
      events: events.map(deliveryView),
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

function adminSessionView(session: Session, review: Review | undefined): AdminSession {
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
