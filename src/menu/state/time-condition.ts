import { addDays, type LocalTime } from '../../shared/time-text.ts';
import { listConditions } from '../check/names.ts';
import type { Condition, Menu, TimeCondition } from '../schema.ts';
import type { MenuContext, MenuState, Step } from './state.ts';

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
export type PlacedTimeCondition = {
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
