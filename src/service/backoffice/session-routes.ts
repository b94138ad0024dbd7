import { z } from '@hono/zod-openapi';
import { sessionStatuses } from '../../contract/session.ts';
import { answer } from '../http/answer.ts';
import type { Endpoints } from '../http/endpoint.ts';
import { idParam, operation } from '../http/operation.ts';
import { defaultPageSize, pageOf as page } from '../http/page.ts';
import { refuse } from '../refusal.ts';
import type { Review } from '../review/review-store.ts';
import type { Session } from '../session/session-store.ts';
import { offlineSession, pageOf, pageQuery, webSession } from '../session/shapes.ts';
import { sessionView } from '../session/view.ts';
import { deliveryShape, deliveryView } from '../webhook/shapes.ts';
import type { BackOffice } from './verbs.ts';

const tag = 'Back office sessions';

const whose = { merchant_id: z.string(), platform_id: z.string(), livemode: z.boolean() };
const held = {
  held: z.boolean().meta({ description: 'Whether it waits for a person to decide about its review.' }),
};

/** A session of any merchant: what its merchant sees, and whose it is. */
const caseShape = z.union([
  offlineSession.extend({ ...whose, ...held }).meta({ id: 'OfflineCase' }),
  webSession.extend({ ...whose, ...held }).meta({ id: 'WebCase' }),
]);

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
  refuses: ['missing_field'],
});

const get = operation({
  method: 'get',
  path: '/backoffice/sessions/{id}',
  id: 'findSession',
  tag,
  summary: 'Look a session of any merchant up, with its events',
  access: 'admin',
  params: idParam('The session.', 'pay_01k5n8c0'),
  success: {
    status: 200,
    description: 'The session, its review and its events in the order in which they were made.',
    schema: z
      .strictObject({ session: caseShape, events: z.array(deliveryShape) })
      .meta({ id: 'SessionFile' }),
  },
  refuses: ['session_not_found'],
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
    if (!session) return refuse('session_not_found');
    const [review, events] = await Promise.all([findReview(id), anySessions.events(id)]);
    return answer(200, { session: caseView(session, review), events: events.map(deliveryView) });
  });
}

function caseView(session: Session, review: Review | undefined): z.infer<typeof caseShape> {
  return {
    ...sessionView(session, review),
    merchant_id: session.merchantId,
    platform_id: session.platformId,
    livemode: session.livemode === 1,
    held: session.heldAt !== null,
  };
}
