import type { QuoteFault, ReviewReason } from '../../collection/collection.ts';
import { type PlaybookRow, payerTexts } from './playbook-row.ts';
import { unknownReview } from './state-rows.ts';

const { action: compareStatement } = unknownReview;

const review = (happened: string, more: Partial<PlaybookRow> = {}): PlaybookRow => ({
  ...unknownReview,
  happened,
  ...more,
});

/** A payment that was proven unpaid, or not yet possible, when money arrived. */
const unexpectedMoney = (when: string) =>
  review(`Money arrived ${when}.`, {
    money: 'suspended',
    tellPayer: payerTexts.moneyChecked,
    action:
      'Check whether the payer paid again or still wants the goods, then propose to accept or to return it.',
  });

const contradicted = (status: string) =>
  review(`A payment was reported, and the service also reports it as ${status}.`, {
    action:
      'If it is unconfirmed, ask the operator of the service whether it sent the event; the event may be forged. Otherwise compare the timeline with the statement of the service.',
    never: 'Never hand over the goods before the decision.',
  });

const wrongSession = review('A restored collection has a payment session that does not fit its request.', {
  action:
    'Report the payment session to the operator of the service, and ask whether the payer was prompted.',
});

/** The row of `unconfirmed_paid` after seven days: the money is in suspense, and the gateway polls no more. */
export const unconfirmedInReview = review(
  'An event reports the payment, and no poll confirmed it in seven days.',
  { money: 'suspended', never: 'Never hand over the goods before the decision.' },
);

export const reviewRows: Readonly<Record<ReviewReason, PlaybookRow>> = {
  amount_mismatch: review('Another amount than the quoted one arrived.', {
    tellPayer: payerTexts.amountChecked,
    action:
      'Compare the expected and the received amounts, then propose to accept what arrived or to return it.',
  }),
  second_charge: review('The service reports that the payer was charged a second time.', {
    tellPayer: payerTexts.secondCharge,
    action:
      'The second charge is an unplaced payment: "charged again" names it. The refund of the service ends this review. Otherwise return the charge, and then end the review, which is about the first payment.',
    never: 'Never reverse the first payment for it.',
  }),
  stale_event: review('An old event reports a payment, and no poll has agreed.', {
    money: 'unknown',
    action: compareStatement,
    never: 'Never hand over the goods before the decision.',
  }),
  unreadable_event: review('An event reports a payment without readable amounts, and no poll has agreed.', {
    money: 'unknown',
    action: 'Look up the payment session in the statement of the service, then propose a decision.',
    never: 'Never hand over the goods before the decision.',
  }),
  other_currency: review('The service reports money in another currency, and none of it is booked.', {
    tellPayer: payerTexts.moneyChecked,
    action:
      'Ask the operator of the service what was charged, in which currency, and whether it goes back. Then propose a decision.',
    never: 'Never hand over the goods before the decision.',
  }),
  unconfirmed_paid: review('An event reports the payment, and no poll has confirmed it for minutes.', {
    money: 'reported',
    tellPayer: payerTexts.confirming,
    action:
      'Check whether the service answers. The gateway polls for seven days, and ends the review when a poll agrees.',
    never: 'Never hand over the goods before it is confirmed.',
  }),
  no_outcome: review('A prompt was requested, and no result came within seven days.', { money: 'unknown' }),
  unknown_final_status: review('The service reports a final status that this version does not know.', {
    money: 'unknown',
    action: 'Look up the status in the timeline, and ask the operator of the service what it means.',
  }),
  session_already_driven: review('The payment session was used before the gateway requested a prompt.', {
    money: 'unknown',
    action: "Ask the operator of the service who used it. Another system may use the merchant's key.",
  }),
  unplaced_decided: review(
    'The service reports a payment whose money people had placed elsewhere or returned, before this collection was known.',
    {
      money: 'unknown',
      action:
        'Look up the payment session with "dialtill unplaced list", and compare that decision with the statement of the service.',
    },
  ),
  restored_unknown: review(
    'After a restore of the ledger, the service did not prove what became of the payment.',
    {
      money: 'unknown',
    },
  ),
  session_taken: review(
    'After a restore, the service answered with the payment session of another payment.',
    {
      money: 'unknown',
      action:
        'Report the payment session to the operator of the service, and ask whether the payer was prompted.',
    },
  ),
  created_after_paid: contradicted('not yet requested'),
  initiated_after_paid: contradicted('waiting'),
  failed_after_paid: contradicted('failed'),
  expired_after_paid: contradicted('expired'),
  paid_while_accepted: unexpectedMoney('before the payment session was known'),
  paid_while_created: unexpectedMoney('before the gateway requested a prompt'),
  paid_while_initiating: unexpectedMoney('while the prompt was requested'),
  paid_while_initiated: unexpectedMoney('while the prompt was open'),
  paid_while_paid: unexpectedMoney('after the payment'),
  paid_while_failed: unexpectedMoney('after the payment had failed'),
  paid_while_expired: unexpectedMoney('after the prompt had expired'),
  paid_while_abandoned: unexpectedMoney('although the gateway sent no prompt'),
  paid_while_review: unexpectedMoney('while the payment was in review'),
  ...({
    quote_goods: wrongSession,
    quote_amount: wrongSession,
    quote_net: wrongSession,
    quote_payer: wrongSession,
    quote_reference: wrongSession,
    quote_network: wrongSession,
    quote_mode: wrongSession,
    quote_shown_total: wrongSession,
    quote_fee_too_high: wrongSession,
  } satisfies Record<QuoteFault, PlaybookRow>),
};
