/*
 * Values for the examples of the OpenAPI document, one story: Abena Stores sells for GHS 20.00. A field that is absent
 * here has the example of its schema.
 */

const merchantId = 'mch_01k5n8c0';
const platformId = 'plt_01k5n8c0';
const secret = 'whsec_…';

/** Examples of fields by name, in any object. */
export const fieldValues: Readonly<Record<string, unknown>> = {
  merchant_id: merchantId,
  platform_id: platformId,
  session_id: 'pay_01k5n8c0',
  event_id: 'evt_01k5n8c0',
  otp_request_id: 'otpr_01k5n8c0',
  request_id: 'req_01k5n8c0',
  merchant_name: 'Abena Stores',
  reference: 'INV-7',
  client_trans_id: 'order-7',
  url: 'https://shop.example/hook',
  livemode: false,
  paid_minor: 2020,
  charged_minor: 2020,
  secret,
  note: 'The merchant accepts the partial payment.',
  next_cursor: null,
  has_more: false,
  disabled_at: null,
  failing_since: null,
  secret_overlap_until: null,
  expires_at: null,
  revoked_at: null,
  last_error: null,
  next_attempt_at: null,
};

/** Examples of fields by the name of their component; `undefined` leaves an optional field out. */
export const componentValues: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  Merchant: { id: merchantId, name: 'Abena Stores' },
  Platform: { id: platformId, name: 'Till at Osu' },
  Key: { id: 'key_01k5n8c0', ending: 'x7Qa', scopes: ['collections:offline', 'sessions:read'] },
  CreatedKey: { id: 'key_01k5n8c0' },
  RotatedKey: { id: 'key_01k5n8c0' },
  RevokedKey: { id: 'key_01k5n8c0' },
  OtpRequested: { expires_at: '2026-03-06T09:10:00.000Z' },
  PendingPrompt: {
    id: 'prm_01k5n8c0',
    amount_minor: 2020,
    expires_at: '2026-03-06T09:02:01.500Z',
    magic: undefined,
  },
  AnsweredPrompt: { id: 'prm_01k5n8c0' },
  SessionPrompt: { id: 'prm_01k5n8c0', status: 'approved', amount_minor: 2020 },
  TextMessage: {
    text: '048213 is your code to pay GHS 20.00 to Abena Stores. Valid for 10 min. Never share it with anyone.',
  },
  Sender: { name: 'ABENA' },
  RemovedSender: { name: 'ABENA' },
  FeeSchedule: {
    basis_points: 100,
    fixed_minor: undefined,
    floor_minor: 10,
    cap_minor: 1000,
    bands: undefined,
  },
  Delivery: { state: 'delivered', attempts: 1, last_status: 200 },
  DeliveryLog: { state: 'delivered', attempts: 1, last_status: 200 },
  DeliveryAttempt: { duration_ms: 42, status: 200, error: null },
  Action: { id: 'act_01k5n8c0' },
  Review: {
    reason: 'paid_short',
    paid_minor: 1010,
    resolution: undefined,
    resolved_at: undefined,
    note: undefined,
  },
  AdminOfflineSession: { status: 'paid', held: false, reason: undefined, review: undefined },
  TestClock: { advanced_ms: 600_000 },
};

/** The identifiers of examples are short in the source; in the document they have their real length. */
const shortId = /\b([a-z]{2,4}_)01k5n8(c0)?\b/g;

/** Returns a text with its identifiers in their real length. */
export function withWholeIds(text: string): string {
  return text.replaceAll(shortId, '$101k5n8c0r7v2w3x4y5z6a7b8c9');
}
