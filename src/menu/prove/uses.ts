import { conditionsOf } from '../check/names.ts';
import { type Menu, type Screen, type Text, targetsOf } from '../schema.ts';
import { placeholdersIn, placeholdersOf } from '../text/render.ts';
import { nameOf, qualified } from './distinctions.ts';

/** A value in a screen's text, and how it is written there. */
export type Use = { readonly name: string; readonly format?: string };

/** What one screen does with values. */
export type Uses = {
  readonly shown: readonly Use[];
  /** Names that must not be confused: what they are decides where a payer comes to. */
  readonly asked: readonly string[];
  readonly lists: readonly string[];
};

/** What a screen does with values, itself. */
function usesOf(screen: Screen, isSpoken: boolean): Uses {
  const asked = conditionsOf(screen).flatMap(({ when, item }) =>
    when.value === undefined ? [] : qualified(when.value, item),
  );
  const prices = (from: string): Use[] =>
    isSpoken ? [{ name: from }, { name: from, format: 'words' }] : [{ name: from }];
  const inTexts = textsOf(screen).flatMap(linesOf).flatMap(placeholdersIn);
  if (screen.kind === 'lookup') {
    const names = placeholdersOf(screen.url ?? '');
    return { shown: [], asked: [...asked, ...names], lists: [] };
  }
  if (screen.kind === 'ask') {
    const from = screen.answer === 'number' ? nameOf(screen.each) : [];
    return { shown: [...inTexts, ...from.flatMap(prices)], asked: [...asked, ...from], lists: [] };
  }
  if (screen.kind === 'confirm')
    return { shown: [...inTexts, { name: 'amount' }], asked: ['amount'], lists: [] };
  if (screen.kind !== 'choose') return { shown: inTexts, asked, lists: [] };
  const ofOptions = screen.options.map(({ label, set = {}, each }) => {
    const from = nameOf(set.amount).map((name) => qualified(name, each));
    const made = [set.reference ?? '', ...Object.values(set.values ?? {})].flatMap(placeholdersIn);
    const inLabel = linesOf(label).flatMap(placeholdersIn);
    const shown = [...inLabel, ...made].map((use) => ({ ...use, name: qualified(use.name, each) }));
    return { shown: [...shown, ...from.flatMap(prices)], asked: from };
  });
  return {
    shown: [...linesOf(screen.text).flatMap(placeholdersIn), ...ofOptions.flatMap(({ shown }) => shown)],
    asked: [...asked, ...ofOptions.flatMap((one) => one.asked)],
    lists: screen.options.flatMap(({ each }) => each ?? []),
  };
}

function textsOf(screen: Screen): Text[] {
  if (screen.kind === 'lookup') return [];
  return screen.kind === 'end' ? [screen.text, ...Object.values(screen.operators)] : [screen.text];
}

/** A text in all languages that it has. */
function linesOf(text: Text): string[] {
  return typeof text === 'string' ? [text] : Object.values(text);
}

/** Whether a menu writes amounts in words, anywhere. */
export function isSpoken({ screens }: Menu): boolean {
  return Object.values(screens)
    .flatMap((screen) => usesOf(screen, false).shown)
    .some(({ name, format }) => name === 'amount_words' || format === 'words');
}

/** The screens that answers on a screen can lead to at once, look-ups among them. */
export function nextOf(screen: Screen): string[] {
  switch (screen.kind) {
    case 'choose':
      return screen.options.flatMap(({ to }) => targetsOf(to));
    case 'ask':
      return targetsOf(screen.to);
    case 'lookup':
      return [screen.found, screen.notFound, screen.fallback].flatMap((to) =>
        to === undefined ? [] : targetsOf(to),
      );
    case 'confirm':
      return [screen.to];
    default:
      return [];
  }
}

/** What becomes of the values of a payer on a screen, there and on all screens that lie ahead; on one of the gateway's own, everywhere. */
export function usesAheadOf(menu: Menu): (screen: string) => Uses {
  const spoken = isSpoken(menu);
  const own = new Map(
    Object.entries(menu.screens).map(([name, screen]) => [name, usesOf(screen, spoken)] as const),
  );
  const known = new Map<string, Uses>();
  return (first) => {
    const uses = known.get(first);
    if (uses) return uses;
    // Screens that lead to each other have one.
    const all = [...aheadOf(menu, first)].sort();
    const found = known.get(all.join(' ')) ?? together(all, own);
    known.set(all.join(' '), found);
    known.set(first, found);
    return found;
  };
}

/** A screen, and all that answers there lead to sooner or later; from one of the gateway's own, everything. */
export function aheadOf({ screens }: Menu, first: string): Set<string> {
  const reached = new Set(Object.hasOwn(screens, first) ? [first] : Object.keys(screens));
  for (const name of reached) {
    const screen = screens[name];
    for (const next of screen ? nextOf(screen) : []) reached.add(next);
  }
  return reached;
}

function together(names: readonly string[], uses: ReadonlyMap<string, Uses>): Uses {
  const all = names.flatMap((name) => uses.get(name) ?? []);
  const shown = new Map(
    all.flatMap((one) => one.shown).map((use) => [`${use.name}:${use.format}`, use] as const),
  );
  return {
    shown: [...shown.values()],
    asked: [...new Set(all.flatMap(({ asked }) => asked))],
    lists: [...new Set(all.flatMap(({ lists }) => lists))],
  };
}
