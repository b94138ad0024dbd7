import { outcomes } from '../../src/cli/commands/trigger/simulated-payer.ts';
import {
  abandonReasons,
  decidedReasons,
  paymentReviews,
  type UnpaidReason,
  unpaidReasons,
  unstatedEnds,
} from '../../src/contract/merchant/payment-reason.ts';
import { sessionEndReasons } from '../../src/contract/service/end-reason.ts';
import { type MagicName, magicNumbers } from '../../src/contract/service/magic-numbers.ts';
import { closedStatuses, openStatuses, type Status } from '../../src/gateway/collection/collection.ts';
import { getPaymentOutcome } from '../../src/gateway/notify/payment-events.ts';
import { endRows } from '../../src/gateway/support/playbook/end-rows.ts';
import { reviewRows } from '../../src/gateway/support/playbook/review-rows.ts';

export const reasonsFile = 'docs/reasons-and-statuses.md';

const statuses: Readonly<Record<Status, string>> = {
  accepted: 'The payer confirmed. The payment session is not created yet.',
  created: 'The service has created the payment session, and no prompt was requested.',
  initiating: 'The prompt was requested, and the service has not answered.',
  initiated: 'The service has accepted the prompt, and the payer has not answered.',
  paid: 'The payment was made. It is unconfirmed until a poll of the service agrees: `confirmed`.',
  failed: 'The payment failed.',
  expired: 'The payer did not approve in time.',
  abandoned: 'No prompt was sent, so nothing can have been charged.',
  review: 'Money arrived, or may have arrived, and people must decide about it.',
};

const decided: Readonly<Record<(typeof decidedReasons)[number], [status: string, what: string]>> = {
  decided_accept: ['`paid`', 'People accepted the money of a review.'],
  decided_paid: ['`paid`', 'People decided that the payment was made, although no money was recorded.'],
  decided_returned: ['`failed`', 'People returned the money of a review to the payer.'],
  decided_not_paid: ['`failed`', 'People decided that the payment was never made.'],
  service_accepted: ['`paid`', 'The people of the service accepted the money.'],
  service_rejected: [
    '`failed`',
    'The people of the service rejected the money, and it goes back to the payer.',
  ],
  matched: ['`paid`', 'People matched an unplaced payment with this one.'],
};

const expired: readonly UnpaidReason[] = [
  'prompt_expired',
  'no_result',
  'never_initiated',
  'service_expired',
];

/** Returns the status that a reason ends in. */
function statusOf(reason: UnpaidReason): Status {
  if (expired.includes(reason)) return 'expired';
  const isFailure = sessionEndReasons.some((one) => one === reason);
  return isFailure || ['service_failed', 'decided_not_paid'].includes(reason) ? 'failed' : 'abandoned';
}

/** Which part of the service writes a reason: `service` for a name of the payment session, else `gateway`. */
const originOf = (reason: string) =>
  [...abandonReasons, ...unstatedEnds, 'decided_not_paid'].some((one) => one === reason)
    ? 'gateway'
    : 'service';

const code = (text: string) => `\`${text}\``;

const numbersOf = (names: readonly string[]) =>
  magicNumbers.flatMap(({ name, ending }) => (names.includes(name) ? [ending] : [])).join(', ');

/** The names of the magic numbers after which a payment is in review, by the reason of the review. */
const reviewed: Readonly<Partial<Record<string, readonly MagicName[]>>> = {
  amount_mismatch: ['paid_short', 'paid_over', 'late_approval'],
  second_charge: ['second_charge', 'events_reversed'],
};

function resultOf(name: MagicName): string {
  const review = Object.keys(reviewed).find((one) => reviewed[one]?.includes(name));
  if (review !== undefined) return `review ${code(review)}`;
  return unpaidReasons.some((reason) => reason === name) ? `not paid, ${code(name)}` : 'paid';
}

function commandOf(name: MagicName): string {
  const { event } = outcomes.find((one) => one.reason === name && one.event !== 'payment.opened') ?? {};
  return event === undefined ? '' : code(`trigger ${event} --reason ${name}`);
}

const tables: Readonly<Record<string, () => [columns: string[], rows: string[][]]>> = {
  statuses: () => [
    ['in the ledger', 'in notifications and the merchant API', 'meaning'],
    [...openStatuses, ...closedStatuses].map((status) => [
      code(status),
      code(getPaymentOutcome({ status })),
      statuses[status],
    ]),
  ],
  unpaid: () => [
    ['`reason`', 'status', 'named by the', 'what happened', 'test number'],
    unpaidReasons.map((reason) => [
      code(reason),
      code(statusOf(reason)),
      originOf(reason),
      endRows[reason].happened,
      numbersOf([reason]),
    ]),
  ],
  reviews: () => [
    ['`review`', 'what happened', 'test number'],
    paymentReviews.map((reason) => [
      code(reason),
      reviewRows[reason].happened,
      numbersOf(reviewed[reason] ?? []),
    ]),
  ],
  decided: () => [
    ['`reason`', 'status', 'what happened'],
    decidedReasons.map((reason) => [code(reason), ...decided[reason]]),
  ],
  numbers: () => [
    ['ends in', 'name', 'what happens at the service', 'in the ledger and in notifications', 'command'],
    magicNumbers.map(({ ending, name, behaviour }) => [
      ending,
      code(name),
      behaviour,
      resultOf(name),
      commandOf(name),
    ]),
  ],
};

/** Returns the document with new tables. */
export function writtenReasons(document: string): string {
  const parts = /(<!-- generated:(\w+) -->\n).*?(<!-- \/generated -->)/gs;
  return document.replace(parts, (_, open: string, name: string, close: string) => {
    const [columns, rows] = tables[name]?.() ?? [[], []];
    const lines = [columns, columns.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |\n`);
    return `${open}${lines.join('')}${close}`;
  });
}
