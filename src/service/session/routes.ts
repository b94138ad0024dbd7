import { z } from 'zod';
import { pageQuery } from '../../contract/service/field.ts';
import { noFields, operation } from '../../contract/service/operation.ts';
import {
  createdSession,
  initiatedSession,
  offlineSessionRequest,
  session,
  sessionPage,
  sessionStatuses,
  sessionStatusPoll,
  webSessionRequest,
} from '../../contract/service/session.ts';
import type { Clock } from '../../shared/clock.ts';
import { apiError } from '../api-error.ts';
import { defaultPageSize, jsonResponse, toPage } from '../http/response.ts';
import type { MerchantChecks, Router } from '../http/router.ts';
import { checkOffline, checkScope, modeScopes } from '../key/authenticate.ts';
import type { ReviewStore } from '../review/review-store.ts';
import type { CreateSession } from './create.ts';
import type { InitiateSession } from './initiate.ts';
import type { SessionRow, SessionStore } from './session-store.ts';
import { sessionView, statusView } from './view.ts';

const tag = 'Sessions';
const params = z.object({
  session_id: z.string().max(128).meta({ description: 'The session.', example: 'pay_01k5n8c0' }),
});

const created = {
  id: 'pay_01k5n8c0',
  mode: 'offline',
  channel: 'ussd',
  network: 'mtn',
  goods_minor: 2000,
  amount_minor: 2020,
  expected_fee_minor: 20,
  expected_net_minor: 2000,
  status: 'created',
  reference: 'INV-7',
  payer_msisdn: '0244123456',
} as const;

const paid = {
  ...created,
  status: 'paid',
  created_at: '2026-03-06T09:00:00.000Z',
  initiated_at: '2026-03-06T09:00:01.500Z',
  paid_at: '2026-03-06T09:00:07.250Z',
  closed_at: '2026-03-06T09:00:07.250Z',
} as const;

const create = operation({
  method: 'post',
  path: '/v1/payments/sessions',
  id: 'createSession',
  tag,
  summary: 'Create a payment session',
  description:
    'Creates a session without charging the payer. Offline (`mode` = `offline`), the payer pays the fee, the key ' +
    'needs the scope `collections:offline`, the merchant needs an approval, and `Idempotency-Key` is mandatory. On ' +
    'the web, the merchant pays the fee, and the key needs the scope `collections:web`.',
  access: 'merchant',
  body: z.union([offlineSessionRequest, webSessionRequest]),
  examples: {
    offline: {
      mode: 'offline',
      msisdn: '233244123456',
      amount_minor: 2000,
      network: 'mtn',
      reference: 'INV-7',
    },
    web: { msisdn: '233244123456', amount_minor: 2000, network: 'mtn', client_trans_id: 'order-7' },
  },
  fieldErrors: {
    msisdn: 'invalid_msisdn',
    amount_minor: 'invalid_amount',
    network: 'unknown_network',
    mode: 'invalid_mode',
    reference: 'invalid_reference',
    client_trans_id: 'invalid_reference',
  },
  idempotency: 'mandatory',
  success: {
    status: 201,
    description: 'The session, with the fields of its mode.',
    schema: createdSession,
    example: created,
  },
  errors: [
    'offline_mode_not_enabled',
    'offline_scope_required',
    'scope_required',
    'amount_below_fee',
    'otp_not_found',
    'otp_expired',
    'otp_locked',
    'otp_used',
    'otp_not_verified',
    'otp_mismatch',
  ],
});

const initiate = operation({
  method: 'post',
  path: '/v1/payments/sessions/{session_id}/initiate',
  id: 'initiateSession',
  tag,
  summary: 'Push the prompt',
  description:
    'Returns when the rail has accepted the push, without waiting for the payer. Only this call can charge the ' +
    'payer, and only once for each session: after `rail_unknown` or a lost response, poll the session. The key needs ' +
    'the scope for creating a session of this mode.',
  access: 'merchant',
  params,
  body: noFields,
  examples: { empty: {} },
  idempotency: 'honoured',
  success: { status: 200, description: 'The rail has accepted the prompt.', schema: initiatedSession },
  errors: [
    'scope_required',
    'session_not_found',
    'session_already_initiated',
    'session_closed',
    'rail_refused',
    'rail_unknown',
    'rail_not_attached',
    'too_many_prompts',
  ],
});

const status = operation({
  method: 'get',
  path: '/v1/payments/sessions/{session_id}/status',
  id: 'getSessionStatus',
  tag,
  summary: 'Poll a session',
  description:
    'Returns the status now. Wait `retry_after_seconds` before the next poll. Every key of the merchant may poll.',
  access: 'merchant',
  params,
  success: {
    status: 200,
    description: 'The status of the session.',
    schema: sessionStatusPoll,
    example: {
      id: paid.id,
      status: 'paid',
      terminal: true,
      paid_at: paid.paid_at,
      retry_after_seconds: null,
    },
  },
  errors: ['session_not_found'],
});

const get = operation({
  method: 'get',
  path: '/v1/payments/sessions/{session_id}',
  id: 'getSession',
  tag,
  summary: 'Look up a session',
  description:
    'Returns the fields of its create call, with the times, the reason of a failure and the review.',
  access: 'merchant',
  scope: 'sessions:read',
  params,
  success: {
    status: 200,
    description: 'The session with its times, its reason and its review.',
    schema: session,
    example: paid,
  },
  errors: ['session_not_found'],
});

const list = operation({
  method: 'get',
  path: '/v1/payments/sessions',
  id: 'listSessions',
  tag,
  summary: 'List sessions, newest first',
  description: 'Returns the sessions of all platforms of the merchant in the mode of the key.',
  access: 'merchant',
  scope: 'sessions:read',
  query: z.strictObject({
    reference: z
      .string()
      .max(64)
      .optional()
      .meta({ description: 'The `reference` or `client_trans_id` of the create request.', example: 'INV-7' }),
    status: z.enum(sessionStatuses).optional(),
    ...pageQuery,
    cursor: z
      .string()
      .regex(/^pay_[0-9a-z]{26}$/)
      .optional()
      .meta({ description: 'The `next_cursor` of the previous page.' }),
  }),
  fieldErrors: { cursor: 'invalid_cursor' },
  success: {
    status: 200,
    description: 'A page of sessions.',
    schema: sessionPage,
    example: { data: [paid], has_more: false, next_cursor: null },
  },
});

/** Serves the operations on payment sessions, web and offline. */
export function sessionRoutes(
  router: Router,
  operations: {
    create: CreateSession;
    initiate: InitiateSession;
    sessions: SessionStore;
    reviews: ReviewStore;
    clock: Clock;
  },
): void {
  const { sessions, reviews, clock } = operations;

  router.merchant(
    create,
    ({ caller, body, savedResponse }) => operations.create(caller, body, savedResponse),
    {
      authorize(caller, raw) {
        if (raw.mode === 'offline') return checkOffline(caller);
        if (raw.mode !== undefined && raw.mode !== 'web') return apiError('invalid_mode', { param: 'mode' });
        return checkScope(caller, modeScopes.web);
      },
      schemaFor: (raw) => (raw.mode === 'offline' ? offlineSessionRequest : webSessionRequest),
      requiresIdempotencyKey: (raw) => raw.mode === 'offline',
    },
  );

  const initiateChecks: MerchantChecks<unknown, { kind: 'found'; session: SessionRow } | undefined> = {
    async authorize(caller, _raw, { session_id: id = '' }) {
      const session = await sessions.find(caller, id);
      return session && (checkScope(caller, modeScopes[session.mode]) ?? { kind: 'found', session });
    },
  };

  router.merchant(
    initiate,
    ({ caller, found, savedResponse }) => operations.initiate(caller, found?.session, savedResponse),
    initiateChecks,
  );

  router.merchant(status, async ({ caller, params: { session_id: id } }) => {
    const session = await sessions.find(caller, id);
    if (!session) return apiError('session_not_found');
    return jsonResponse(200, statusView(session, { review: await reviews.find(id), now: clock.now() }));
  });

  router.merchant(get, async ({ caller, params: { session_id: id } }) => {
    const session = await sessions.find(caller, id);
    if (!session) return apiError('session_not_found');
    return jsonResponse(200, sessionView(session, await reviews.find(id)));
  });

  router.merchant(list, async ({ caller, query: { limit = defaultPageSize, cursor, ...filter } }) => {
    const found = toPage(await sessions.list(caller, filter, limit + 1, cursor), limit, (session) => session);
    const data = await Promise.all(
      found.data.map(async (session) => sessionView(session, await reviews.find(session.id))),
    );
    return jsonResponse(200, { ...found, data });
  });
}
