import { readMsisdn } from '../../contract/service/field.ts';
import { operation } from '../../contract/service/operation.ts';
import { otpRequest, otpRequested, otpVerification, otpVerified } from '../../contract/service/otp.ts';
import { listMessages } from '../../contract/service/session-operations.ts';
import { apiError } from '../api-error.ts';
import type { Settings } from '../config.ts';
import type { ServiceContext } from '../context.ts';
import { defaultPageSize, isoTime, jsonResponse, toPage } from '../http/response.ts';
import type { Router } from '../http/router.ts';
import { type RequestOtp, requestOtp } from './request.ts';
import { createSimulatedCarrier, type SentSms, type SimulatedCarrier } from './sms.ts';
import { type VerifyOtp, verifyOtp } from './verify.ts';

/** Creates the operations on one-time codes: sent by SMS in live mode, to the simulated phone in test mode. */
export function createOtpOperations(settings: Settings, context: ServiceContext) {
  const simulatedCarrier = createSimulatedCarrier(context.clock);
  const deps = { ...context, config: settings.otp };
  return {
    request: requestOtp({
      ...deps,
      selectCarrier: (livemode) => (livemode === 0 ? simulatedCarrier : context.sms),
    }),
    verify: verifyOtp(deps),
    simulatedCarrier,
  };
}

const tag = 'One-time codes';

const request = operation({
  method: 'post',
  path: '/v1/otp/request',
  id: 'requestOtp',
  tag,
  summary: 'Send a payer a one-time code',
  description:
    'Sends the code by SMS, or to the simulated phone in test mode. The request is valid for one session with this ' +
    'number and this amount, until `expires_at`. A new request for the number expires the earlier unverified ones. ' +
    'One request in 30 seconds and five in an hour are accepted for each number.',
  access: 'merchant',
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
  idempotency: 'honoured',
  success: { status: 201, description: 'The carrier has accepted the SMS.', schema: otpRequested },
  errors: ['sender_not_approved', 'too_many_otps', 'sms_unavailable'],
});

const verify = operation({
  method: 'post',
  path: '/v1/otp/verify',
  id: 'verifyOtp',
  tag,
  summary: 'Check the code that the payer typed',
  description:
    'A wrong code is not an error: `verified` is false. Five wrong codes lock the request. A right code can be ' +
    'checked again until a session uses the request.',
  access: 'merchant',
  scope: 'collections:web',
  body: otpVerification,
  examples: { typed: { otp_request_id: 'otpr_01k5n8c0', code: '048213' } },
  fieldErrors: { code: 'invalid_code' },
  idempotency: 'honoured',
  success: { status: 200, description: 'Whether the code was right.', schema: otpVerified },
  errors: ['otp_not_found', 'otp_expired', 'otp_locked', 'otp_used'],
});

/** Serves the operations on one-time codes. */
export function otpRoutes(router: Router, operations: { request: RequestOtp; verify: VerifyOtp }): void {
  router.merchant(request, ({ caller, body, savedResponse }) =>
    operations.request(caller, body, savedResponse),
  );
  router.merchant(verify, ({ caller, body, savedResponse }) =>
    operations.verify(caller, body, savedResponse),
  );
}

/** Serves the text messages of the simulated phone. A phone needs no API key. */
export function messageRoutes(router: Router, carrier: SimulatedCarrier): void {
  router.open(listMessages, async ({ query: { msisdn, limit = defaultPageSize, cursor } }) => {
    const to = readMsisdn(msisdn);
    if (to === undefined) return apiError('invalid_msisdn', { param: 'msisdn' });
    const older = carrier.messages(to).filter(({ id }) => cursor === undefined || id < cursor);
    const view = ({ sentAt, ...sms }: SentSms) => ({ ...sms, sent_at: isoTime(sentAt) });
    return jsonResponse(200, toPage(older, limit, view));
  });
}
