import type { AskScreen, Menu, Screen, Text } from '../schema.ts';
import { offerKeys } from '../screens/keys.ts';
import { optionsOf } from '../screens/options.ts';
import { isBuiltInScreen, screenOf } from '../screens/screen.ts';
import { readAnswer } from '../state/answer.ts';
import { endStates } from '../state/state.ts';
import type { Finding } from './finding.ts';
import { maxCounts } from './longest-count.ts';
import { maxReferenceLength } from './longest-reference.ts';
import { lookupLoop } from './lookup-loops.ts';
import { hopsFrom, leadingTo, longestWay, trapsAmong } from './paths.ts';
import type { Turn } from './turn.ts';
import { isSpoken } from './uses.ts';
import type { Place } from './walk.ts';

/** What the walks of a menu have shown of its structure. */
export type Structure = {
  /** The screens that were shown, and the look-ups that were asked. */
  readonly reached: Set<string>;
  /** What those see first of whom nothing is known. */
  readonly firsts: Set<string>;
  /** From each screen, the screens that answers led to. */
  readonly ways: Map<string, Set<string>>;
  /** The screens that some way leads to from which no END can be reached. */
  readonly doomed: Set<string>;
  /** The screens among which payers are caught at last, in groups that lead to each other alone. */
  readonly traps: Set<string>[];
  /** Whether an input ever asked for money. */
  pays: boolean;
};

export function emptyStructure(): Structure {
  return {
    reached: new Set(),
    firsts: new Set(),
    ways: new Map(),
    doomed: new Set(),
    traps: [],
    pays: false,
  };
}

/** Notes what one turn shows of the structure. */
export function noteTurn(menu: Menu, structure: Structure, turn: Turn): void {
  const { shown, from, isFirst } = turn;
  const { state, intent, effect: want } = shown;
  if (Object.hasOwn(menu.screens, state.screen)) structure.reached.add(state.screen);
  if (want?.kind === 'lookup') structure.reached.add(want.at.screen);
  structure.pays ||= intent !== undefined && intent.retryOf === undefined;
  if (isFirst) structure.firsts.add(state.screen);
  if (!from || !isWayOn(menu, turn)) return;
  const next = structure.ways.get(from.screen) ?? new Set();
  structure.ways.set(from.screen, next.add(state.screen));
}

/** An answer that leads on. What the gateway shows by itself, now and then, is on no way; its question for a language is. */
function isWayOn(menu: Menu, { shown, way, from, context }: Turn): boolean {
  const { state, intent } = shown;
  const screen = from && screenOf(menu, from.screen);
  if (!from || !screen || state.notice !== undefined || state.screen === endStates.lost) return false;
  if (isBuiltInScreen(state.screen) || (isBuiltInScreen(from.screen) && screen.kind !== 'language'))
    return false;
  let typed = way;
  while (typed && !('input' in typed)) typed = typed.before;
  const input = typed?.input ?? '';
  const isChoice = (count: number) => Number(input) >= 1 && Number(input) <= count;
  if (screen.kind === 'choose') return isChoice(optionsOf(screen, from, context).length);
  if (screen.kind === 'language') return offerKeys(menu.languages.length, from, context).includes(input);
  return intent !== undefined || (screen.kind === 'ask' && isAnswer(screen, input));
}

function isAnswer(screen: AskScreen, input: string): boolean {
  return readAnswer(screen, input, {}).ok;
}

/** Notes from which places of a walk no END can be reached. Going back is no way on, and no END is a mistake too many. */
export function noteDoom(menu: Menu, structure: Structure, places: ReadonlyMap<string, Place>): void {
  const ons = new Map([...places].map(([key, { on }]) => [key, on] as const));
  // What ends because the menu has no answer is told as such.
  const ends = [...places].flatMap(([key, { screen, isEnd }]) =>
    isEnd || screen === endStates.lost ? key : [],
  );
  const leading = leadingTo(ons, ends);
  const doomed = new Set(
    [...places].flatMap(([key, { screen }]) =>
      Object.hasOwn(menu.screens, screen) && !leading.has(key) ? key : [],
    ),
  );
  const screenAt = (key: string) => places.get(key)?.screen ?? '';
  for (const key of doomed) structure.doomed.add(screenAt(key));
  for (const trap of trapsAmong(ons, doomed)) structure.traps.push(new Set(trap.map(screenAt)));
}

/** How many inputs it takes to an END: to the farthest one by its shortest way, and by the longest way there is. */
export function hopsOf(menu: Menu, { ways, firsts }: Structure): { least: number; most: number | undefined } {
  const ends = endsOf(menu);
  const hops = hopsFrom(ways, firsts);
  return {
    least: Math.max(0, ...ends.map((end) => hops.get(end) ?? 0)),
    most: longestWay(ways, firsts, new Set(ends)),
  };
}

function endsOf(menu: Menu): string[] {
  return Object.entries(menu.screens).flatMap(([name, { kind }]) => (kind === 'end' ? name : []));
}

/** What is wrong with the structure of a menu. */
export function findInStructure(menu: Menu, structure: Structure, maxHops: number): Finding[] {
  const { reached, ways, firsts, pays } = structure;
  const findings: Finding[] = [];
  for (const [name, screen] of Object.entries(menu.screens)) {
    if (reached.has(name)) {
      findings.push(...findWithoutFallback(name, screen));
      continue;
    }
    const message = 'expected a screen whose answers lead here, or this one to go';
    findings.push({ kind: 'unreachable', screen: name, message, ...pathTo(name) });
  }
  findings.push(...structure.traps.map((trap) => trapFinding(menu, structure, trap)));
  const hops = hopsFrom(ways, firsts);
  for (const screen of endsOf(menu)) {
    const count = hops.get(screen) ?? 0;
    if (count <= maxHops) continue;
    const message = `expected at most ${maxHops} inputs to get here: it takes ${count}`;
    findings.push({ kind: 'too_many_hops', screen, message, ...pathTo(screen) });
  }
  if (!pays) {
    const message = 'expected a way to a confirm screen, and from there to its end: nobody can pay';
    findings.push({ kind: 'no_payment', message, path: ['start'] });
  }
  return [...findings, ...findUntranslated(menu), ...findUnproven(menu)];
}

function pathTo(screen: string): { path: string[] } {
  return { path: ['screens', screen] };
}

function findWithoutFallback(screen: string, content: Screen): Finding[] {
  if (content.kind !== 'lookup' || content.fallback !== undefined) return [];
  const message = 'expected fallback: without it the dialogue ends when nothing comes in time';
  return [{ kind: 'no_fallback', screen, message, ...pathTo(screen) }];
}

function trapFinding(menu: Menu, { ways }: Structure, trap: ReadonlySet<string>): Finding {
  const screens = Object.keys(menu.screens).filter((screen) => trap.has(screen));
  const [screen = ''] = screens;
  const isAsked = screens.every((name) => menu.screens[name]?.kind === 'lookup');
  const loop = isAsked ? lookupLoop(menu, screens) : undefined;
  if (loop) return loop;
  if (screens.length > 1 || ways.get(screen)?.has(screen)) {
    const round = [...screens, screen].join(' > ');
    const message = `expected a way on to an end screen: it only goes round, ${round}`;
    return { kind: 'loop', screen, message, ...pathTo(screen) };
  }
  return {
    kind: 'dead_end',
    screen,
    message: 'expected an answer that leads on to an end screen',
    ...pathTo(screen),
  };
}

/** The loader's own words, so that a fault of its is known as the same. */
export function untranslated(language: string): string {
  return `expected a text in ${language} too`;
}

function findUntranslated({ languages, screens }: Menu): Finding[] {
  return Object.entries(screens).flatMap(([screen, content]) =>
    textsOf(content).flatMap(({ path, text }) =>
      languages
        .filter((language) => typeof text !== 'string' && !Object.hasOwn(text, language))
        .map((language) => ({
          kind: 'missing_translation' as const,
          screen,
          language,
          message: untranslated(language),
          path: ['screens', screen, ...path],
        })),
    ),
  );
}

function textsOf(screen: Screen): { path: (string | number)[]; text: Text }[] {
  if (screen.kind === 'lookup') return [];
  const texts: { path: (string | number)[]; text: Text }[] = [{ path: ['text'], text: screen.text }];
  if (screen.kind === 'choose') {
    texts.push(...screen.options.map(({ label }, i) => ({ path: ['options', i, 'label'], text: label })));
  }
  if (screen.kind === 'ask' && screen.error !== undefined)
    texts.push({ path: ['error'], text: screen.error });
  if (screen.kind === 'end') {
    const own = Object.entries(screen.operators);
    texts.push(...own.map(([operator, text]) => ({ path: ['operators', operator], text })));
  }
  return texts;
}

function findUnproven(menu: Menu): Finding[] {
  const spoken = isSpoken(menu);
  return Object.entries(menu.screens).flatMap(([screen, content]): Finding[] => {
    if (content.kind !== 'ask') return [];
    const tell = (message: string, key: string): Finding[] => [
      { kind: 'unproven', screen, message, path: ['screens', screen, key] },
    ];
    if (content.answer === 'number') {
      const { each, min, max } = content;
      const isTold = typeof each === 'number' ? max - min <= maxCounts : each === undefined;
      if (!spoken || isTold) return [];
      return tell('expected no amounts in words beside this: how long they get cannot be told', 'each');
    }
    if ((content.answer !== 'reference' && content.answer !== 'text') || content.pattern === undefined)
      return [];
    // What accepts nothing that can be typed is a dead end.
    if (maxReferenceLength(content.pattern) !== undefined || !isAnswer(content, content.example ?? ''))
      return [];
    return tell(
      'expected a pattern of letters, classes, groups and counts alone: how long answers get cannot be told',
      'pattern',
    );
  });
}
