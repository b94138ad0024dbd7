import type { Condition, Route } from '../schema.ts';
import { likelyOperator, type TemplateValues, templateValue } from '../text/render.ts';
import type { MenuContext, MenuState } from './state.ts';
import { timeHolds } from './time-condition.ts';
import { isList, type Value } from './value.ts';

/** The part of a state that conditions depend on. */
export type Known = Pick<MenuState, 'answers' | 'language'>;

/** True when every part of the condition holds. No comparison with an unknown value holds. */
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
    timeHolds(condition, context.localTime) &&
    (condition.value === undefined || valueHolds(condition, namedValue(condition.value, answers, item)))
  );
}

function namedValue(name: string, answers: Known['answers'], item: TemplateValues): Value | undefined {
  if (name === 'amount')
    return answers.amountMinor === undefined ? undefined : { amountMinor: answers.amountMinor };
  if (name === 'reference') return answers.reference;
  if (name.startsWith('item.')) return templateValue(item, name);
  return answers.values && Object.hasOwn(answers.values, name) ? answers.values[name] : undefined;
}

type Bound = NonNullable<Condition['above']>;

function valueHolds(condition: Condition, value: Value | undefined): boolean {
  const { known, is, not, above, below, atLeast, atMost } = condition;
  if (known !== undefined && known !== isKnown(value)) return false;
  if (not?.some((one) => isEqual(value, one))) return false;
  if (is !== undefined && !is.some((one) => isEqual(value, one))) return false;
  const difference = (bound: Bound) => differenceBetween(value, bound);
  return (
    (above === undefined || difference(above) > 0) &&
    (below === undefined || difference(below) < 0) &&
    (atLeast === undefined || difference(atLeast) >= 0) &&
    (atMost === undefined || difference(atMost) <= 0)
  );
}

/** An empty list and an empty text count as unknown, because no screen can show them. */
function isKnown(value: Value | undefined): boolean {
  if (value === undefined || value === '') return false;
  return typeof value !== 'object' || !isList(value) || value.length > 0;
}

function isEqual(value: Value | undefined, to: string | number): boolean {
  if (typeof value === 'string') return value.toLowerCase() === String(to).toLowerCase();
  return typeof value === 'object' && 'number' in value && String(value.number) === String(to);
}

/** NaN for values of different kinds, so that no comparison holds. */
function differenceBetween(value: Value | undefined, bound: Bound): number {
  if (typeof value !== 'object' || isList(value)) return Number.NaN;
  if ('amountMinor' in value && 'amountMinor' in bound) return value.amountMinor - bound.amountMinor;
  return 'number' in value && 'number' in bound ? value.number - bound.number : Number.NaN;
}

/** The name of the screen that a route leads to. */
export function resolveRoute(to: Route, known: Known, context: MenuContext, item?: TemplateValues): string {
  if (typeof to === 'string') return to;
  for (const one of to) {
    if (typeof one === 'string') return one;
    if (holds(one.when, known, context, item)) return one.to;
  }
  return '';
}
