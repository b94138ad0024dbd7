import { operators } from '../../shared/msisdn.ts';
import { addDays, type LocalTime } from '../../shared/time-text.ts';
import { listConditions } from '../check/names.ts';
import { describeCondition } from '../graph/menu-graph.ts';
import { isMerchantScreen, type Menu, type Screen } from '../schema.ts';
import { offerKeys } from '../screens/screen.ts';
import { listTimeConditions, timeHolds } from '../state/condition.ts';
import { type Assumed, answersIn, follow, listResults } from './answers.ts';
import { type State, split } from './domain.ts';
import type { MenuRules } from './values.ts';

/** Typed inputs and assumptions from the first screen to a state. */
type Path = { readonly inputs: readonly string[]; readonly assumptions: readonly string[] };

/** A state with the shortest path to it, and the keys of the states that its answers lead to. */
export type Node = Path & { readonly state: State; readonly next: Set<string> };

/** The states of a menu by key, in the order of the number of inputs. A new payer's choice of a language is an input. */
export type Search = ReadonlyMap<string, Node>;

type Running = MenuRules & {
  /** An option changes the language. */
  readonly changesLanguage: boolean;
  readonly nodes: Map<string, Node>;
  readonly pending: Node[];
  readonly maxStates: number;
};

/**
 * Searches the states that payers can reach, breadth first. Every branch of a condition is taken that the domains of the values
 * allow, so the result is a superset of the real dialogues.
 *
 * @param settings `maxStates`: menus in use have a few hundred.
 * @returns `undefined` for a menu with too many states, or too many times.
 */
export function searchMenu(
  { menu, texts }: MenuRules,
  { today, maxStates = 20_000 }: { today: string | undefined; maxStates: number | undefined },
): Search | undefined {
  const instants = findInstants(menu, today);
  if (!instants) return undefined;
  const screens = Object.values(menu.screens);
  const changesLanguage = screens.some(
    (one) => one.kind === 'choose' && one.options.some(({ language }) => language !== undefined),
  );
  const running: Running = { menu, texts, maxStates, changesLanguage, nodes: new Map(), pending: [] };
  const hasAttendants = screens.some((one) =>
    listConditions(one).some(({ when }) => when.dialler !== undefined),
  );
  const asks = menu.askLanguage ?? menu.languages.length > 1;
  const keys = offerKeys(menu.languages.length, {}, { sequenced: false });
  for (const localTime of instants) {
    for (const isAttendant of hasAttendants ? [false, true] : [false]) {
      for (const [i, language] of menu.languages.entries()) {
        const base = {
          screen: '',
          language,
          localTime,
          isAttendant,
          isOtherPayer: false,
          operators,
          values: {},
        };
        const time = instants.length > 1 ? [`a dial at ${localTime}`] : [];
        const chosen = asks || i === 0 ? [] : [`chosen language: ${language}`];
        for (const { state, labels } of follow(base, menu.start)) {
          const path = { inputs: asks ? [keys[i] ?? ''] : [], assumptions: [...time, ...chosen, ...labels] };
          enter(running, state, path);
        }
      }
    }
  }
  // The visits append to the array that this loop reads.
  for (const { state: from, inputs, assumptions, next } of running.pending) {
    if (running.nodes.size > maxStates) return undefined;
    for (const { state, input, labels } of answersIn(running, from, inputs.at(-1))) {
      const path = { inputs: [...inputs, input], assumptions: [...assumptions, ...labels] };
      for (const key of enter(running, state, path)) next.add(key);
    }
  }
  return running.nodes;
}

/** Adds a state, split by the conditions of its screen; follows lookups. Returns the keys of the new states. */
function enter(running: Running, entered: State, path: Path): string[] {
  const { menu, nodes, pending } = running;
  const screen = menu.screens[entered.screen];
  if (!screen) return [];
  return splitByConditions(screen, entered).map(({ state, labels: split }) => {
    const key = JSON.stringify(state);
    if (nodes.has(key) || nodes.size > running.maxStates) return key;
    const assumptions = [...path.assumptions, ...split];
    const node = { inputs: path.inputs, assumptions, state, next: new Set<string>() };
    nodes.set(key, node);
    if (screen.kind !== 'lookup') pending.push(node);
    else {
      for (const { state: next, labels } of listResults(running, state, screen)) {
        const longer = { ...path, assumptions: [...assumptions, ...labels] };
        for (const one of enter(running, next, longer)) node.next.add(one);
      }
    }
    // Going back keeps the language, so each screen can be shown in another one.
    for (const language of running.changesLanguage ? menu.languages : []) {
      const again = { ...path, assumptions: [...assumptions, `going back in ${language}`] };
      enter(running, { ...state, language }, again);
    }
    return key;
  });
}

/** More than ten independent conditions on one screen have. Conditions beyond them stay open. */
const maxParts = 1_024;

/** Returns states that each have one result of every condition of the screen. */
function splitByConditions(screen: Screen, entered: State): Assumed[] {
  const values = Object.entries(entered.values).sort(([a], [b]) => (a < b ? -1 : 1));
  let parts: Assumed[] = [{ state: { ...entered, values: Object.fromEntries(values) }, labels: [] }];
  for (const { when } of isMerchantScreen(screen) ? [] : listConditions(screen)) {
    if (parts.length > maxParts) break;
    parts = parts.flatMap(({ state, labels }) => {
      const { holds, fails } = split(state, when);
      const isOpen = holds.length > 0 && fails.length > 0;
      const add = (not: string) => (one: State) => ({
        state: one,
        labels: isOpen ? [...labels, `${not}${describeCondition(when)}`] : labels,
      });
      return [...holds.map(add('')), ...fails.map(add('not '))];
    });
  }
  return parts;
}

/** Bounds of the instants of one menu: each is a search of its own. */
const maxInstants = 64;
const maxComparisons = 5_000_000;

/** A Saturday, for menus without dates. */
const anyDay = '2026-11-21';
/** A day and all weekdays after it, for which no date changes: a span over midnight belongs to the day before. */
const daysAround = Array.from({ length: 17 }, (_, i) => i - 8);

/**
 * Returns the instants that a menu distinguishes: one for each combination of its conditions on the time that can hold
 * together, and of these the last one that a date tells apart. A menu without such conditions has one instant.
 *
 * @param today a day such as `2026-03-07`: a combination that occurs on it, or later, has an instant that is not before it.
 * @returns `undefined` when there are too many to search.
 */
function findInstants(menu: Menu, today: string = anyDay): readonly LocalTime[] | undefined {
  const all = listTimeConditions(menu).map(({ when }) => when);
  const dates = new Set([today, ...all.flatMap(({ from, until }) => [from ?? [], until ?? []].flat())]);
  const days = new Set([...dates].flatMap((date) => daysAround.map((offset) => addDays(date, offset))));
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
