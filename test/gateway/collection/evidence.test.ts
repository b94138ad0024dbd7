import { expect, test } from 'vitest';
import { isFailureReason, toReportedReview } from '../../../src/gateway/collection/evidence.ts';

test.each([
  [true, 'declined'],
  [true, 'pin_limit'],
  [true, 'a'.repeat(64)],
  [false, 'a'.repeat(65)],
  [false, ''],
  [false, 'Declined'],
  [false, 'declined by 233244123456'],
  [false, '1declined'],
  [false, 'declined\n'],
])('a stated reason is kept (%s) only as a code: %j', (isKept, text) => {
  expect(isFailureReason(text)).toBe(isKept);
});

const paidAt = '2026-03-06T09:00:10.000Z';

test.each([
  [
    'a second charge, whatever the status',
    { reason: 'second_charge', status: 'created', paidAt: null },
    { secondCharge: true },
  ],
  [
    'a second charge with its time',
    { reason: 'second_charge', status: 'paid', paidAt },
    { secondCharge: true, paidAt },
  ],
  [
    'a second charge without a time',
    { reason: 'second_charge', status: 'paid', paidAt: undefined },
    { secondCharge: true },
  ],
  [
    'a session that is open: the service decides',
    { reason: 'amount', status: 'created', paidAt },
    { isUndecided: true },
  ],
  [
    'a session that is prompted: the service decides',
    { reason: 'amount', status: 'INITIATED', paidAt },
    { isUndecided: true },
  ],
  ['a session that has ended', { reason: 'amount', status: 'failed', paidAt }, {}],
  ['a session whose status is unknown', { reason: undefined, status: 'on_hold', paidAt }, {}],
  ['a session whose status is no text', { reason: undefined, status: ['created'], paidAt }, {}],
  ['a session without a status', { reason: undefined, status: undefined, paidAt }, {}],
])('a review is about %s', (_, stated, more) => {
  for (const amountMinor of [1_020, null])
    expect(toReportedReview(amountMinor, stated)).toStrictEqual({ amountMinor, ...more });
});
