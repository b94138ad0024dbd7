import type { LocalTime } from '../../../shared/local-time.ts';
import { isMerchantScreen, type Menu, type Screen, targetsOf } from '../../schema.ts';
import { optionsOf } from '../../screens/options.ts';
import { isBuiltInScreen, offerKeys, screenOf } from '../../screens/screen.ts';
import { readAnswer } from '../../state/answer.ts';
import { endStates } from '../../state/state.ts';
import { timeConditionsOf, timeHolds } from '../../state/time-condition.ts';
import type { Path, Turn } from '../walk/turn.ts';
import { targetScreens } from '../walk/uses.ts';
import type { Node } from '../walk/walk.ts';
import type { Finding } from './finding.ts';
import { inputCountsFrom, longestRoute, nodesLeadingTo, sinkComponents } from './routes.ts';

/** The structure of a menu, as the walks show it. */
export type MenuStructure = {
  /** The screens that were shown and the lookups that were requested. */
  readonly reached: Set<string>;
  /** The first screens of diallers without a history. */
  readonly firstScreens: Set<string>;
  /** From each screen, the screens that its answers lead to. */
  readonly routes: Map<string, Set<string>>;
  /** The screens from which some payers cannot reach an end screen. */
  readonly stuck: Set<string>;
  /** Of these screens, the groups that lead only to each other. */
  readonly sinks: Set<string>[];
  /** The paths of the conditions on the time that hold at some time at which their screen is reached, each as JSON. */
  readonly open: Set<string>;
  /** An input opens a collection. */
  canPay: boolean;
};

export function emptyStructure(): MenuStructure {
  return {
    reached: new Set(),
    firstScreens: new Set(),
    routes: new Map(),
    stuck: new Set(),
    sinks: [],
    open: new Set(),
    canPay: false,
  };
}

/** Records what one turn shows of the structure. */
export function recordTurn(menu: Menu, structure: MenuStructure, turn: Turn): void {
  const { step, from, isFirst } = turn;
  const { state, intent, effect } = step;
  if (Object.hasOwn(menu.screens, state.screen)) structure.reached.add(state.screen);
  if (effect?.kind === 'lookup' || effect?.kind === 'proxy') structure.reached.add(effect.state.screen);
  structure.canPay ||= intent !== undefined && intent.retryOf === undefined;
  if (isFirst) structure.firstScreens.add(state.screen);
  if (!from || !isForward(menu, turn)) return;
  const next = structure.routes.get(from.screen) ?? new Set();
  structure.routes.set(from.screen, next.add(state.screen));
}

/** True for an answer that leads on. Of the built-in screens, only the choice of a language is part of a route. */
function isForward(menu: Menu, { step, path, from, context }: Turn): boolean {
  const { state, intent } = step;
  const screen = from && screenOf(menu, from.screen);
  if (!from || !screen || state.notice !== undefined || state.screen === endStates.lost) return false;
  if (isBuiltInScreen(state.screen) || (isBuiltInScreen(from.screen) && screen.kind !== 'language'))
    return false;
  const input = lastInputOf(path);
  const isChoice = (count: number) => Number(input) >= 1 && Number(input) <= count;
  if (screen.kind === 'choose') return isChoice(optionsOf(screen, from, context).length);
  if (screen.kind === 'language') return offerKeys(menu.languages.length, from, context).includes(input);
  if (screen.kind === 'proxy') return true;
  return intent !== undefined || (screen.kind === 'ask' && readAnswer(screen, input, {}).ok);
}

function lastInputOf(path: Path): string {
  for (let at = path; at; at = at.previous) if ('input' in at) return at.input;
  return '';
}

/**
 * Records the nodes of a walk from which no end can be reached. Going back is not progress, and the end after too many
 * invalid inputs is not an end here.
 */
export function recordStuck(menu: Menu, structure: MenuStructure, nodes: ReadonlyMap<string, Node>): void {
  const edges = new Map([...nodes].map(([key, { next }]) => [key, next] as const));
  // An input without a screen has a finding of its own.
  const ends = [...nodes].flatMap(([key, { screen, isEnd }]) =>
    isEnd || screen === endStates.lost ? key : [],
  );
  const leading = nodesLeadingTo(edges, ends);
  const stuck = new Set(
    [...nodes].flatMap(([key, { screen }]) =>
      Object.hasOwn(menu.screens, screen) && !leading.has(key) ? key : [],
    ),
  );
  const screenAt = (key: string) => nodes.get(key)?.screen ?? '';
  for (const key of stuck) structure.stuck.add(screenAt(key));
  for (const sink of sinkComponents(edges, stuck)) structure.sinks.push(new Set(sink.map(screenAt)));
}

/** Records the conditions on the time that hold in a walk. Of a day before `today`, none counts. */
export function recordOpen(
  menu: Menu,
  { open }: MenuStructure,
  nodes: ReadonlyMap<string, Node>,
  { localTime, today = '' }: { localTime: LocalTime; today: string | undefined },
): void {
  if (localTime < today) return;
  const screens = new Set([...nodes.values()].map(({ screen }) => screen));
  for (const { screen, path, when } of timeConditionsOf(menu)) {
    const isReached = screen === undefined || screens.has(screen);
    if (isReached && timeHolds(when, localTime)) open.add(JSON.stringify(path));
  }
}

/** Inputs to an end screen. */
export type InputCounts = {
  /** To the farthest end screen by its shortest route. */
  readonly shortest: number;
  /** By the longest route to an end screen; `undefined` with no route, or too many to compute. */
  readonly longest: number | undefined;
};

export function inputCountsOf(menu: Menu, { routes, firstScreens }: MenuStructure): InputCounts {
  const ends = endScreensOf(menu);
  const counts = inputCountsFrom(routes, firstScreens);
  return {
    shortest: Math.max(0, ...ends.map((end) => counts.get(end) ?? 0)),
    longest: longestRoute(routes, firstScreens, new Set(ends)),
  };
}

export function endScreensOf(menu: Menu): string[] {
  return Object.entries(menu.screens).flatMap(([name, { kind }]) => (kind === 'end' ? name : []));
}

/**
 * Returns a finding for the first of these screens that leads to a loop without a text between them: of lookups, and of the
 * fallbacks of proxy screens.
 */
export function findLookupLoop(menu: Menu, names: readonly string[]): Finding | undefined {
  for (const name of names) {
    const loop = loopFrom(menu, name);
    if (!loop) continue;
    // In file order, so that the finding does not depend on where the loop was entered.
    const lookups = Object.keys(menu.screens).filter((one) => loop.includes(one));
    const [screen = name] = lookups;
    return {
      kind: 'loop',
      screen,
      message: `expected a screen between lookups that lead to each other: ${lookups.join(', ')}`,
      path: ['screens', screen],
    };
  }
  return undefined;
}

function loopFrom(menu: Menu, first: string): string[] | undefined {
  const lookupsAfter = (from: string) => {
    const reached = new Set<string>();
    const queue = [from];
    for (const name of queue) {
      const screen = menu.screens[name];
      for (const next of targetsWithoutText(screen)) {
        if (!isMerchantScreen(menu.screens[next]) || reached.has(next)) continue;
        reached.add(next);
        queue.push(next);
      }
    }
    return reached;
  };
  for (const name of [first, ...lookupsAfter(first)]) {
    const after = lookupsAfter(name);
    if (after.has(name)) return [...after].filter((one) => lookupsAfter(one).has(name));
  }
  return undefined;
}

function targetsWithoutText(screen: Screen | undefined): string[] {
  if (screen?.kind === 'lookup') return targetScreens(screen);
  return screen?.kind === 'proxy' && screen.fallback !== undefined ? targetsOf(screen.fallback) : [];
}
