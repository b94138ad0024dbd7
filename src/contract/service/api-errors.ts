import { maxAmountMinor } from '../../shared/money.ts';
import { payerLimited } from '../error.ts';
import { documentedErrors } from './end-reason.ts';

/** Every error code with its status and message. The interface defines the first three (docs/collection-service.md). */
export const apiErrors = {
  offline_mode_not_enabled: {
    status: documentedErrors.offline_mode_not_enabled,
    message: 'The merchant is not approved for offline collections.',
  },
  offline_scope_required: {
    status: documentedErrors.offline_scope_required,
    message: 'The key lacks the scope collections:offline.',
  },
  invalid_msisdn: {
    status: documentedErrors.invalid_msisdn,
    message: 'The number must have the form 233XXXXXXXXX.',
  },

  missing_api_key: { status: 401, message: 'Send a secret key: Authorization: Bearer sk_…' },
  malformed_api_key: {
    status: 401,
    message:
      'The Authorization header must be Bearer, followed by a secret key that begins with sk_test_ or sk_live_.',
  },
  invalid_api_key: { status: 401, message: 'The key is not valid.' },
  live_mode_off: { status: 403, message: 'This service is a sandbox and accepts test keys only.' },
  scope_required: { status: 403, message: 'The key lacks the scope that this call requires.' },
  invalid_admin_token: { status: 401, message: 'Send the admin token: Authorization: Bearer …' },
  too_many_guesses: {
    status: 429,
    message: 'Too many wrong admin tokens were sent from this address. Try again later.',
  },

  unsupported_media_type: { status: 415, message: 'Send the body as application/json.' },
  body_too_large: { status: 413, message: 'The body is larger than 64 KiB.' },
  invalid_json: { status: 400, message: 'The body must be a JSON object in UTF-8.' },
  missing_field: { status: 400, message: 'A required field is missing.' },
  unknown_field: { status: 400, message: 'The field does not exist.' },
  invalid_field: { status: 400, message: 'The value of the field is not valid.' },
  invalid_amount: {
    status: 400,
    message: `The amount must be an integer in pesewas, from 1 to ${maxAmountMinor}.`,
  },
  amount_below_fee: { status: 400, message: 'The amount must be greater than its fee.' },
  unknown_network: { status: 400, message: 'The network must be one of mtn, telecel, at.' },
  invalid_reference: { status: 400, message: 'The reference must be a string of 1 to 64 characters.' },
  invalid_mode: { status: 400, message: 'The mode must be offline or web. The default is web.' },
  invalid_cursor: { status: 400, message: 'The cursor must be a next_cursor of this list.' },

  idempotency_key_required: { status: 400, message: 'This call requires an Idempotency-Key.' },
  invalid_idempotency_key: {
    status: 400,
    message: 'The Idempotency-Key must be 1 to 255 printable ASCII characters.',
  },
  idempotency_key_reused: { status: 409, message: 'The Idempotency-Key was used for a different request.' },
  idempotency_in_progress: {
    status: 409,
    message: 'The first request with this Idempotency-Key is still in progress.',
  },

  invalid_purpose: { status: 400, message: 'The purpose must be collection.' },
  invalid_code: { status: 400, message: 'The code must be a string of 1 to 16 digits.' },
  sender_not_approved: { status: 403, message: 'The sender is not approved for this merchant.' },
  otp_not_found: { status: 404, message: 'The OTP request does not exist.' },
  otp_expired: { status: 410, message: 'The OTP request has expired.' },
  otp_locked: { status: 409, message: 'Too many wrong codes were entered. Request another OTP.' },
  otp_used: { status: 409, message: 'The OTP request was already used for a session.' },
  otp_not_verified: { status: 409, message: 'The OTP request is not verified.' },
  otp_mismatch: { status: 409, message: 'The OTP request is for a different number or amount.' },
  sms_unavailable: { status: 502, message: 'The SMS could not be sent. Request another OTP.' },

  too_many_requests: { status: 429, message: 'Too many calls were made with this key. Try again later.' },
  [payerLimited]: { status: 429, message: 'Too many prompts were sent to this number. Try again later.' },
  too_many_otps: { status: 429, message: 'Too many OTPs were requested for this number. Try again later.' },

  session_not_found: { status: 404, message: 'The session does not exist.' },
  session_already_initiated: { status: 409, message: 'The session was already initiated.' },
  session_closed: { status: 409, message: 'The session is closed and cannot be initiated.' },
  rail_refused: { status: 502, message: 'The rail rejected the prompt. The session has failed.' },
  rail_unknown: {
    status: 504,
    message: 'The rail did not answer. The payer may have a prompt: poll the session, do not create another.',
  },
  rail_not_attached: {
    status: 503,
    message: 'This service has no live rail. No prompt was sent.',
  },
  event_not_found: { status: 404, message: 'The event does not exist.' },

  prompt_not_found: { status: 404, message: 'The prompt does not exist.' },
  prompt_closed: { status: 409, message: 'The prompt is closed.' },
  prompt_automatic: {
    status: 409,
    message: 'The number is a magic number: its prompt ends without an answer.',
  },
  invalid_pin: { status: 400, message: 'The PIN must have four digits.' },
  wrong_pin: { status: 403, message: 'The PIN is wrong.' },
  pin_limit_reached: { status: 403, message: 'Too many wrong PINs were entered. The prompt has failed.' },

  statement_too_long: {
    status: 422,
    message: 'The day has more than 20,000 charges.',
  },
  merchant_not_found: { status: 404, message: 'The merchant does not exist.' },
  platform_not_found: { status: 404, message: 'The platform does not exist.' },
  key_not_found: { status: 404, message: 'The key does not exist.' },
  key_revoked: { status: 409, message: 'The key is revoked.' },
  endpoint_not_found: { status: 404, message: 'No webhook URL is set for this mode.' },
  invalid_url: {
    status: 400,
    message: 'The URL must be absolute, with http or https, and without a user name or password.',
  },
  private_url: { status: 400, message: 'In live mode the URL must use https and a public address.' },
  invalid_secret: {
    status: 400,
    message:
      'The secret must be 16 to 128 printable ASCII characters, and random in live mode: use "openssl rand -base64 32".',
  },
  invalid_scope: { status: 400, message: 'The scope does not exist.' },
  invalid_schedule: { status: 400, message: 'The fee schedule is not valid.' },
  invalid_sender: { status: 400, message: 'A sender must have 3 to 11 letters, digits or spaces.' },
  review_not_found: { status: 404, message: 'No review is open for this session.' },
  refund_not_due: { status: 409, message: 'No refund is due for this session.' },
  review_closed: { status: 409, message: 'The review was already resolved.' },
  test_clock_off: {
    status: 403,
    message: 'This service runs on the real clock. Only the clock of a sandbox can be advanced.',
  },

  not_found: { status: 404, message: 'The address does not exist.' },
  method_not_allowed: {
    status: 405,
    message: 'The address does not accept this method. See the Allow header.',
  },
  unavailable: { status: 503, message: 'The service cannot write to its database. Try again.' },
  internal_error: { status: 500, message: 'The service failed. Its log has the cause.' },
} as const;

/** The `code` in the body of an error response. */
export type ApiErrorCode = keyof typeof apiErrors;
