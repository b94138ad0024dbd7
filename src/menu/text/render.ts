import { formatCedis, spellCedis } from '../../shared/money.ts';
import { localForm, type Operator, operatorByPrefix } from '../../shared/msisdn.ts';
import { showShortReference } from '../../shared/short-reference.ts';
import { type AskScreen, minCountOf, type Text } from '../schema.ts';
import type { Answers, MenuContext, Quote } from '../state/state.ts';
import type { Item, Value } from '../state/value.ts';
import { isFormat, showValue } from './format.ts';

/** The values of placeholders by name; an absent one has no value. */
export type TemplateValues = Readonly<Record<string, Value | undefined>>;

const placeholder = /\{([a-z0-9_-]+(?:\.[a-z0-9_-]+)?)(?::([a-z]+))?\}/g;

/** A placeholder in a text: a name, and the format of its value. */
export type Placeholder = { readonly name: string; readonly format?: string };

/** The placeholders in a text, in order. */
export function placeholdersIn(text: string): Placeholder[] {
  // The common case, without the cost of a match.
  if (!text.includes('{')) return [];
  return [...text.matchAll(placeholder)].map(([, name = '', format]) =>
    format === undefined ? { name } : { name, format },
  );
}

/** The names of the placeholders in a text. */
export function placeholdersOf(text: string): string[] {
  return placeholdersIn(text).map(({ name }) => name);
}

/** The formats in a text that do not exist. */
export function unknownFormatsOf(text: string): string[] {
  return placeholdersIn(text).flatMap(({ format }) =>
    format === undefined || isFormat(format) ? [] : format,
  );
}

/**
 * Replaces `{name}` and `{name:format}` by their values. A line with a placeholder that has no value is left out, so that
 * one text serves payers with and without a reference. Placeholders inside values are not replaced.
 */
export function fill(text: string, templateValues: TemplateValues): string {
  const shown = (name: string, format?: string) =>
    Object.hasOwn(templateValues, name) ? showValue(templateValues[name], format) : '';
  return text
    .split('\n')
    .filter((line) => placeholdersOf(line).every((name) => shown(name) !== ''))
    .map((line) => line.replace(placeholder, (_, name: string, format?: string) => shown(name, format)))
    .join('\n');
}

/** The text in a language. A loaded menu has every text in all its languages. */
export function pick(text: Text, language: string): string {
  return typeof text === 'string' ? text : (text[language] ?? Object.values(text)[0] ?? '');
}

/** The payer's operator, when it is known: from the aggregator for the dialler, from the payer for another number. */
export function knownOperator(answers: Answers, context: MenuContext): Operator | undefined {
  const own = answers.payer === undefined || answers.payer === context.dialler;
  const operator = own ? context.operator : answers.operator;
  return operator === 'unknown' ? undefined : operator;
}

/** The payer's operator, or the one that the prefix suggests. For screens only, because numbers are portable. */
export function likelyOperator(answers: Answers, context: MenuContext): Operator {
  return knownOperator(answers, context) ?? operatorByPrefix(answers.payer ?? context.dialler);
}

/** The placeholders that every text may contain. */
export const commonPlaceholders = [
  'merchant',
  'amount',
  'amount_words',
  'payer',
  'reference',
  'short_reference',
  'fee',
  'total',
  'charge',
  'approvals',
];

/** The template values of a dialogue. Pass `quote` only when it is for these answers. */
export function templateValuesOf(answers: Answers, context: MenuContext, quote?: Quote): TemplateValues {
  const { amountMinor } = answers;
  return {
    ...answers.values,
    merchant: context.merchant,
    amount: amountMinor === undefined ? undefined : { amountMinor },
    amount_words: amountMinor === undefined ? undefined : spellCedis(amountMinor),
    payer: localForm(answers.payer ?? context.dialler),
    reference: answers.reference,
    short_reference: showShortReference(context.shortReference),
    fee: quote && formatCedis(quote.feeMinor),
    total: quote && formatCedis(quote.totalMinor),
    // The amount of the prompt, as far as it is known.
    charge: quote ? formatCedis(quote.totalMinor) : amountMinor && formatCedis(amountMinor),
    approvals: context.approvals(likelyOperator(answers, context)),
  };
}

/** The template values of one list item: `{item.name}` for each field. */
export function itemTemplateValues(item: Item): TemplateValues {
  return Object.fromEntries(Object.entries(item).map(([name, value]) => [`item.${name}`, value]));
}

/** The template values of a question: its bounds and its example. */
export function questionTemplateValues(screen: AskScreen): TemplateValues {
  const { example } = screen;
  if (screen.answer === 'amount') {
    return { min: { amountMinor: screen.min }, max: { amountMinor: screen.max }, example };
  }
  if (screen.answer === 'number') {
    return { min: { number: minCountOf(screen) }, max: { number: screen.max }, example };
  }
  return { example };
}
