import { addDays, type LocalTime } from '../../shared/time-text.ts';
import { listConditions } from '../check/names.ts';
import type { Condition, Menu, Route, TimeCondition } from '../schema.ts';
import { isList, type Value } from '../text/format.ts';
import { likelyOperator, type TemplateValues, templateValue } from '../text/render.ts';
import type { MenuContext, MenuState, Step } from './state.ts';

/** The part of a state that conditions depend on. */
type Known = Pick<MenuState, 'answers' | 'language'>;

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
  return !isList(value) || value.length > 0;
}

function isEqual(value: Value | undefined, to: string | number): boolean {
  if (typeof value === 'string') return value.toLowerCase() === String(to).toLowerCase();
  return typeof value === 'object' && 'number' in value && String(value.number) === String(to);
}

/** NaN for values of different kinds, so that no comparison holds. */
function differenceBetween(value: Value | undefined, bound: Bound): number {
  if (typeof value !== 'object') return Number.NaN;
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

const weekdays: readonly string[] = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'];

/**
 * True when the time, the weekday and the days of a condition hold. A span over midnight belongs to the day on which it
 * starts: `22:00-05:00` on `fri` ends on Saturday.
 */
export function timeHolds({ time, weekday, from, until }: TimeCondition, localTime: LocalTime): boolean {
  const [today = '', clock = ''] = localTime.split('T');
  const days = time === undefined ? [today] : time.flatMap((span) => listDays(span, today, clock));
  return days.some(
    (day) =>
      (weekday === undefined || weekday.some((one) => isOn(one, day))) &&
      (from === undefined || day >= from) &&
      (until === undefined || day <= until),
  );
}

/** The days whose span includes the time: today, the day before, or none. */
function listDays(span: string, today: string, clock: string): string[] {
  const [start = '', end = ''] = span.split('-');
  if (start < end) return start <= clock && clock < end ? [today] : [];
  if (clock >= start) return [today];
  return clock < end ? [addDays(today, -1)] : [];
}

/** `range` is a weekday, or two of them: `fri-mon` includes the weekend. */
function isOn(range: string, date: string): boolean {
  const [first = '', last = first] = range.split('-');
  const day = (new Date(date).getUTCDay() + 6) % 7;
  const after = (from: number, to: number) => (to - from + 7) % 7;
  const start = weekdays.indexOf(first);
  return after(start, day) <= after(start, weekdays.indexOf(last));
}

/** A condition on the time, with its path in the menu. */
type PlacedTimeCondition = {
  /** Absent for a condition of `start`. */
  readonly screen?: string;
  readonly path: readonly (string | number)[];
  readonly when: Condition;
};

const known = new WeakMap<Menu, readonly PlacedTimeCondition[]>();

/** Returns all conditions of a menu that depend on the time. */
export function listTimeConditions(menu: Menu): readonly PlacedTimeCondition[] {
  const found = known.get(menu) ?? findTimeConditions(menu);
  known.set(menu, found);
  return found;
}

function findTimeConditions({ start, screens }: Menu): PlacedTimeCondition[] {
  const ofStart = typeof start === 'string' ? [] : start;
  const placed: PlacedTimeCondition[] = [
    ...ofStart.flatMap((one, i) =>
      typeof one === 'string' ? [] : [{ path: ['start', i, 'when'], when: one.when }],
    ),
    ...Object.entries(screens).flatMap(([screen, content]) =>
      listConditions(content).map(({ path, when }) => ({ screen, path: ['screens', screen, ...path], when })),
    ),
  ];
  return placed.filter(({ when: { time, weekday, from, until } }) =>
    [time, weekday, from, until].some((one) => one !== undefined),
  );
}

/** Returns the context with the time at which the dialogue started: its conditions do not change while it lasts. */
export function contextAtStart(
  { startedAt }: Pick<MenuState, 'startedAt'>,
  context: MenuContext,
): MenuContext {
  return startedAt === undefined ? context : { ...context, localTime: startedAt };
}

/** Keeps the time of `context` as the start of the dialogue, when the menu depends on it. A resumed dialogue has its own. */
export function keepStart(menu: Menu, step: Step, { localTime }: MenuContext): Step {
  if (listTimeConditions(menu).length === 0) return step;
  const kept = (state: MenuState): MenuState => ({ startedAt: localTime, ...state });
  const { state, effect } = step;
  return { ...step, state: kept(state), ...(effect && { effect: { ...effect, state: kept(effect.state) } }) };
}
