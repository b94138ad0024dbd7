import { formatCedis, spellCedis } from '../shared/money.ts';
import { localForm, type Operator, operatorByPrefix } from '../shared/msisdn.ts';
import type { AskScreen, Text } from './schema.ts';
import type { Answers, MenuContext } from './state.ts';

/** What placeholders stand for; a missing one has no value (yet). */
export type Values = Readonly<Record<string, string | undefined>>;

const placeholder = /\{([a-z0-9_-]+)\}/g;

/** The names of the placeholders in a text. */
export function placeholdersOf(text: string): string[] {
  return [...text.matchAll(placeholder)].flatMap(([, name]) => name ?? []);
}

/**
 * Puts values in the place of `{name}`. A line that holds a placeholder without a value is left out, so that
 * one text serves payers with and without a reference. Values are never read as placeholders themselves.
 */
export function fill(text: string, values: Values): string {
  const value = (name: string) => (Object.hasOwn(values, name) ? values[name] : undefined);
  return text
    .split('\n')
    .filter((line) => placeholdersOf(line).every((name) => value(name)))
    .map((line) => line.replace(placeholder, (_, name: string) => value(name) ?? ''))
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
export const commonPlaceholders = ['merchant', 'amount', 'amount_words', 'payer', 'reference', 'approvals'];

export function valuesOf(answers: Answers, context: MenuContext): Values {
  const { amountMinor } = answers;
  return {
    ...answers.texts,
    merchant: context.merchant,
    amount: amountMinor === undefined ? undefined : formatCedis(amountMinor),
    amount_words: amountMinor === undefined ? undefined : spellCedis(amountMinor),
    payer: localForm(answers.payer ?? context.dialler),
    reference: answers.reference,
    approvals: context.approvals(likelyOperator(answers, context)),
  };
}

/** The placeholders that only one kind of question has: its bounds, or its example. */
export function questionValues(screen: AskScreen): Values {
  if (screen.answer === 'amount') return { min: formatCedis(screen.min), max: formatCedis(screen.max) };
  return screen.answer === 'reference' ? { example: screen.example } : {};
}
