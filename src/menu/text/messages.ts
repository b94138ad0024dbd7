import { type AmountMinor, formatCedis } from '../../shared/money.ts';
import { localForm, type Msisdn } from '../../shared/msisdn.ts';
import { showShortReference } from '../../shared/short-reference.ts';
import type { Menu, MessageName } from '../schema.ts';
import type { MenuContext, PaymentSummary } from '../state/state.ts';
import { defaultMessages, languageNames } from './default-messages.ts';
import { fill, likelyOperator, pick, type TemplateValues } from './render.ts';

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

/** The placeholders that a message may hold. */
export const messagePlaceholders: Readonly<Partial<Record<MessageName, readonly string[]>>> = {
  amountTooSmall: ['min'],
  amountTooLarge: ['max'],
  numberTooSmall: ['min'],
  numberTooLarge: ['max'],
  invalidReference: ['example'],
  invalidText: ['example'],
  feeAndTotal: ['fee', 'total'],
  alreadyWaiting: ['amount', 'charge', 'merchant', 'approvals'],
  lookupFailed: ['merchant'],
  resume: ['merchant'],
  paymentWaiting: paymentPlaceholders,
  paymentPaid: paymentPlaceholders,
  paymentFailed: paymentPlaceholders,
  paymentUnknown: paymentPlaceholders,
  approve: paymentPlaceholders,
  promptSentAgain: paymentPlaceholders,
  duplicate: paymentPlaceholders,
  duplicateOther: paymentPlaceholders,
  statusPaid: paymentPlaceholders,
  statusWaiting: paymentPlaceholders,
  statusFailed: paymentPlaceholders,
  statusUnknown: paymentPlaceholders,
  statusNotFound: ['short_reference'],
  requestsOn: ['merchant'],
  requestsOff: ['merchant'],
  requestsBlocked: ['merchant'],
  requestsAllowed: ['merchant'],
  rejectedBlocked: ['merchant', 'payer'],
  rejectedTooMany: ['merchant', 'payer'],
  rejectedCoolDown: ['merchant', 'payer'],
};

/** A message in the words of the menu file, else in ours, else in English. */
export function message(
  menu: Menu,
  language: string,
  name: MessageName,
  templateValues: TemplateValues = {},
): string {
  const own = menu.messages[name];
  const said = typeof own === 'object' ? own[language] : own;
  return fill(
    said ?? pick(defaultMessages[language]?.[name] ?? defaultMessages.en?.[name] ?? '', language),
    templateValues,
  );
}

/** What a language is called on the screen that asks for one. */
export function languageName(menu: Menu, language: string): string {
  return menu.languageNames[language] ?? languageNames[language] ?? language;
}

/** What a message about a collection can say of it. */
export function paymentTemplateValues(standing: PaymentSummary, context: MenuContext): TemplateValues {
  const operator = standing.operator ?? likelyOperator({ payer: standing.payer }, context);
  return {
    amount: formatCedis(standing.amountMinor),
    charge: formatCedis(standing.chargeMinor),
    reference: standing.reference,
    merchant: context.merchant,
    payer: maskedFor(context.dialler, standing.payer),
    time: timeOf(standing.at, context.now),
    short_reference: showShortReference(standing.shortReference),
    approvals: context.approvals(operator),
  };
}

/** Nobody reads another one's whole number on a screen; the ends are enough to tell customers apart. */
function maskedFor(dialler: Msisdn, payer: Msisdn): string {
  const local = localForm(payer);
  return payer === dialler ? local : `${local.slice(0, 4)}***${local.slice(-3)}`;
}

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** The time of day in Accra, which keeps UTC all year; with the day where that is another. */
function timeOf(at: number, now: number): string {
  const iso = new Date(at).toISOString();
  if (iso.slice(0, 10) === new Date(now).toISOString().slice(0, 10)) return iso.slice(11, 16);
  return dayAndTime(at);
}

/** `9 Mar 16:20`, as screens say it of another day. */
function dayAndTime(at: number): string {
  const iso = new Date(at).toISOString();
  return `${Number(iso.slice(8, 10))} ${months[Number(iso.slice(5, 7)) - 1]} ${iso.slice(11, 16)}`;
}

/** END text for a payer whose earlier collection is still open. */
export function waitingText(
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

/** Why nothing is asked of a payer's wallet: what the payer reads. */
export type RefusalMessage = 'rejectedBlocked' | 'rejectedTooMany' | 'rejectedCoolDown';

/** END text when a collection was refused. */
export function refusalText(
  menu: Menu,
  language: string,
  name: RefusalMessage,
  { merchant, payer }: { merchant: string; payer: Msisdn },
): string {
  return message(menu, language, name, { merchant, payer: localForm(payer) });
}

/** END text when the dialogue that an input belongs to is not known, or is over. */
export function sessionLostText(menu: Menu, language: string): string {
  return message(menu, language, 'sessionLost');
}

/** END text when the gateway failed; nothing was asked of the payer's wallet. */
export function faultText(menu: Menu, language: string): string {
  return message(menu, language, 'fault');
}

/** END text when the answer would come too late; what was agreed to may still lead to a prompt. */
export function slowText(menu: Menu, language: string): string {
  return message(menu, language, 'slow');
}
