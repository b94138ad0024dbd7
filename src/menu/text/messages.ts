import { type AmountMinor, formatCedis } from '../../shared/money.ts';
import { localForm, type Msisdn } from '../../shared/msisdn.ts';
import { showShortReference } from '../../shared/short-reference.ts';
import type { Menu, MessageName } from '../schema.ts';
import type { MenuContext, PaymentSummary, RejectionMessage, UnpaidCause } from '../state/state.ts';
import { defaultMessages, languageNames } from './default-messages.ts';
import { fill, likelyOperator, type TemplateValues } from './render.ts';

const paymentPlaceholders = [
  'amount',
  'charge',
  'reference',
  'merchant',
  'payer',
  'time',
  'short_reference',
  'approvals',
] as const;

/** The placeholders that each message may contain. */
export const messagePlaceholders: Readonly<Partial<Record<MessageName, readonly string[]>>> = {
  amountTooSmall: ['min'],
  amountTooLarge: ['max'],
  numberTooSmall: ['min'],
  numberTooLarge: ['max'],
  invalidReference: ['example'],
  invalidReferenceCharacters: ['example'],
  invalidText: ['example'],
  feeAndTotal: ['fee', 'total'],
  chosenNetwork: ['network'],
  alreadyWaiting: ['amount', 'charge', 'merchant', 'approvals'],
  lookupFailed: ['merchant'],
  resume: ['merchant'],
  paymentWaiting: paymentPlaceholders,
  paymentConfirming: paymentPlaceholders,
  paymentPaid: paymentPlaceholders,
  paymentFailed: [...paymentPlaceholders, 'reason'],
  paymentUnknown: paymentPlaceholders,
  approve: paymentPlaceholders,
  promptSentAgain: paymentPlaceholders,
  duplicate: paymentPlaceholders,
  statusConfirming: paymentPlaceholders,
  statusPaid: paymentPlaceholders,
  statusWaiting: paymentPlaceholders,
  statusFailed: [...paymentPlaceholders, 'reason'],
  statusUnknown: paymentPlaceholders,
  statusNotFound: ['short_reference'],
  requestsOn: ['merchant'],
  requestsOff: ['merchant'],
  rejectedPayer: ['merchant', 'payer'],
  rejectedTooMany: ['merchant', 'payer'],
  rejectedCoolDown: ['merchant', 'payer'],
  paymentNotPossible: ['merchant', 'payer'],
  networkNotOffered: ['merchant', 'payer'],
};

/** The text of a message: the menu's own, else the default in the language, else the English default. */
export function message(
  menu: Menu,
  language: string,
  name: MessageName,
  templateValues: TemplateValues = {},
): string {
  const custom = menu.messages[name];
  const text = typeof custom === 'object' ? custom[language] : custom;
  return fill(text ?? defaultMessages[language]?.[name] ?? defaultMessages.en?.[name] ?? '', templateValues);
}

/** The name of a language on the screen that asks for one. */
export function languageName(menu: Menu, language: string): string {
  return menu.languageNames[language] ?? languageNames[language] ?? language;
}

/** The message for each cause of a failed payment. */
export const causeMessages: Readonly<Record<UnpaidCause, MessageName>> = {
  no_wallet: 'failedNoWallet',
  no_money: 'failedNoMoney',
  limit: 'failedLimit',
  pin: 'failedPin',
  declined: 'failedDeclined',
  timed_out: 'failedTimedOut',
};

/**
 * The template values of a message about a payment. Only the payer's own phone reads why it failed. Another phone reads only
 * that the number has no wallet on the network, because it chose both.
 */
export function paymentTemplateValues(
  menu: Menu,
  language: string,
  payment: PaymentSummary,
  context: MenuContext,
): TemplateValues {
  const { cause } = payment;
  const isShown = cause === 'no_wallet' || payment.payer === context.dialler;
  const operator = payment.operator ?? likelyOperator({ payer: payment.payer }, context);
  return {
    amount: formatCedis(payment.amountMinor),
    charge: formatCedis(payment.chargeMinor),
    reference: payment.reference,
    merchant: context.merchant,
    payer: maskedFor(context.dialler, payment.payer),
    time: toTime(payment.at, context.now),
    short_reference: showShortReference(payment.shortReference),
    approvals: context.approvals[operator],
    reason: cause && isShown ? message(menu, language, causeMessages[cause]) : undefined,
  };
}

/** Masks another person's number. The first and last digits are enough to distinguish customers. */
function maskedFor(dialler: Msisdn, payer: Msisdn): string {
  const local = localForm(payer);
  return payer === dialler ? local : `${local.slice(0, 4)}***${local.slice(-3)}`;
}

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** The time of day in Accra, which is UTC all year; with the date when it is not today. */
function toTime(at: number, now: number): string {
  const iso = new Date(at).toISOString();
  if (iso.slice(0, 10) === new Date(now).toISOString().slice(0, 10)) return iso.slice(11, 16);
  return dayAndTime(at);
}

/** A date and time as `9 Mar 16:20`. */
function dayAndTime(at: number): string {
  const iso = new Date(at).toISOString();
  return `${Number(iso.slice(8, 10))} ${months[Number(iso.slice(5, 7)) - 1]} ${iso.slice(11, 16)}`;
}

/** The END text for a payer whose earlier collection is still open. */
export function alreadyWaitingText(
  menu: Menu,
  language: string,
  collection: { amountMinor: AmountMinor; chargeMinor: number; merchant: string; approvals: string },
): string {
  return message(menu, language, 'alreadyWaiting', {
    amount: formatCedis(collection.amountMinor),
    charge: formatCedis(collection.chargeMinor),
    merchant: collection.merchant,
    approvals: collection.approvals,
  });
}

/** The END text for a rejected collection. */
export function rejectionText(
  menu: Menu,
  language: string,
  name: RejectionMessage,
  { merchant, payer }: { merchant: string; payer: Msisdn },
): string {
  return message(menu, language, name, { merchant, payer: localForm(payer) });
}

/** The END text for a caller whose number cannot pay: a landline, or a number of another country. */
export function numberNotSupportedText(menu: Menu, language: string): string {
  return message(menu, language, 'numberNotSupported');
}

/** The END text for an input whose dialogue is unknown or over. */
export function sessionLostText(menu: Menu, language: string): string {
  return message(menu, language, 'sessionLost');
}

/** The END text after a failure of the gateway. No collection was opened. */
export function faultText(menu: Menu, language: string): string {
  return message(menu, language, 'fault');
}

/** The END text when the time limit was reached. A confirmed collection may still send a prompt. */
export function slowText(menu: Menu, language: string): string {
  return message(menu, language, 'slow');
}
