import { otpRequest, otpRequested, otpVerification, otpVerified } from '../../contract/otp.ts';
import { operation } from '../http/operation.ts';
import type { Router } from '../http/router.ts';
import type { RequestOtp } from './request.ts';
import type { VerifyOtp } from './verify.ts';

const tag = 'One-time codes';

const request = operation({
  method: 'post',
  path: '/v1/otp/request',
  id: 'requestOtp',
  tag,
  summary: 'Send a payer a one-time code',
  description:
    'By SMS; in test mode to the simulated phone. The request is good for one session with this number and this ' +
    'amount, until `expires_at`. A newer request for the number ends an older one that nobody has verified. A ' +
    'second one is taken after 30 seconds, and five in an hour.',
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
  success: { status: 201, description: 'The SMS is on its way.', schema: otpRequested },
  errors: ['sender_not_approved', 'too_many_otps', 'sms_unavailable'],
});

const verify = operation({
  method: 'post',
  path: '/v1/otp/verify',
  id: 'verifyOtp',
  tag,
  summary: 'Check the code that the payer typed',
  description:
    'A wrong code is no error: `verified` is false. After five of them the request is locked. A right code may be ' +
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

/** The calls about one-time codes. */
export function otpRoutes(router: Router, verbs: { request: RequestOtp; verify: VerifyOtp }): void {
  router.merchant(request, ({ caller, body, savedResponse }) => verbs.request(caller, body, savedResponse));
  router.merchant(verify, ({ caller, body, savedResponse }) => verbs.verify(caller, body, savedResponse));
}
