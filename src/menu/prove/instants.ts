import { addDays, type LocalTime } from '../../shared/time-text.ts';
import type { Menu } from '../schema.ts';
import { listTimeConditions, timeHolds } from '../state/time-condition.ts';

/** Bounds of the instants of one menu: each is a walk of its own. */
const maxInstants = 64;
const maxComparisons = 5_000_000;

/** A Saturday, for menus without dates. */
const anyDay = '2026-11-21';
/** A day and all weekdays after it, for which no date changes: a span over midnight belongs to the day before. */
const daysAround = 8;

/**
 * Returns the instants that a menu distinguishes: one for each combination of its conditions on the time that can hold
 * together, and of these the last one that a date tells apart. A menu without such conditions has one instant.
 *
 * @param today a day such as `2026-03-07`: a combination that occurs on it, or later, has an instant that is not before it.
 * @returns `undefined` when there are too many to walk.
 */
export function findInstants(menu: Menu, today: string = anyDay): readonly LocalTime[] | undefined {
  const conditions = new Map(listTimeConditions(menu).map(({ when }) => [toKey(when), when] as const));
  const all = [...conditions.values()];
  const dates = new Set([today, ...all.flatMap(({ from, until }) => [from ?? [], until ?? []].flat())]);
  const days = new Set([...dates].flatMap(datesAround));
  const spans = all.flatMap(({ time = [] }) => time.flatMap((span) => span.split('-')));
  const clocks = [...new Set(['00:00', ...spans])].filter((clock) => clock !== '24:00');
  if (days.size * clocks.length * all.length > maxComparisons) return undefined;
  const last = new Map<string, LocalTime>();
  for (const day of [...days].sort()) {
    for (const clock of clocks) {
      const instant = `${day}T${clock}`;
      last.set(all.map((when) => Number(timeHolds(when, instant))).join(''), instant);
    }
  }
  return last.size > maxInstants ? undefined : [...last.values()];
}

function toKey({ time, weekday, from, until }: Parameters<typeof timeHolds>[0]): string {
  return JSON.stringify([time, weekday, from, until]);
}

function datesAround(date: string): string[] {
  return Array.from({ length: 2 * daysAround + 1 }, (_, i) => addDays(date, i - daysAround));
}
