import type { Status } from '../../collection/collection.ts';
import { type PlaybookRow, payerTexts } from './playbook-row.ts';

/** States that have no reason: of an open collection, of a paid one, and of money that a person's decision moved. */
export type StateCode =
  | 'prompt_pending'
  | 'awaiting_pin'
  | 'failure_reported'
  | 'lapsed'
  | 'restored_open'
  | 'paid'
  | 'paid_unconfirmed'
  | 'decided_paid'
  | 'decided_kept'
  | 'released'
  | 'returned'
  | 'reversed';

const neverWhileOpen = 'Never say that it failed, and never ask the payer to start a second payment.';

export const stateRows: Readonly<Record<StateCode, PlaybookRow>> = {
  prompt_pending: {
    happened: 'The payer confirmed, and no prompt was sent yet.',
    money: 'not_taken',
    tellPayer: payerTexts.coming,
    action: 'Wait: the prompt is sent within seconds, or never.',
    never: neverWhileOpen,
  },
  awaiting_pin: {
    happened: 'A prompt was requested, and the service has reported no result.',
    money: 'unknown',
    tellPayer: payerTexts.waiting,
    action: "Ask the payer to approve the prompt, or to open the operator's approvals menu.",
    never: neverWhileOpen,
  },
  failure_reported: {
    happened: 'An event reports that the payment failed, and no poll has agreed.',
    money: 'unknown',
    tellPayer: payerTexts.checking,
    action:
      'Wait for the next poll. If it stays open, ask the operator of the service whether it sent the event.',
    never: neverWhileOpen,
  },
  lapsed: {
    happened: 'No result came in time: the gateway no longer blocks a new payment, and still polls this one.',
    money: 'unknown',
    tellPayer: payerTexts.checking,
    action: "Ask the payer to look at the wallet's messages. Do not advise a new payment.",
    never: 'Never say that it failed: a late payment is still booked.',
  },
  restored_open: {
    happened: 'The collection was open in a restored copy of the ledger, and the service is asked about it.',
    money: 'unknown',
    tellPayer: payerTexts.checking,
    action: 'Wait for the polls. The gateway sends no prompt for it.',
    never: neverWhileOpen,
  },
  paid: {
    happened: 'The payment is paid and confirmed.',
    money: 'received',
    tellPayer: payerTexts.paid,
    action: 'Hand over the goods.',
    never: 'Never ask the payer to pay again.',
  },
  paid_unconfirmed: {
    happened: 'An event reports the payment, and no poll has confirmed it.',
    money: 'reported',
    tellPayer: payerTexts.confirming,
    action: 'Wait for the poll. If it takes minutes, check whether the service answers.',
    never: 'Never hand over the goods before it is confirmed.',
  },
  decided_paid: {
    happened: 'People decided that the payment was made, and the quoted amount was booked.',
    money: 'received',
    tellPayer: payerTexts.paid,
    action: 'Hand over the goods.',
    never: 'Never ask the payer to pay again.',
  },
  decided_kept: {
    happened: 'People decided that the booked payment stays as it is, so the decision booked nothing.',
    money: 'received',
    tellPayer: payerTexts.paid,
    action:
      'Hand over the goods. If the review was about a second charge, ask the operator of the service to return it.',
    never: 'Never reverse the payment without a new review.',
  },
  released: {
    happened: 'A person decided that the suspended money belongs to the merchant.',
    money: 'received',
    tellPayer: payerTexts.paid,
    action: 'Hand over the goods.',
    never: 'Never ask the payer to pay again.',
  },
  returned: {
    happened: 'A person decided that the suspended money goes back to the payer.',
    money: 'returned',
    tellPayer: payerTexts.returned,
    action: 'Check that the service or the operator has sent the money back.',
    never: 'Never return it a second time.',
  },
  reversed: {
    happened: 'A person decided that the payment does not count, and its booking was reversed.',
    money: 'returned',
    tellPayer: payerTexts.returned,
    action: 'Check that the service or the operator has sent the money back, if it was taken.',
    never: 'Never return it a second time.',
  },
};

export type UnpaidStatus = Extract<Status, 'failed' | 'expired' | 'abandoned'>;

const neverWhenUnpaid = 'Never return money for it: nothing was taken.';

/** The general rows of unpaid ends, for a reason that this version does not know. */
export const unpaidRows: Readonly<Record<UnpaidStatus, PlaybookRow>> = {
  failed: {
    happened: 'The payment failed, and a poll proved it.',
    money: 'not_taken',
    tellPayer: payerTexts.notPaid,
    action: 'Ask the payer to dial again.',
    never: neverWhenUnpaid,
  },
  expired: {
    happened: 'The prompt expired, and a poll proved it.',
    money: 'not_taken',
    tellPayer: payerTexts.notApproved,
    action: 'Ask the payer to dial again.',
    never: neverWhenUnpaid,
  },
  abandoned: {
    happened: 'The service rejected the payment before a prompt was sent.',
    money: 'not_taken',
    tellPayer: payerTexts.notPossible,
    action: 'Look up the reason in docs/collection-service.md, or ask the operator of the service.',
    never: neverWhenUnpaid,
  },
};

/** The general row of a review, for a reason that this version does not know. */
export const unknownReview: PlaybookRow = {
  happened: 'A person must decide about the payment.',
  money: null,
  tellPayer: payerTexts.personChecks,
  action: 'Compare the timeline with the statement of the service, then propose a decision.',
  never: 'Never promise a result, and never return money before the decision.',
};

/** What a review has while a person at the service decides about the money first. */
export const serviceDecides: Pick<PlaybookRow, 'tellPayer' | 'action' | 'never'> = {
  tellPayer: payerTexts.serviceChecks,
  action: 'Wait: the service decides, and the gateway shows its decision. Propose nothing before.',
  never:
    'Never hand over or release the goods before the decision: the service can still reject the payment.',
};
