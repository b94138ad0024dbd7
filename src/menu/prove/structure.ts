import { readAnswer } from '../answer.ts';
import type { Menu, Screen, Text } from '../schema.ts';
import { closings } from '../state.ts';
import type { Finding } from './finding.ts';
import { longestReference } from './longest-reference.ts';
import type { Place, Turn } from './walk.ts';
import { hopsFrom, leadingTo, longestWay, trapsAmong } from './ways.ts';

/** What the walks of a menu have shown of its structure. */
export type Structure = {
  /** The screens that were shown. */
  readonly reached: Set<string>;
  /** From each screen, the screens that answers led to. */
  readonly ways: Map<string, Set<string>>;
  /** The screens that some way leads to from which no END can be reached. */
  readonly doomed: Set<string>;
  /** Whether an input ever asked for money. */
  pays: boolean;
};

export function emptyStructure(): Structure {
  return { reached: new Set(), ways: new Map(), doomed: new Set(), pays: false };
}

/** Notes what one turn shows of the structure. */
export function noteTurn(menu: Menu, structure: Structure, { shown, way, from }: Turn): void {
  const { state, intent } = shown;
  if (Object.hasOwn(menu.screens, state.screen)) structure.reached.add(state.screen);
  structure.pays ||= intent !== undefined;
  const screen = from && menu.screens[from.screen];
  if (!from || !screen || !way || state.notice !== undefined || state.screen === closings.lost) return;
  if (intent === undefined && !isAnswer(screen, way.input)) return;
  const next = structure.ways.get(from.screen) ?? new Set();
  structure.ways.set(from.screen, next.add(state.screen));
}

function isAnswer(screen: Screen, input: string): boolean {
  if (screen.kind === 'choose') return Number(input) >= 1 && Number(input) <= screen.options.length;
  return screen.kind === 'ask' && readAnswer(screen, input, {}).ok;
}

/** Notes from which places of a walk no END can be reached. Going back is no way on, and no END is a mistake too many. */
export function noteDoom(menu: Menu, structure: Structure, places: ReadonlyMap<string, Place>): void {
  const ons = new Map([...places].map(([key, { on }]) => [key, on] as const));
  const ends = [...places].flatMap(([key, { screen }]) => (menu.screens[screen]?.kind === 'end' ? key : []));
  const leading = leadingTo(ons, ends);
  for (const [key, { screen }] of places) {
    if (Object.hasOwn(menu.screens, screen) && !leading.has(key)) structure.doomed.add(screen);
  }
}

/** How many inputs it takes to an END: to the farthest one by its shortest way, and by the longest way there is. */
export function hopsOf(menu: Menu, { ways }: Structure): { least: number; most: number | undefined } {
  const ends = endsOf(menu);
  const hops = hopsFrom(ways, menu.start);
  return {
    least: Math.max(0, ...ends.map((end) => hops.get(end) ?? 0)),
    most: longestWay(ways, menu.start, new Set(ends)),
  };
}

function endsOf(menu: Menu): string[] {
  return Object.entries(menu.screens).flatMap(([name, { kind }]) => (kind === 'end' ? name : []));
}

/** What is wrong with the structure of a menu. */
export function findInStructure(menu: Menu, structure: Structure, maxHops: number): Finding[] {
  const { reached, ways, pays } = structure;
  const findings: Finding[] = [];
  for (const [screen, { path }] of Object.keys(menu.screens).map((name) => [name, pathTo(name)] as const)) {
    if (reached.has(screen)) continue;
    const message = 'expected a screen whose answers lead here, or this one to go';
    findings.push({ kind: 'unreachable', screen, message, path });
  }
  findings.push(...findTraps(structure));
  const hops = hopsFrom(ways, menu.start);
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

function findTraps({ ways, doomed }: Structure): Finding[] {
  return trapsAmong(ways, doomed).map(({ screens, isLoop }) => {
    const [screen = ''] = screens;
    return isLoop
      ? {
          kind: 'loop',
          screen,
          message: `expected a way on to an end screen: it only goes round, ${[...screens, screen].join(' > ')}`,
          ...pathTo(screen),
        }
      : {
          kind: 'dead_end',
          screen,
          message: 'expected an answer that leads on to an end screen',
          ...pathTo(screen),
        };
  });
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
  const texts: { path: (string | number)[]; text: Text }[] = [{ path: ['text'], text: screen.text }];
  if (screen.kind === 'choose') {
    texts.push(...screen.options.map(({ label }, i) => ({ path: ['options', i, 'label'], text: label })));
  }
  if (screen.kind === 'end') {
    const own = Object.entries(screen.operators);
    texts.push(...own.map(([operator, text]) => ({ path: ['operators', operator], text })));
  }
  return texts;
}

function findUnproven({ screens }: Menu): Finding[] {
  return Object.entries(screens).flatMap(([screen, content]): Finding[] => {
    if (content.kind !== 'ask' || content.answer !== 'reference') return [];
    // What accepts nothing that can be typed is a dead end.
    if (longestReference(content.pattern) !== undefined || !isAnswer(content, content.example)) return [];
    const message =
      'expected a pattern of letters, classes, groups and counts alone: how long references get cannot be told';
    return [{ kind: 'unproven', screen, message, path: ['screens', screen, 'pattern'] }];
  });
}
