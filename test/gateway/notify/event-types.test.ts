import { expect, test } from 'vitest';
import { listEventTypes } from '../../../src/gateway/notify/payment-events.ts';

type State = Parameters<typeof listEventTypes>[1];

const open: State = {
  status: 'initiated',
  confirmedAt: null,
  review: null,
  lapsedAt: null,
  amountMinor: 100,
};
const lapsed: State = { ...open, lapsedAt: 1 };
const reported: State = { ...open, status: 'paid' };
const paid: State = { ...reported, confirmedAt: 1 };
const flagged: State = { ...paid, review: 'second_charge' };
const failed: State = { ...open, status: 'failed' };
const inReview: State = { ...open, status: 'review', review: 'paid_after_failed' };

test.each<[string, State | undefined, State, string[]]>([
  ['the first fact', undefined, open, ['payment.opened']],
  ['nothing that a merchant sees', open, { ...open, status: 'created' }, []],
  ['no result in time', open, lapsed, ['payment.unknown']],
  ['a payment that an event reports', open, reported, ['payment.paid']],
  ['its confirmation', reported, paid, ['payment.paid']],
  ['a payment that a poll reports', lapsed, paid, ['payment.paid']],
  ['a failure', open, failed, ['payment.not_paid']],
  ['an expiry', open, { ...open, status: 'expired' }, ['payment.not_paid']],
  ['no prompt', open, { ...open, status: 'abandoned' }, ['payment.not_paid']],
  ['an open payment under review', open, inReview, ['payment.review_opened']],
  ['a flag on a payment', paid, flagged, ['payment.review_opened']],
  ['the end of a flag', flagged, paid, ['payment.review_closed']],
  ['money after a failure', failed, inReview, ['payment.corrected', 'payment.review_opened']],
  ['a payment that a poll refutes', reported, inReview, ['payment.corrected', 'payment.review_opened']],
  [
    'a flagged payment that goes to review',
    { ...open, review: 'stale_event' },
    inReview,
    ['payment.review_opened'],
  ],
  [
    'the same reason, with the result',
    { ...open, review: inReview.review },
    inReview,
    ['payment.review_opened'],
  ],
  ['another amount in suspense', inReview, { ...inReview, amountMinor: 200 }, ['payment.corrected']],
  ['a review that ends paid', inReview, paid, ['payment.paid', 'payment.review_closed']],
  ['a review that ends unpaid', inReview, failed, ['payment.not_paid', 'payment.review_closed']],
  ['a payment that people reverse', flagged, failed, ['payment.corrected', 'payment.review_closed']],
  ['a failure that was a payment', failed, paid, ['payment.corrected']],
])('%s', (_, before, after, types) => {
  expect(listEventTypes(before, after)).toEqual(types);
});
