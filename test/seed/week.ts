import type { Course } from './courses/course.ts';
import { decided, proposed } from './courses/decided.ts';
import * as paid from './courses/paid.ts';
import * as review from './courses/review.ts';
import * as unpaid from './courses/unpaid.ts';
import { change, lose } from './network.ts';

/** When a payment is requested: at the start of the week, on any day but the first and the last, or on the last day. */
export type Part = 'start' | 'any' | 'lastDay';

export type Planned = {
  name: string;
  course: Course;
  count: number;
  part: Part;
  /** The last digits of the payer: a magic number of the service. */
  ending?: string;
};

type Options = { count?: number; part?: Part; ending?: string };

const planned = (
  name: string,
  course: Course,
  { count = 1, part = 'any', ...rest }: Options = {},
): Planned => ({ ...{ name, course, count, part }, ...rest });

const addFee = (pesewas: number) =>
  change(({ amount_minor, expected_fee_minor }) => ({
    amount_minor: Number(amount_minor) + pesewas,
    expected_fee_minor: Number(expected_fee_minor) + pesewas,
  }));

const statement = 'statement of the service, line 12';
const mismatch = review.paidAfterFailed;

/** The payments that are not simply paid or declined: at least one for each outcome that a ledger can have. */
export const special: readonly Planned[] = [
  planned('found_by_poll', paid.foundByPoll, { count: 6 }),
  planned('found_late', paid.foundLate, { count: 2 }),
  planned('charged_twice', paid.byMagicNumber, { count: 2, ending: '917' }),
  planned('paid_short', paid.byMagicNumber, { count: 3, part: 'lastDay', ending: '906' }),
  planned('paid_over', paid.byMagicNumber, { count: 2, part: 'lastDay', ending: '916' }),
  planned('service_accepted', paid.decidedByService('accepted'), { count: 2, ending: '906' }),
  planned('service_rejected', paid.decidedByService('rejected'), { ending: '906' }),
  planned('no_outcome', paid.withoutResult, { count: 2, part: 'start' }),

  planned('declined', unpaid.declined, { count: 24 }),
  ...(['pin_limit', 'insufficient_funds'] as const).map((one) =>
    planned(one, unpaid.failedPrompt(one), { count: 6 }),
  ),
  ...(['cancelled', 'limit_exceeded', 'wallet_not_registered', 'network_down'] as const).map((one) =>
    planned(one, unpaid.failedPrompt(one), { count: 2 }),
  ),
  planned('rail_refused', paid.byMagicNumber, { ending: '907' }),
  planned('no_result', paid.byMagicNumber, { count: 2, part: 'start', ending: '904' }),
  planned('prompt_expired', unpaid.unanswered, { count: 10 }),
  planned('not_prompted', unpaid.endedByPoll('failed', 'not_prompted')),
  planned('amount_mismatch', review.rejectedUnseen),
  planned('service_failed', unpaid.endedByPoll('failed')),
  planned('service_expired', unpaid.endedByPoll('expired')),
  planned('never_initiated', unpaid.endedByPoll('expired', 'never_initiated')),

  planned('prompt_deadline', unpaid.abandonedBy({ create: lose }), { count: 2 }),
  planned('never_prompted', unpaid.abandonedBy({ initiate: lose })),
  planned('session_taken', unpaid.takenSession),
  planned(
    'quote_goods',
    unpaid.wrongQuote(({ goods_minor }) => ({ goods_minor: Number(goods_minor) + 100 })),
  ),
  planned(
    'quote_amount',
    unpaid.wrongQuote(({ amount_minor }) => ({ amount_minor: Number(amount_minor) + 1 })),
  ),
  planned(
    'quote_net',
    unpaid.wrongQuote(() => ({ expected_net_minor: 1 })),
  ),
  planned(
    'quote_payer',
    unpaid.wrongQuote(() => ({ payer_msisdn: '0201112223' })),
  ),
  planned(
    'quote_reference',
    unpaid.wrongQuote(() => ({ reference: 'OTHER' })),
  ),
  planned(
    'quote_network',
    unpaid.wrongQuote(() => ({ network: 'other' })),
  ),
  planned(
    'quote_mode',
    unpaid.wrongQuote(() => ({ mode: 'web' })),
  ),
  planned('quote_shown_total', unpaid.abandonedBy({ create: addFee(1) })),
  planned('quote_fee_too_high', unpaid.abandonedBy({ create: addFee(5_000) }, { create: lose })),
  planned('offline_mode_not_enabled', unpaid.rejectedCreate(403, 'offline_mode_not_enabled')),
  planned('offline_scope_required', unpaid.rejectedCreate(403, 'offline_scope_required')),
  planned('invalid_msisdn', unpaid.rejectedCreate(400, 'invalid_msisdn'), { count: 2 }),

  planned('wrong_amount', review.wrongAmount, { count: 2, part: 'lastDay' }),
  planned('stale_event', review.staleEvent),
  planned('unreadable_event', review.unreadableEvent),
  planned('unknown_final_status', review.unknownStatus),
  planned('session_already_driven', review.drivenSession),
  planned('paid_while_created', review.paidBeforePrompt),
  planned('paid_while_failed', review.paidAfterFailed, { count: 2 }),
  planned('paid_while_expired', review.paidAfterExpired),
  planned('other_currency', review.otherCurrency),
  planned('paid_while_abandoned', review.paidAfterAbandoned),
  ...(['created', 'initiated', 'failed', 'expired'] as const).map((one) =>
    planned(`${one}_after_paid`, review.contradicted(one)),
  ),
  planned('unconfirmed_for_a_week', review.unconfirmed, { part: 'start' }),
  planned('unconfirmed_for_hours', review.unconfirmed, { count: 2, part: 'lastDay' }),

  planned('decided_accept', decided(mismatch, { outcome: 'accept', evidence: statement }), { count: 2 }),
  planned(
    'decided_returned',
    decided(mismatch, {
      outcome: 'returned',
      evidence: 'the payer wants the money back',
      reference: 'TRF-2201',
    }),
  ),
  planned('decided_paid', decided(review.unknownStatus, { outcome: 'paid', evidence: statement })),
  planned('decided_not_paid', decided(review.unknownStatus, { outcome: 'not_paid', evidence: statement })),
  planned('kept', decided(paid.byMagicNumber, { outcome: 'accept', evidence: statement }), { ending: '917' }),
  planned(
    'reversed',
    decided(review.failedAfterPaid, {
      outcome: 'returned',
      evidence: 'the operator of the service sent it back',
      reference: 'TRF-2207',
    }),
  ),
  planned(
    'proposed',
    proposed(mismatch, { outcome: 'accept', evidence: 'the payer still wants the goods, call of today' }),
    { count: 2, part: 'lastDay' },
  ),

  planned('no_answer_yet', paid.byMagicNumber, { count: 3, part: 'lastDay', ending: '904' }),
  planned('failure_reported', review.reportedFailure, { part: 'lastDay' }),
];

/** The last payments, in this order: each is in a status that lasts for seconds or minutes. */
export const last: readonly Planned[] = [
  planned('unconfirmed', review.unconfirmed),
  planned('initiated', review.waitingForPin, { count: 3 }),
  planned('initiating', review.unknownPrompt),
  planned('accepted', review.unansweredCreate),
  planned('created', review.beforePrompt),
];

/** All other payments of the week are approved at once. */
export const plain = planned('paid', paid.approved);
