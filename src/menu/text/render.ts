import { formatCedis, spellCedis } from '../../shared/money.ts';
import { localForm, type Operator, operatorByPrefix } from '../../shared/msisdn.ts';
import { showShortReference } from '../../shared/short-reference.ts';
import { type AskScreen, minCountOf, type Text } from '../schema.ts';
import type { Answers, MenuContext, Quote } from '../state/state.ts';
import type { Item, Value } from '../state/value.ts';
import { isFormat, showValue } from './format.ts';

/** What placeholders stand for; a missing one has no value (yet). */
export type TemplateValues = Readonly<Record<string, Value | undefined>>;

const placeholder = /\{([a-z0-9_-]+(?:\.[a-z0-9_-]+)?)(?::([a-z]+))?\}/g;

/** A name in a text, and how its value is to be written. */
export type Placeholder = { readonly name: string; readonly format?: string };

/** The placeholders in a text, in order. */
export function placeholdersIn(text: string): Placeholder[] {
  // Most lines have none.
  if (!text.includes('{')) return [];
  return [...text.matchAll(placeholder)].map(([, name = '', format]) =>
    format === undefined ? { name } : { name, format },
  );
}

/** The names of the placeholders in a text. */
export function placeholdersOf(text: string): string[] {
  return placeholdersIn(text).map(({ name }) => name);
}

/** The formats in a text that there are none of. */
export function unknownFormatsOf(text: string): string[] {
  return placeholdersIn(text).flatMap(({ format }) =>
    format === undefined || isFormat(format) ? [] : format,
  );
}

/**
 * Puts values in the place of `{name}` and `{name:format}`. A line that holds a placeholder without a value is left out,
 * so that one text serves payers with and without a reference. Values are never read as placeholders themselves.
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

/** The text in a language; a menu that was loaded has it. */
export function pick(text: Text, language: string): string {
  return typeof text === 'string' ? text : (text[language] ?? Object.values(text)[0] ?? '');
}

/** The payer's network where someone knows it: the aggregator for the dialler, the payer for another number. */
export function knownOperator(answers: Answers, context: MenuContext): Operator | undefined {
  const own = answers.payer === undefined || answers.payer === context.dialler;
  const operator = own ? context.operator : answers.operator;
  return operator === 'unknown' ? undefined : operator;
}

/** The payer's network, if need be guessed from the prefix: good enough for words on a screen. */
export function likelyOperator(answers: Answers, context: MenuContext): Operator {
  return knownOperator(answers, context) ?? operatorByPrefix(answers.payer ?? context.dialler);
}

/** The placeholders of every text. */
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

/** What placeholders stand for in a dialogue; `quote` is there when the answers are those that it was made for. */
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
    // What the prompt will ask for, as far as anybody knows.
    charge: quote ? formatCedis(quote.totalMinor) : amountMinor && formatCedis(amountMinor),
    approvals: context.approvals(likelyOperator(answers, context)),
  };
}

/** The fields of one item of a list, as `{item.name}`. */
export function itemTemplateValues(item: Item): TemplateValues {
  return Object.fromEntries(Object.entries(item).map(([name, value]) => [`item.${name}`, value]));
}

/** The placeholders that only one kind of question has: its bounds, or its example. */
export function questionTemplateValues(screen: AskScreen): TemplateValues {
  const { example } = screen;
  if (screen.answer === 'amount') {
    return { min: { amountMinor: screen.min }, max: { amountMinor: screen.max }, example };
  }
  if (screen.answer === 'number')
    return { min: { number: minCountOf(screen) }, max: { number: screen.max }, example };
  return { example };
}
