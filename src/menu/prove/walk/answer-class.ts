import { operatorByPrefix } from '../../../shared/msisdn.ts';
import { gsmSeptetsOf } from '../../../shared/screen-text.ts';
import { quoteFor } from '../../effects/quote.ts';
import type { Menu } from '../../schema.ts';
import { type Answers, endStates, type MenuContext, type MenuState, type Quote } from '../../state/state.ts';
import { type Item, isList, type Value } from '../../state/value.ts';
import { showValue } from '../../text/format.ts';
import { type TemplateValues, templateValue, templateValuesOf } from '../../text/render.ts';
import { distinctionsOf, valueClass } from './distinctions.ts';
import { asFactor, createUsesAhead, type Use, type Uses } from './uses.ts';

/** What the screens ahead can distinguish in the answers of a payer. */
export type AnswerClass = {
  /** Equal for answers that no screen ahead treats differently. */
  readonly key: string;
  /** The septets of each value that a text ahead shows, and the amounts that a question ahead multiplies. */
  readonly sizes: readonly number[];
};

type ClassifiedState = Pick<MenuState, 'screen' | 'answers' | 'quoted'>;

/** Creates the function that returns the class of the answers in a state. */
export function createClassifier(menu: Menu, context: MenuContext): (state: ClassifiedState) => AnswerClass {
  const distinctions = distinctionsOf(menu);
  const usesAhead = createUsesAhead(menu);
  const known = new WeakMap<Answers, Map<Uses, AnswerClass>>();
  const classify = (answers: Answers, uses: Uses, quote: Quote | undefined): AnswerClass => {
    const { shown, decisive, lists } = uses;
    const values: TemplateValues = {
      ...templateValuesOf(answers, context, quote),
      amount: amountValue(answers),
    };
    const names = new Set(
      [...decisive, ...shown.map(({ name }) => name)].filter((name) => !isAlwaysPresent(name)),
    );
    const classes = [...names].map((name) =>
      valuesOf(name, values).map((value) => valueClass(value, distinctions(name))),
    );
    const { payer, operator } = answers;
    const otherOperator = payer !== undefined && payer !== context.dialler && operatorByPrefix(payer);
    const lengths = lists.map((name) => valueClass(templateValue(values, name), distinctions(name)));
    const hasAmount = answers.amountMinor !== undefined;
    return {
      key: JSON.stringify([hasAmount, otherOperator, operator, quote !== undefined, lengths, classes]),
      sizes: shown.map((use) => sizeOf(use, values)),
    };
  };
  return (state) => {
    if (isEnded(state)) return ended;
    const uses = usesAhead(state.screen);
    const quote = quoteFor(state, context);
    if (quote) return classify(state.answers, uses, quote);
    const byUses = known.get(state.answers) ?? new Map<Uses, AnswerClass>();
    known.set(state.answers, byUses);
    const found = byUses.get(uses) ?? classify(state.answers, uses, undefined);
    byUses.set(uses, found);
    return found;
  };
}

/** No screen follows an end state. */
const ended: AnswerClass = { key: '', sizes: [] };

function isEnded({ screen }: ClassifiedState): boolean {
  return Object.values<string>(endStates).includes(screen);
}

function amountValue({ amountMinor }: Answers): Value | undefined {
  return amountMinor === undefined ? undefined : { amountMinor };
}

/** True for placeholders that have a value in every dialogue. */
function isAlwaysPresent(name: string): boolean {
  return [
    'merchant',
    'payer',
    'short_reference',
    'approvals',
    'fee',
    'total',
    'charge',
    'amount_words',
  ].includes(name);
}

/** Returns the value of a name or, for a field of a list, the distinct values of its items. */
function valuesOf(name: string, values: TemplateValues): (Value | undefined)[] {
  const [list = '', field] = name.split('.');
  if (field === undefined) return [templateValue(values, name)];
  const items = templateValue(values, list);
  const all = typeof items === 'object' && isList(items) ? items : [];
  const different = new Map(all.map((item: Item) => [JSON.stringify(item[field]), item[field]] as const));
  return [...different.values()];
}

function sizeOf({ name, format }: Use, values: TemplateValues): number {
  const sizes = valuesOf(name, values).map((value) => {
    if (format !== asFactor) return gsmSeptetsOf(showValue(value, format));
    return typeof value === 'object' && 'amountMinor' in value ? value.amountMinor : 0;
  });
  return Math.max(0, ...sizes);
}

/** True when one of the known answers is at least as long in every value. */
export function isCovered(known: readonly AnswerClass['sizes'][], sizes: AnswerClass['sizes']): boolean {
  return known.some((one) => one.every((size, i) => size >= (sizes[i] ?? 0)));
}
