import { type AmountMinor, formatCedis } from '../shared/money.ts';
import { fill, pick, type Values } from './render.ts';
import type { Menu, MessageName } from './schema.ts';

/** What the gateway says by itself, unless the menu file says it otherwise. Plain GSM letters, short. */
const builtIn: Readonly<Record<string, Readonly<Record<MessageName, string>>>> = {
  en: {
    badChoice: 'Not a choice.',
    badAmount: 'Not an amount.',
    amountTooSmall: 'At least {min}.',
    amountTooLarge: 'At most {max}.',
    badNumber: 'Not a mobile number.',
    badReference: 'Not valid. Example: {example}',
    badText: 'Use plain letters and digits.',
    typedAgain: 'Please type it again.',
    tooManyMistakes: 'Too many mistakes. Nothing was paid. Please dial again.',
    cancelled: 'Cancelled. Nothing was paid.',
    waiting: '{amount} to {merchant} is already waiting. To approve: {approvals}',
    sessionLost: 'Session ended. Please dial again.',
    fault: 'Sorry, something went wrong. Please try again.',
    slow: 'Sorry, we are slow now. If no prompt comes, please dial again.',
    yes: 'Yes',
    no: 'No',
    back: 'Back',
    more: 'More',
  },
  tw: {
    badChoice: 'San paw bio.',
    badAmount: 'Enye sika dodow.',
    amountTooSmall: 'Efi {min}.',
    amountTooLarge: 'Kosi {max}.',
    badNumber: 'Number no nye.',
    badReference: 'Enye. Te se: {example}',
    badText: 'Kyerew nkyerewde nkoaa.',
    typedAgain: 'San kyerew bio.',
    tooManyMistakes: 'Mfomso dooso. Woantua hwee. San fre bio.',
    cancelled: 'Yeagyae. Woantua hwee.',
    waiting: '{amount} ma {merchant} da so retwen. Pene so: {approvals}',
    sessionLost: 'Session no atwam. San fre bio.',
    fault: 'Kafra, biribi asee. San bo mmoden bio.',
    slow: 'Kafra, eretwentwen. Se prompt amma a, san fre bio.',
    yes: 'Aane',
    no: 'Daabi',
    back: 'San',
    more: 'Bio',
  },
};

/** The placeholders that a message may hold besides those of every text. */
export const messagePlaceholders: Readonly<Partial<Record<MessageName, readonly string[]>>> = {
  amountTooSmall: ['min'],
  amountTooLarge: ['max'],
  badReference: ['example'],
  waiting: ['amount', 'merchant', 'approvals'],
};

/** A message in the words of the menu file, else in ours, else in English. */
export function message(menu: Menu, language: string, name: MessageName, values: Values = {}): string {
  const own = menu.messages[name];
  const said = typeof own === 'object' ? own[language] : own;
  return fill(said ?? pick(builtIn[language]?.[name] ?? builtIn.en?.[name] ?? '', language), values);
}

/** END text for a payer whose earlier collection is still open. */
export function waitingText(
  menu: Menu,
  language: string,
  collection: { amountMinor: AmountMinor; merchant: string; approvals: string },
): string {
  return message(menu, language, 'waiting', {
    amount: formatCedis(collection.amountMinor),
    merchant: collection.merchant,
    approvals: collection.approvals,
  });
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
