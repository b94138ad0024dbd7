import { formatCedis, spellCedis } from '../../shared/money.ts';
import { localForm, type Operator, operatorByPrefix, operatorTitles } from '../../shared/msisdn.ts';
import { showShortReference } from '../../shared/short-reference.ts';
import { type AskScreen, getMinCount, type Text } from '../schema.ts';
import { resolveBounds } from '../state/answer.ts';
import type { Answers, MenuContext, Quote } from '../state/state.ts';
import { type Item, isFormat, showValue, type Value } from './format.ts';

/** A value that few texts need: it is computed when one of them is filled. */
type LazyValue = () => string | undefined;

/** The values of placeholders by name; an absent one has no value. */
export type TemplateValues = Readonly<Record<string, Value | LazyValue | undefined>>;

/** Returns the value of a name; `undefined` when it has none. */
export function templateValue(values: TemplateValues, name: string): Value | undefined {
  const value = Object.hasOwn(values, name) ? values[name] : undefined;
  return typeof value === 'function' ? value() : value;
}

const placeholder = /\{([a-z0-9_-]+(?:\.[a-z0-9_-]+)?)(?::([a-z]+))?\}/g;

/** A placeholder in a text: a name, and the format of its value. */
export type Placeholder = { readonly name: string; readonly format?: string };

/** The placeholders in a text, in order. */
export function placeholdersIn(text: string): Placeholder[] {
  // The common case, without the cost of a match.
  if (!text.includes('{')) return [];
  return parseTemplate(text).lines.flatMap(listParts);
}

/** The names of the placeholders in a text, in order. */
export function listPlaceholders(text: string): readonly string[] {
  return parseTemplate(text).names;
}

/** The formats in a text that do not exist. */
export function listUnknownFormats(text: string): string[] {
  return placeholdersIn(text).flatMap(({ format }) =>
    format === undefined || isFormat(format) ? [] : format,
  );
}

const maxFoundLength = 40;

/** The parts of a text with braces that are no placeholder, such as `{ name }` or `{name`, each cut to 40 characters. */
export function listStrayBraces(text: string): string[] {
  if (!/[{}]/.test(text)) return [];
  const braced = text.match(/\{+[^{}\n]*\}*|\}+/g) ?? [];
  const stray = braced.filter((part) => part.replace(placeholder, '') !== '');
  return stray.map((part) =>
    part.length > maxFoundLength ? `${part.slice(0, maxFoundLength)}…` : part.trimEnd(),
  );
}

/** A line of a text: literal parts and placeholders, in order. */
type TemplateLine = readonly (string | Placeholder)[];

/** A text as it is filled. */
type Template = {
  readonly lines: readonly TemplateLine[];
  /** The names of its placeholders. */
  readonly names: readonly string[];
};

/** A menu has some hundred texts. */
const maxTemplates = 2_000;

/** A map, because the lookups of a cache allocate. */
const templates = new Map<string, Template>();

function parseTemplate(text: string): Template {
  const known = templates.get(text);
  if (known) return known;
  const lines = text.split('\n').map(parseLine);
  const template = { lines, names: lines.flatMap(listParts).map(({ name }) => name) };
  const [oldest] = templates.keys();
  if (templates.size >= maxTemplates && oldest !== undefined) templates.delete(oldest);
  templates.set(text, template);
  return template;
}

function listParts(line: TemplateLine): Placeholder[] {
  return line.filter((part) => typeof part !== 'string');
}

function parseLine(line: string): TemplateLine {
  const parts: (string | Placeholder)[] = [];
  let end = 0;
  for (const match of line.matchAll(placeholder)) {
    const [whole, name = '', format] = match;
    if (match.index > end) parts.push(line.slice(end, match.index));
    parts.push(format === undefined ? { name } : { name, format });
    end = match.index + whole.length;
  }
  if (end < line.length) parts.push(line.slice(end));
  return parts;
}

/**
 * Replaces `{name}` and `{name:format}` by their values. A line with a placeholder that has no value is left out, so that
 * one text serves payers with and without a reference. Placeholders inside values are not replaced.
 *
 * @param own values of this text only, which take precedence.
 */
export function fill(text: string, templateValues: TemplateValues, own?: TemplateValues): string {
  let filled: string | undefined;
  for (const line of parseTemplate(text).lines) {
    const next = fillLine(line, templateValues, own);
    if (next !== undefined) filled = filled === undefined ? next : `${filled}\n${next}`;
  }
  return filled ?? '';
}

/** Returns `undefined` when a placeholder has no value. */
function fillLine(
  line: TemplateLine,
  templateValues: TemplateValues,
  own: TemplateValues | undefined,
): string | undefined {
  let filled = '';
  for (const part of line) {
    if (typeof part === 'string') filled += part;
    else {
      const values = own !== undefined && Object.hasOwn(own, part.name) ? own : templateValues;
      const shown = showValue(templateValue(values, part.name), part.format);
      if (shown === '') return undefined;
      filled += shown;
    }
  }
  return filled;
}

/** The text in a language. A loaded menu has every text in all its languages. */
export function pick(text: Text, language: string): string {
  return typeof text === 'string' ? text : (text[language] ?? Object.values(text)[0] ?? '');
}

/** The payer's operator, when it is known: for the dialler from the aggregator, otherwise from the payer's choice. */
export function knownOperator(answers: Answers, context: MenuContext): Operator | undefined {
  const own = answers.payer === undefined || answers.payer === context.dialler;
  return own && context.operator !== 'unknown' ? context.operator : answers.operator;
}

/** The payer's operator, or the one that the prefix suggests. For screens only, because numbers are portable. */
export function likelyOperator(answers: Answers, context: MenuContext): Operator {
  return knownOperator(answers, context) ?? operatorByPrefix(answers.payer ?? context.dialler);
}

/** The name of the network that the payer chose for another number; `undefined` without a choice. */
function chosenNetwork(
  { payer, operator = 'unknown' }: Answers,
  { dialler }: MenuContext,
): string | undefined {
  const isOther = payer !== undefined && payer !== dialler;
  return isOther && operator !== 'unknown' ? operatorTitles[operator] : undefined;
}

/** The placeholders that every text may contain. */
export const commonPlaceholders = [
  'merchant',
  'amount',
  'amount_words',
  'payer',
  'network',
  'reference',
  'short_reference',
  'fee',
  'total',
  'charge',
  'approvals',
];

/** The template values of a dialogue. Pass `quote` only when it is for these answers. */
export function createTemplateValues(answers: Answers, context: MenuContext, quote?: Quote): TemplateValues {
  const { amountMinor } = answers;
  // Functions, because V8 creates a hidden class for each object with a getter.
  const amountWords = () => (amountMinor === undefined ? undefined : spellCedis(amountMinor));
  const shortReference = () => showShortReference(context.shortReference());
  return {
    ...answers.values,
    merchant: context.merchant,
    amount: amountMinor === undefined ? undefined : { amountMinor },
    amount_words: amountWords,
    payer: localForm(answers.payer ?? context.dialler),
    network: chosenNetwork(answers, context),
    reference: answers.reference,
    short_reference: shortReference,
    fee: quote && formatCedis(quote.feeMinor),
    total: quote && formatCedis(quote.totalMinor),
    // The amount of the prompt, as far as it is known.
    charge: quote ? formatCedis(quote.totalMinor) : amountMinor && formatCedis(amountMinor),
    approvals: context.approvals[likelyOperator(answers, context)],
  };
}

/** The template values of one list item: `{item.name}` for each field. */
export function itemTemplateValues(item: Item): TemplateValues {
  return Object.fromEntries(Object.entries(item).map(([name, value]) => [`item.${name}`, value]));
}

/** The template values of a question with these answers: its bounds and its example. */
export function questionTemplateValues(screen: AskScreen, answers: Answers): TemplateValues {
  const { example } = screen;
  if (screen.answer === 'amount') {
    const { min, max } = resolveBounds(screen, answers);
    return { min: { amountMinor: min }, max: { amountMinor: max }, example };
  }
  if (screen.answer === 'number') {
    return { min: { number: getMinCount(screen) }, max: { number: screen.max }, example };
  }
  return { example };
}
