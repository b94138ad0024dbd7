import { conditionsOf } from '../../check/names.ts';
import {
  isMerchantScreen,
  type Menu,
  merchantRoutesOf,
  type Screen,
  type Text,
  targetsOf,
} from '../../schema.ts';
import { boundNames } from '../../state/amount-bounds.ts';
import { placeholdersIn, placeholdersOf } from '../../text/render.ts';
import { nameOf, qualified } from './distinctions.ts';

/** The size of an amount that a question for a count can multiply: the amount itself. */
export const asFactor = 'factor';

/** A value in a text, with the format in which the text shows it, or `asFactor`. */
export type Use = { readonly name: string; readonly format?: string };

/** How screens use values. */
export type Uses = {
  readonly shown: readonly Use[];
  /** Names whose values decide which screen follows. */
  readonly decisive: readonly string[];
  readonly lists: readonly string[];
};

type AmountUses = {
  /** The menu spells amounts in words somewhere. */
  readonly withWords: boolean;
  /** The menu multiplies an amount that is no constant. */
  readonly multiplies: boolean;
};

/** Returns how one screen uses values. */
function usesOf(screen: Screen, { withWords, multiplies }: AmountUses): Uses {
  const conditional = conditionsOf(screen).flatMap(({ when, item }) =>
    when.value === undefined ? [] : qualified(when.value, item),
  );
  const priceUses = (name: string): Use[] => [
    { name },
    ...(withWords ? [{ name, format: 'words' }] : []),
    ...(multiplies ? [{ name, format: asFactor }] : []),
  ];
  const inTexts = textsOf(screen).flatMap(translationsOf).flatMap(placeholdersIn);
  if (isMerchantScreen(screen)) {
    const names = placeholdersOf(screen.url ?? '');
    return { shown: [], decisive: [...conditional, ...names], lists: [] };
  }
  if (screen.kind === 'ask') {
    const prices = screen.answer === 'number' ? nameOf(screen.each) : [];
    // {min} and {max} show the bounds.
    const bounds = screen.answer === 'amount' ? boundNames(screen) : [];
    const shown = [...inTexts, ...prices.flatMap(priceUses), ...bounds.map((name) => ({ name }))];
    return { shown, decisive: [...conditional, ...prices, ...bounds], lists: [] };
  }
  if (screen.kind === 'confirm')
    return { shown: [...inTexts, { name: 'amount' }], decisive: ['amount'], lists: [] };
  if (screen.kind !== 'choose') return { shown: inTexts, decisive: conditional, lists: [] };
  const inOptions = screen.options.map(({ label, set = {}, each }) => {
    const prices = nameOf(set.amount).map((name) => qualified(name, each));
    const presets = [set.reference ?? '', ...Object.values(set.values ?? {})].flatMap(placeholdersIn);
    const inLabel = translationsOf(label).flatMap(placeholdersIn);
    const shown = [...inLabel, ...presets].map((use) => ({ ...use, name: qualified(use.name, each) }));
    return { shown: [...shown, ...prices.flatMap(priceUses)], decisive: prices };
  });
  return {
    shown: [
      ...translationsOf(screen.text).flatMap(placeholdersIn),
      ...inOptions.flatMap(({ shown }) => shown),
    ],
    decisive: [...conditional, ...inOptions.flatMap(({ decisive }) => decisive)],
    lists: screen.options.flatMap(({ each }) => each ?? []),
  };
}

function textsOf(screen: Screen): Text[] {
  if (isMerchantScreen(screen)) return [];
  return screen.kind === 'end' ? [screen.text, ...Object.values(screen.operators)] : [screen.text];
}

function translationsOf(text: Text): string[] {
  return typeof text === 'string' ? [text] : Object.values(text);
}

/** True when a text of the menu spells an amount in words. */
export function spellsAmounts({ screens }: Menu): boolean {
  return Object.values(screens)
    .flatMap((screen) => usesOf(screen, { withWords: false, multiplies: false }).shown)
    .some(({ name, format }) => name === 'amount_words' || format === 'words');
}

function multipliesAmounts({ screens }: Menu): boolean {
  return Object.values(screens).some(
    (screen) => screen.kind === 'ask' && screen.answer === 'number' && nameOf(screen.each).length > 0,
  );
}

/** Returns the screens and lookups that the answers on a screen lead to directly. */
export function targetScreens(screen: Screen): string[] {
  switch (screen.kind) {
    case 'choose':
      return screen.options.flatMap(({ to }) => targetsOf(to));
    case 'ask':
      return targetsOf(screen.to);
    case 'lookup':
    case 'proxy':
      return merchantRoutesOf(screen).flatMap(([, to]) => targetsOf(to));
    case 'confirm':
      return [screen.to];
    default:
      return [];
  }
}

/** Creates the function that returns how a screen and all screens ahead of it use values. */
export function createUsesAhead(menu: Menu): (screen: string) => Uses {
  const amountUses = { withWords: spellsAmounts(menu), multiplies: multipliesAmounts(menu) };
  const byScreen = new Map(
    Object.entries(menu.screens).map(([name, screen]) => [name, usesOf(screen, amountUses)] as const),
  );
  const known = new Map<string, Uses>();
  return (first) => {
    const uses = known.get(first);
    if (uses) return uses;
    // Screens with the same screens ahead share one value, which callers compare by identity.
    const ahead = [...screensAhead(menu, first)].sort();
    const found = known.get(ahead.join(' ')) ?? mergeUses(ahead, byScreen);
    known.set(ahead.join(' '), found);
    known.set(first, found);
    return found;
  };
}

/** Returns a screen and all that answers there lead to, directly or not. From a built-in screen: all screens. */
export function screensAhead({ screens }: Menu, first: string): Set<string> {
  const reached = new Set(Object.hasOwn(screens, first) ? [first] : Object.keys(screens));
  for (const name of reached) {
    const screen = screens[name];
    for (const next of screen ? targetScreens(screen) : []) reached.add(next);
  }
  return reached;
}

function mergeUses(names: readonly string[], byScreen: ReadonlyMap<string, Uses>): Uses {
  const all = names.flatMap((name) => byScreen.get(name) ?? []);
  const shown = new Map(
    all.flatMap((uses) => uses.shown).map((use) => [`${use.name}:${use.format}`, use] as const),
  );
  return {
    shown: [...shown.values()],
    decisive: [...new Set(all.flatMap(({ decisive }) => decisive))],
    lists: [...new Set(all.flatMap(({ lists }) => lists))],
  };
}
