import { z } from 'zod';
import { chargeMinor, msisdn, pageQuery, time } from './field.ts';
import { cursorField, noFields, operation } from './operation.ts';
import {
  createdSession,
  initiatedSession,
  offlineSessionRequest,
  session,
  sessionPage,
  sessionStatuses,
  sessionStatusPoll,
  webSessionRequest,
} from './session.ts';

/* One-time codes, as the service accepts and returns them. */

const otpRequestId = z.string().max(128).meta({ description: 'Prefix `otpr_`.', example: 'otpr_01k5n8c0' });

const otpRequest = z
  .strictObject({
    msisdn: msisdn.meta({ description: "The payer's number, `233XXXXXXXXX`.", example: '233244123456' }),
    purpose: z.literal('collection'),
    collection: z.strictObject({
      amount_minor: chargeMinor.meta({
        description: 'The amount of the session that will use the request, in pesewas.',
        example: 2000,
      }),
    }),
    sender_id: z.string().max(64).optional().meta({
      description: 'An approved sender name of the merchant.',
      example: 'ABENA',
    }),
  })
  .meta({ id: 'OtpRequest' });
export type OtpRequest = z.infer<typeof otpRequest>;

const otpRequested = z
  .object({ otp_request_id: otpRequestId, expires_at: time })
  .meta({ id: 'OtpRequested' });

const otpVerification = z
  .strictObject({
    otp_request_id: otpRequestId,
    code: z
      .string()
      .regex(/^\d{1,16}$/)
      .meta({ description: 'The digits that the payer typed.', example: '048213' }),
  })
  .meta({ id: 'OtpVerification' });
export type OtpVerification = z.infer<typeof otpVerification>;

const otpVerified = z
  .object({ verified: z.boolean().meta({ description: 'false: the code is wrong. The attempt counts.' }) })
  .meta({ id: 'OtpVerified' });

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

/** The operations of merchants on payment sessions and one-time codes. */
export const sessionOperations = {
  createSession: operation('post /v1/payments/sessions', 'Sessions', {
    summary: 'Create a payment session',
    description:
      'Creates a session without charging the payer. Offline (`mode` = `offline`), the payer pays the fee, the key ' +
      'needs the scope `collections:offline`, the merchant needs an approval, and `Idempotency-Key` is mandatory. On ' +
      'the web, the merchant pays the fee, and the key needs the scope `collections:web`.',
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
  }),
  initiateSession: operation('post /v1/payments/sessions/{session_id}/initiate', 'Sessions', {
    summary: 'Push the prompt',
    description:
      'Returns when the rail has accepted the push, without waiting for the payer. Only this call can charge the ' +
      'payer, and only once for each session: after `rail_unknown` or a lost response, poll the session. The key needs ' +
      'the scope for creating a session of this mode.',
    params,
    body: noFields,
    examples: { empty: {} },
    success: { description: 'The rail has accepted the prompt.', schema: initiatedSession },
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
  }),
  getSessionStatus: operation('get /v1/payments/sessions/{session_id}/status', 'Sessions', {
    summary: 'Poll a session',
    description:
      'Returns the status now. Wait `retry_after_seconds` before the next poll. Every key of the merchant may poll.',
    params,
    success: {
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
  }),
  getSession: operation('get /v1/payments/sessions/{session_id}', 'Sessions', {
    summary: 'Look up a session',
    description:
      'Returns the fields of its create call, with the times, the reason of a failure and the review.',
    scope: 'sessions:read',
    params,
    success: {
      description: 'The session with its times, its reason and its review.',
      schema: session,
      example: paid,
    },
    errors: ['session_not_found'],
  }),
  listSessions: operation('get /v1/payments/sessions', 'Sessions', {
    summary: 'List sessions, newest first',
    description: 'Returns the sessions of all platforms of the merchant in the mode of the key.',
    scope: 'sessions:read',
    query: z.strictObject({
      reference: z.string().max(64).optional().meta({
        description: 'The `reference` or `client_trans_id` of the create request.',
        example: 'INV-7',
      }),
      status: z.enum(sessionStatuses).optional(),
      ...pageQuery,
      cursor: cursorField(/^pay_[0-9a-z]{26}$/),
    }),
    fieldErrors: { cursor: 'invalid_cursor' },
    success: {
      description: 'A page of sessions.',
      schema: sessionPage,
      example: { data: [paid], has_more: false, next_cursor: null },
    },
  }),
  requestOtp: operation('post /v1/otp/request', 'One-time codes', {
    summary: 'Send a payer a one-time code',
    description:
      'Sends the code by SMS, or to the simulated phone in test mode. The request is valid for one session with this ' +
      'number and this amount, until `expires_at`. A new request for the number expires the earlier unverified ones. ' +
      'One request in 30 seconds and five in an hour are accepted for each number.',
    scope: 'collections:web',
    body: otpRequest,
    examples: {
      plain: { msisdn: '233244123456', purpose: 'collection', collection: { amount_minor: 2000 } },
      sender: {
        msisdn: '233244123456',
        purpose: 'collection',
        collection: { amount_minor: 2000 },
        sender_id: 'ABENA',
      },
    },
    fieldErrors: {
      msisdn: 'invalid_msisdn',
      purpose: 'invalid_purpose',
      'collection.amount_minor': 'invalid_amount',
    },
    success: { status: 201, description: 'The carrier has accepted the SMS.', schema: otpRequested },
    errors: ['sender_not_approved', 'too_many_otps', 'sms_unavailable'],
  }),
  verifyOtp: operation('post /v1/otp/verify', 'One-time codes', {
    summary: 'Check the code that the payer typed',
    description:
      'A wrong code is not an error: `verified` is false. Five wrong codes lock the request. A right code can be ' +
      'checked again until a session uses the request.',
    scope: 'collections:web',
    body: otpVerification,
    examples: { typed: { otp_request_id: 'otpr_01k5n8c0', code: '048213' } },
    fieldErrors: { code: 'invalid_code' },
    success: { description: 'Whether the code was right.', schema: otpVerified },
    errors: ['otp_not_found', 'otp_expired', 'otp_locked', 'otp_used'],
  }),
};
