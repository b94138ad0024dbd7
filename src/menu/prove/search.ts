import { operators } from '../../shared/msisdn.ts';
import { listConditions } from '../check/names.ts';
import { describeCondition } from '../graph/menu-graph.ts';
import { isMerchantScreen, type Menu, type Screen } from '../schema.ts';
import { offerKeys } from '../screens/screen.ts';
import { answersIn, branches, listResults } from './answers.ts';
import { split } from './domain.ts';
import { findInstants } from './instants.ts';
import type { CommonTexts, MenuRules, State } from './values.ts';

/** Typed inputs and assumptions from the first screen to a state. */
export type Path = { readonly inputs: readonly string[]; readonly assumptions: readonly string[] };

/** A state with the shortest path to it, and the keys of the states that its answers lead to. */
export type Node = Path & { readonly state: State; readonly next: Set<string> };

/** The states of a menu by key, in the order of the number of inputs. */
export type Search = {
  readonly nodes: ReadonlyMap<string, Node>;
  /** From each shown screen, the shown screens that its answers lead to. */
  readonly routes: ReadonlyMap<string, ReadonlySet<string>>;
  /** A new payer chooses a language first, which counts as an input. */
  readonly asksLanguage: boolean;
};

/** Where the routes begin. No menu can use this name. */
export const startScreen = '(start)';

type Running = MenuRules & {
  /** An option changes the language. */
  readonly changesLanguage: boolean;
  readonly nodes: Map<string, Node>;
  readonly routes: Map<string, Set<string>>;
  readonly pending: Node[];
  readonly maxStates: number;
};

export type SearchSettings = {
  readonly texts: CommonTexts;
  readonly today: string | undefined;
  /** Menus in use have a few hundred. */
  readonly maxStates?: number | undefined;
};

const defaultMaxStates = 20_000;

/**
 * Searches the states that payers can reach, breadth first. Every branch of a condition is taken that the domains of the values
 * allow, so the result is a superset of the real dialogues.
 *
 * @returns `undefined` for a menu with too many states, or too many times.
 */
export function searchMenu(
  menu: Menu,
  { texts, today, maxStates = defaultMaxStates }: SearchSettings,
): Search | undefined {
  const instants = findInstants(menu, today);
  const running: Running = {
    menu,
    texts,
    maxStates,
    changesLanguage: Object.values(menu.screens).some(
      (one) => one.kind === 'choose' && one.options.some(({ language }) => language !== undefined),
    ),
    nodes: new Map(),
    routes: new Map(),
    pending: [],
  };
  if (!instants) return undefined;
  const asks = menu.askLanguage ?? menu.languages.length > 1;
  const keys = offerKeys(menu.languages.length, {}, { sequenced: false });
  const attendants = Object.values(menu.screens).some(hasAttendantContent) ? [false, true] : [false];
  for (const localTime of instants) {
    for (const isAttendant of attendants) {
      for (const [i, language] of menu.languages.entries()) {
        const base = { language, localTime, isAttendant, isOtherPayer: false, operators, values: {} };
        const labels = instants.length > 1 ? [`a dial at ${localTime}`] : [];
        for (const { screen, label } of branches(base, menu.start)) {
          const chosen = asks || i === 0 ? [] : [`chosen language: ${language}`];
          const path = { inputs: asks ? [keys[i] ?? ''] : [], assumptions: [...labels, ...chosen, ...label] };
          enter(running, { ...base, screen }, path, startScreen);
        }
      }
    }
  }
  // The visits append to the array that this loop reads.
  for (const node of running.pending) {
    if (running.nodes.size > maxStates) return undefined;
    for (const { state, input, labels = [] } of answersIn(running, node)) {
      const { inputs, assumptions } = node;
      const path = { inputs: [...inputs, input], assumptions: [...assumptions, ...labels] };
      for (const key of enter(running, state, path, node.state.screen)) node.next.add(key);
    }
  }
  return { nodes: running.nodes, routes: running.routes, asksLanguage: asks };
}

/** True when a screen has content for attendants alone. */
function hasAttendantContent(screen: Screen | undefined): boolean {
  return screen?.kind === 'status' || listConditions(screen).some(({ when }) => when.dialler !== undefined);
}

/** Adds a state, split by the conditions of its screen; follows lookups. Returns the keys of the new states. */
function enter(running: Running, entered: State, path: Path, from: string | undefined): string[] {
  const { menu, nodes, routes, pending } = running;
  const screen = menu.screens[entered.screen];
  if (!screen) return [];
  const isLookup = screen.kind === 'lookup';
  if (from !== undefined && !isLookup) routes.set(from, (routes.get(from) ?? new Set()).add(entered.screen));
  return splitByConditions(screen, entered).map(({ state, labels: split }) => {
    const key = JSON.stringify(state);
    if (nodes.has(key) || nodes.size > running.maxStates) return key;
    const assumptions = [...path.assumptions, ...split];
    const node = { inputs: path.inputs, assumptions, state, next: new Set<string>() };
    nodes.set(key, node);
    if (!isLookup) pending.push(node);
    else {
      for (const { state: next, labels } of listResults(running, state, screen)) {
        const longer = { ...path, assumptions: [...assumptions, ...labels] };
        for (const one of enter(running, next, longer, from)) node.next.add(one);
      }
    }
    // Going back keeps the language, so each screen can be shown in another one.
    if (running.changesLanguage) {
      for (const language of menu.languages) {
        const again = { ...path, assumptions: [...assumptions, `going back in ${language}`] };
        enter(running, { ...state, language }, again, undefined);
      }
    }
    return key;
  });
}

/** Returns states that each have one result of every condition of the screen, as far as it does not depend on the answer. */
function splitByConditions(screen: Screen, entered: State): { state: State; labels: readonly string[] }[] {
  const own = answeredNames(screen);
  const conditions = isMerchantScreen(screen)
    ? []
    : listConditions(screen).filter(({ when }) => {
        const { value, payer, operator } = when;
        if (value?.startsWith('item.') || (value !== undefined && own.includes(value))) return false;
        return !own.includes('payer') || (payer === undefined && operator === undefined);
      });
  const values = Object.entries(entered.values).sort(([a], [b]) => (a < b ? -1 : 1));
  const state = { ...entered, values: Object.fromEntries(values) };
  let parts: { state: State; labels: readonly string[] }[] = [{ state, labels: [] }];
  for (const { when } of conditions) {
    parts = parts.flatMap((part) => {
      const { holds, fails } = split(part.state, when);
      const isOpen = holds.length > 0 && fails.length > 0;
      const described = (label: string) => [...part.labels, ...(isOpen ? [label] : [])];
      return [
        ...holds.map((one) => ({ state: one, labels: described(describeCondition(when)) })),
        ...fails.map((one) => ({ state: one, labels: described(`not ${describeCondition(when)}`) })),
      ];
    });
    if (parts.length > maxParts) break;
  }
  return parts;
}

/** More than ten independent conditions on one screen have. Conditions beyond them stay open. */
const maxParts = 1_024;

/** The names whose values an answer to a question sets. */
function answeredNames(screen: Screen): string[] {
  if (screen.kind !== 'ask') return [];
  switch (screen.answer) {
    case 'number':
      return screen.each === undefined ? [screen.name] : [screen.name, 'amount'];
    case 'text':
      return [screen.name];
    case 'msisdn':
      return ['payer'];
    default:
      return [screen.answer];
  }
}
