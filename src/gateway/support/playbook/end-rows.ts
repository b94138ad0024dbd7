import type { UnpaidReason } from '../../../contract/merchant/payment-reason.ts';
import { type PlaybookRow, payerTexts } from './playbook-row.ts';
import { unpaidRows } from './state-rows.ts';

const { failed, expired, abandoned } = unpaidRows;

const wrongQuote = (what: string): PlaybookRow => ({
  ...abandoned,
  happened: `The service quoted ${what}, so the gateway sent no prompt.`,
  action: 'Report the payment session to the operator of the service: it is a fault there.',
});

const redial = 'Ask the payer to dial again.';

export const endRows: Readonly<Record<UnpaidReason, PlaybookRow>> = {
  decided_not_paid: {
    ...failed,
    happened: 'People decided that the payment was never made, so no money of it stays booked.',
    never: 'Never return money for it: people decided that none was taken.',
  },
  declined: {
    ...failed,
    happened: 'The payer declined the prompt.',
    tellPayer: payerTexts.declined,
    action: 'If the payer did not ask for the payment, offer to block requests from other phones.',
  },
  pin_limit: {
    ...failed,
    happened: 'The payer entered a wrong PIN too often.',
    tellPayer: payerTexts.pinLimit,
    action: 'Refer the payer to the operator for a new PIN.',
  },
  insufficient_funds: {
    ...failed,
    happened: "The payer's wallet had too little money.",
    tellPayer: payerTexts.noFunds,
  },
  cancelled: { ...failed, happened: 'The payer cancelled the prompt.', tellPayer: payerTexts.declined },
  limit_exceeded: {
    ...failed,
    happened: "The amount exceeds a limit of the payer's wallet, or what it may still pay today.",
    action: 'Ask the payer for a smaller amount, another wallet, or to wait until the next day.',
  },
  wallet_not_registered: {
    ...failed,
    happened: "The payer's number has no mobile-money wallet.",
    action: 'Ask the payer to dial again with a number that has a wallet.',
  },
  network_down: {
    ...failed,
    happened: "The payer's network could not deliver the prompt.",
    action: 'Ask the payer to dial again later.',
  },
  not_prompted: {
    ...failed,
    happened: 'The prompt never reached the network, and the service proved it by an inquiry.',
    action: redial,
  },
  rail_refused: {
    ...failed,
    happened: "The payer's network rejected the prompt.",
    action: 'If it happens to many payers of a network, ask the operator of the service.',
  },
  prompt_expired: { ...expired, happened: 'The payer did not approve the prompt in time.' },
  no_result: {
    ...expired,
    happened: 'The network reported no result for the prompt, and the service closed the payment as unpaid.',
    action:
      "Ask the payer to look at the wallet's messages. If money left the wallet, report the payment session.",
    never:
      'Never exclude a late payment: if one arrives, it is booked into suspense and comes up for review.',
  },
  never_initiated: { ...expired, happened: 'The service closed the payment before a prompt was requested.' },
  amount_mismatch: {
    ...failed,
    happened: 'Another amount than the quoted one was charged, and the service rejected it.',
    money: null,
    tellPayer: payerTexts.personChecks,
    action: 'Check with the operator of the service that the charged money goes back to the payer.',
    never: 'Never say that no money was taken before you have checked it.',
  },
  service_failed: {
    ...failed,
    happened: 'The service reported a failure without a reason, and a poll proved it.',
  },
  service_expired: {
    ...expired,
    happened: 'The service reported that the prompt expired, and a poll proved it.',
  },

  prompt_deadline: {
    ...abandoned,
    happened:
      'The service could not be reached in time, or the payer stayed in a USSD dialogue, so the gateway sent no prompt.',
    tellPayer: payerTexts.notPaid,
    action: redial,
  },
  never_prompted: {
    ...abandoned,
    happened: 'The request for the prompt never reached the service, and a poll proved it.',
    tellPayer: payerTexts.notPaid,
    action: redial,
  },
  clock_ahead: {
    ...abandoned,
    happened: 'The system clock was corrected, so the gateway sent no prompt.',
    tellPayer: payerTexts.notPaid,
    action: redial,
  },
  restored: {
    ...abandoned,
    happened: 'The ledger was restored from a copy, and a poll proved that no prompt was sent.',
    tellPayer: payerTexts.notPaid,
    action: redial,
  },
  session_taken: {
    ...abandoned,
    happened:
      'The service answered with the payment session of another payment, so the gateway sent no prompt.',
    action: 'Report the payment session to the operator of the service: it is a fault there.',
  },
  quote_goods: wrongQuote('another price'),
  quote_amount: wrongQuote('a total that is not price plus fee'),
  quote_net: wrongQuote('another amount for the merchant'),
  quote_payer: wrongQuote('another payer'),
  quote_reference: wrongQuote('another reference'),
  quote_network: wrongQuote('another network'),
  quote_mode: wrongQuote('a session that is not for USSD'),
  quote_shown_total: {
    ...abandoned,
    happened:
      'The service quoted another total than the confirm screen showed, so the gateway sent no prompt.',
    tellPayer: payerTexts.totalChanged,
    action: redial,
  },
  quote_fee_too_high: {
    ...abandoned,
    happened: 'The fee is above the cap for a fee that no screen showed, so the gateway sent no prompt.',
    tellPayer: payerTexts.notPossible,
    action:
      'Let the merchant show the fee on the confirm screen, or ask the operator of the service about the fee.',
  },

  offline_mode_not_enabled: {
    ...abandoned,
    happened: 'The service has not approved the merchant for payments by USSD.',
    action:
      'Ask the operator of the service to approve the merchant. Every payment of the merchant is affected.',
  },
  offline_scope_required: {
    ...abandoned,
    happened: "The merchant's key lacks the permission for payments by USSD.",
    action: 'Ask the operator of the service for a key with it. Every payment of the merchant is affected.',
  },
  invalid_msisdn: {
    ...abandoned,
    happened: "The service rejected the payer's number.",
    action: 'Check the number with the payer.',
  },
};
