import { expect, test } from 'vitest';
import { adminSessionPage, deliveryPage, feePage, keyPage } from '../../src/contract/service/admin.ts';
import { paidEventData } from '../../src/contract/service/event.ts';
import {
  eventEnvelope,
  tolerantOfflineSession,
  tolerantPaidEventData,
  tolerantSessionStatus,
} from '../../src/contract/service/reading.ts';
import {
  offlineSession,
  offlineSessionCreated,
  sessionStatusPoll,
} from '../../src/contract/service/session.ts';
import { tolerant } from '../../src/contract/tolerant.ts';

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
};
const at = '2026-03-06T09:00:07.250Z';

test('a tolerant schema keeps unknown fields at every depth', () => {
  const list = {
    data: [{ channel: 'ussd', overridden: false, schedule: { basis_points: 1, new: 2 }, new: 3 }],
    ...{ has_more: false, next_cursor: null },
  };
  expect(feePage.safeParse(list).success).toBe(false);
  expect(tolerant(feePage).parse(list)).toEqual(list);
});

test('a tolerant schema accepts values that a newer service may add to an enumeration', () => {
  const key = { id: 'key_1', platform_id: 'plt_1', livemode: false, ending: 'abcd', created_at: at };
  const times = { last_used_at: null, expires_at: null, revoked_at: null };
  const data = [{ ...key, ...times, scopes: ['sessions:read', 'payouts:write'] }];
  const list = { data, has_more: false, next_cursor: null };
  expect(keyPage.safeParse(list).success).toBe(false);
  expect(tolerant(keyPage).parse(list)).toEqual(list);
});

test('a tolerant schema reads both kinds of session, also with an unknown status', () => {
  const admin = { merchant_id: 'mch_1', platform_id: 'plt_1', livemode: false, held: false };
  const offline = { ...created, ...admin, created_at: at, status: 'reversed' };
  const { mode, reference, ...rest } = offline;
  const web = { ...rest, channel: 'web', client_trans_id: 'order-7' };
  const page = { data: [offline, web], has_more: false, next_cursor: null };
  expect(tolerant(adminSessionPage).parse(page)).toEqual(page);
});

test('a tolerant schema still rejects missing fields and wrong types', () => {
  expect(
    tolerant(deliveryPage).safeParse({ data: [{ event_id: 7 }], has_more: false, next_cursor: null }).success,
  ).toBe(false);
  expect(tolerant(keyPage).safeParse({}).success).toBe(false);
});

test('the gateway reads every session, poll and event that the service may send', () => {
  expect(offlineSessionCreated.parse(created)).toEqual(created);
  expect(tolerantOfflineSession.safeParse(created).success).toBe(true);
  expect(tolerantOfflineSession.safeParse(offlineSession.parse({ ...created, created_at: at })).success).toBe(
    true,
  );
  const paid = { id: created.id, status: 'paid', terminal: true, paid_at: at, retry_after_seconds: null };
  const review = { state: 'open', reason: 'paid_short', paid_minor: 1010, paid_at: at };
  for (const poll of [paid, { ...paid, paid_minor: 1010, reason: 'declined', review }]) {
    expect(tolerantSessionStatus.parse(sessionStatusPoll.parse(poll))).toEqual(poll);
  }
  const { mode, channel, network, reference, payer_msisdn, ...amounts } = created;
  const data = { ...amounts, status: 'paid', paid_minor: 2020, paid_at: at };
  expect(tolerantPaidEventData.parse(paidEventData.parse(data))).toEqual(data);
});

test.each([
  ['created', false],
  ['initiated', false],
  ['paid', true],
  ['FAILED', true],
  ['expired', true],
  ['on_hold', false],
])('without terminal, a poll with the status %s is final: %s', (status, terminal) => {
  expect(tolerantSessionStatus.parse({ id: created.id, status })).toMatchObject({ status, terminal });
  expect(tolerantSessionStatus.parse({ id: created.id, status, terminal: !terminal })).toMatchObject({
    terminal: !terminal,
  });
});

test.each(['id', 'goods_minor', 'amount_minor', 'expected_fee_minor', 'expected_net_minor', 'status'])(
  'a created session without %s is rejected',
  (field) => {
    expect(tolerantOfflineSession.safeParse({ ...created, [field]: undefined }).success).toBe(false);
  },
);

test('a poll stays readable when the fields that the interface does not name are unreadable', () => {
  const poll = { id: created.id, status: 'initiated', terminal: false, retry_after_seconds: 3 };
  const odd = { ...poll, paid_minor: '20', reason: 7, review: { state: 'open' } };
  expect(tolerantSessionStatus.parse(odd)).toEqual(poll);
});

test('the gateway accepts unknown fields, statuses and event types, and keeps a time verbatim', () => {
  const poll = { id: created.id, status: 'reversed', terminal: true, paid_at: '6 March 2026', new: 1 };
  expect(sessionStatusPoll.safeParse(poll).success).toBe(false);
  expect(tolerantSessionStatus.parse(poll)).toMatchObject({ status: 'reversed', paid_at: '6 March 2026' });
  expect(tolerantOfflineSession.safeParse({ ...created, network: 'glo', new: 1 }).success).toBe(true);
  const event = { id: 'evt_1', type: 'payout.paid', created_at: at, data: { id: 7, amount: 1 } };
  expect(eventEnvelope.parse(event).data).toEqual({ id: undefined, amount: 1 });
});
