import type { Condition, Route } from '../schema.ts';
import { likelyOperator, type TemplateValues } from '../text/render.ts';
import type { MenuContext, MenuState } from './state.ts';
import { isList, type Value } from './value.ts';

/** What conditions are about: what the payer said, who dials, and in a list its item. */
export type Known = Pick<MenuState, 'answers' | 'language'>;

/** Whether all that a condition says holds. What is not known is neither above nor below anything, nor equal to it. */
export function holds(
  condition: Condition,
  { answers, language }: Known,
  context: MenuContext,
  item: TemplateValues = {},
): boolean {
  const { operator, payer, dialler, language: languages } = condition;
  const own = answers.payer === undefined || answers.payer === context.dialler;
  return (
    (operator === undefined || operator.includes(likelyOperator(answers, context))) &&
    (payer === undefined || (payer === 'own') === own) &&
    (dialler === undefined || context.isAttendant) &&
    (languages === undefined || languages.includes(language)) &&
    (condition.value === undefined || compares(condition, lookAt(condition.value, answers, item)))
  );
}

function lookAt(name: string, answers: Known['answers'], item: TemplateValues): Value | undefined {
  if (name === 'amount')
    return answers.amountMinor === undefined ? undefined : { amountMinor: answers.amountMinor };
  if (name === 'reference') return answers.reference;
  if (name.startsWith('item.')) return item[name];
  return answers.values && Object.hasOwn(answers.values, name) ? answers.values[name] : undefined;
}

type Bound = NonNullable<Condition['above']>;

function compares(condition: Condition, value: Value | undefined): boolean {
  const { known, is, not, above, below, atLeast, atMost } = condition;
  if (known !== undefined && known !== isKnown(value)) return false;
  if (not?.some((one) => isEqual(value, one))) return false;
  if (is !== undefined && !is.some((one) => isEqual(value, one))) return false;
  const difference = (bound: Bound) => differenceOf(value, bound);
  return (
    (above === undefined || difference(above) > 0) &&
    (below === undefined || difference(below) < 0) &&
    (atLeast === undefined || difference(atLeast) >= 0) &&
    (atMost === undefined || difference(atMost) <= 0)
  );
}

/** A list without items is nothing that anybody knows, nor is a text without letters: no screen shows it. */
function isKnown(value: Value | undefined): boolean {
  if (value === undefined || value === '') return false;
  return typeof value !== 'object' || !isList(value) || value.length > 0;
}

function isEqual(value: Value | undefined, to: string | number): boolean {
  if (typeof value === 'string') return value.toLowerCase() === String(to).toLowerCase();
  return typeof value === 'object' && 'number' in value && String(value.number) === String(to);
}

/** Not a number where the two are not of one kind: no comparison with that holds. */
function differenceOf(value: Value | undefined, bound: Bound): number {
  if (typeof value !== 'object' || isList(value)) return Number.NaN;
  if ('amountMinor' in value && 'amountMinor' in bound) return value.amountMinor - bound.amountMinor;
  return 'number' in value && 'number' in bound ? value.number - bound.number : Number.NaN;
}

/** The screen that a route leads to. */
export function resolveRoute(to: Route, known: Known, context: MenuContext, item?: TemplateValues): string {
  if (typeof to === 'string') return to;
  for (const one of to) {
    if (typeof one === 'string') return one;
    if (holds(one.when, known, context, item)) return one.to;
  }
  return '';
}
