import { z } from '@hono/zod-openapi';
import { sessionStatuses } from '../../contract/session.ts';
import { apiError } from '../api-error.ts';
import { answer } from '../http/answer.ts';
import type { Endpoints } from '../http/endpoint.ts';
import { idParam, operation } from '../http/operation.ts';
import { defaultPageSize, pageOf as page } from '../http/page.ts';
import { isoTime } from '../http/time.ts';
import type { Prompt } from '../rail/prompt-store.ts';
import type { Review } from '../review/review-store.ts';
import {
  offlineSession,
  pageOf,
  pageQuery,
  reviewWords,
  sessionReview,
  time,
  webSession,
} from '../session/schemas.ts';
import type { Session } from '../session/session-store.ts';
import { sessionView } from '../session/view.ts';
import { deliveryShape, deliveryView } from '../webhook/schemas.ts';
import type { BackOffice } from './operations.ts';
import { maybeTime } from './schemas.ts';

const tag = 'Back office sessions';

const whose = { merchant_id: z.string(), platform_id: z.string(), livemode: z.boolean() };
const held = {
  held: z.boolean().meta({ description: 'Whether it waits for a person to decide about its review.' }),
};

const noted = {
  review: sessionReview
    .extend({ note: z.string().optional().meta({ description: 'For staff; merchants do not see it.' }) })
    .optional()
    .meta({ description: reviewWords }),
};

/** A session of any merchant: what its merchant sees, whose it is, and what staff noted. */
const caseShape = z.union([
  offlineSession.extend({ ...whose, ...held, ...noted }).meta({ id: 'OfflineCase' }),
  webSession.extend({ ...whose, ...held, ...noted }).meta({ id: 'WebCase' }),
]);

const promptShape = z
  .strictObject({
    id: z.string(),
    status: z.enum(['pending', 'approved', 'declined', 'failed', 'expired']),
    amount_minor: z.int().min(1).meta({ description: 'What the payer was asked for.' }),
    charged_minor: z.int().min(0).meta({ description: "What the payer's wallet was charged." }),
    created_at: time,
    closed_at: time.nullable(),
  })
  .meta({ id: 'SessionPrompt' });

const list = operation({
  method: 'get',
  path: '/backoffice/sessions',
  id: 'findSessions',
  tag,
  summary: 'Find sessions of any merchant, newest first',
  access: 'admin',
  query: z
    .strictObject({
      merchant_id: z.string().max(128).optional(),
      livemode: z.enum(['true', 'false']).optional().meta({ description: 'Both modes when left out.' }),
      status: z.enum(sessionStatuses).optional(),
      reference: z
        .string()
        .max(64)
        .optional()
        .meta({ description: 'Only with `merchant_id`: it is the word of one merchant.', example: 'INV-7' }),
      msisdn: z
        .string()
        .regex(/^233\d{9}$/)
        .optional()
        .meta({ description: "The payer's number.", example: '233244123456' }),
      ...pageQuery,
    })
    .refine((query) => query.reference === undefined || query.merchant_id !== undefined, {
      path: ['merchant_id'],
      message: 'a reference is the word of one merchant',
    }),
  codes: { msisdn: 'invalid_msisdn' },
  success: {
    status: 200,
    description: 'A page of sessions.',
    schema: pageOf(caseShape).meta({ id: 'CasePage' }),
  },
  errors: ['missing_field'],
});

const get = operation({
  method: 'get',
  path: '/backoffice/sessions/{id}',
  id: 'findSession',
  tag,
  summary: 'Look a session of any merchant up, with its prompts and its events',
  access: 'admin',
  params: idParam('The session.', 'pay_01k5n8c0'),
  success: {
    status: 200,
    description:
      "The session and its review, the simulated rail's prompts, and the events; each in the order in which they " +
      'were made.',
    schema: z
      .strictObject({
        session: caseShape,
        prompts: z.array(promptShape),
        events: z.array(deliveryShape),
      })
      .meta({ id: 'SessionFile' }),
  },
  errors: ['session_not_found'],
});

export function officeSessionRoutes(
  serve: Endpoints,
  { anySessions, findSession, findReview }: BackOffice,
): void {
  serve.admin(list, async ({ query }) => {
    const { limit = defaultPageSize, cursor } = query;
    const of = {
      merchantId: query.merchant_id,
      livemode: query.livemode === undefined ? undefined : query.livemode === 'true' ? 1 : 0,
      status: query.status,
      reference: query.reference,
      payer: query.msisdn,
    } as const;
    const found = page(await anySessions.list(of, limit + 1, cursor), limit, (session) => session);
    const data = await Promise.all(
      found.data.map(async (session) => caseView(session, await findReview(session.id))),
    );
    return answer(200, { ...found, data });
  });

  serve.admin(get, async ({ params: { id } }) => {
    const session = await findSession(id);
    if (!session) return apiError('session_not_found');
    const [review, prompts, events] = await Promise.all([
      findReview(id),
      anySessions.prompts(id),
      anySessions.events(id),
    ]);
    return answer(200, {
      session: caseView(session, review),
      prompts: prompts.map(promptView),
      events: events.map(deliveryView),
    });
  });
}

function promptView(prompt: Prompt): z.infer<typeof promptShape> {
  return {
    id: prompt.id,
    status: prompt.status,
    amount_minor: prompt.amountMinor,
    charged_minor: prompt.chargedMinor,
    created_at: isoTime(prompt.createdAt),
    closed_at: maybeTime(prompt.closedAt),
  };
}

function caseView(session: Session, review: Review | undefined): z.infer<typeof caseShape> {
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
