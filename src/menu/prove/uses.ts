import { conditionsOf } from '../check/names.ts';
import {
  type AmountOrName,
  isMerchantScreen,
  type Menu,
  merchantRoutesOf,
  type Screen,
  type Text,
  targetsOf,
} from '../schema.ts';
import { boundNames } from '../state/amount-bounds.ts';
import { placeholdersOf } from '../text/render.ts';

/** What the screens ahead use. */
export type UsesAhead = {
  /** Returns the names whose values a screen, or one ahead of it, uses. */
  namesFrom(screen: string): ReadonlySet<string>;
  /** Returns the texts that conditions compare a name with. */
  textsOf(name: string): string[];
  /** A condition depends on the network of the payer. */
  readonly readsOperator: boolean;
  /** An option changes the language. */
  readonly changesLanguage: boolean;
};

export function usesAheadOf(menu: Menu): UsesAhead {
  const screens = Object.values(menu.screens);
  const known = new Map<string, ReadonlySet<string>>();
  return {
    namesFrom(screen) {
      const found =
        known.get(screen) ??
        new Set([...screensAhead(menu, screen)].flatMap((one) => namesIn(menu.screens[one])));
      known.set(screen, found);
      return found;
    },
    textsOf: (name) =>
      screens
        .flatMap(conditionsOf)
        .flatMap(({ when: { value, is = [], not = [] } }) =>
          value === name ? [...is, ...not].map(String) : [],
        ),
    readsOperator: screens.some((one) => conditionsOf(one).some(({ when }) => when.operator !== undefined)),
    changesLanguage: screens.some(
      (one) => one.kind === 'choose' && one.options.some(({ language }) => language !== undefined),
    ),
  };
}

function namesIn(screen: Screen | undefined): string[] {
  if (screen === undefined) return [];
  const conditional = conditionsOf(screen).flatMap(({ when }) => when.value ?? []);
  if (isMerchantScreen(screen)) return [...conditional, ...placeholdersOf(screen.url ?? '')];
  const shown = textsOf(screen)
    .flatMap(({ text }) => translationsOf(text))
    .flatMap(placeholdersOf);
  const names = [...conditional, ...shown];
  // Other placeholders, and the payment itself, need the amount.
  const amount =
    shown.some((name) => ['amount_words', 'charge', 'fee', 'total'].includes(name)) ||
    screen.kind === 'confirm';
  if (amount) names.push('amount');
  if (screen.kind === 'ask' && screen.answer === 'amount') names.push(...boundNames(screen));
  if (screen.kind === 'ask' && screen.answer === 'number') names.push(...nameOf(screen.each));
  if (screen.kind !== 'choose') return names;
  const sets = screen.options.flatMap(({ set = {} }) => [
    ...nameOf(set.amount),
    ...[set.reference ?? '', ...Object.values(set.values ?? {})].flatMap(placeholdersOf),
  ]);
  return [...names, ...screen.options.flatMap(({ each }) => each ?? []), ...sets];
}

/** Returns the name in an amount that is given by name, as an array of at most one. */
function nameOf(amount: AmountOrName | undefined): string[] {
  return typeof amount === 'object' ? [amount.from] : [];
}

/** Returns the texts of a screen with their paths in it. */
export function textsOf(screen: Screen): { path: (string | number)[]; text: Text }[] {
  if (isMerchantScreen(screen)) return [];
  const texts: { path: (string | number)[]; text: Text }[] = [{ path: ['text'], text: screen.text }];
  if (screen.kind === 'choose') {
    texts.push(...screen.options.map(({ label }, i) => ({ path: ['options', i, 'label'], text: label })));
  }
  if (screen.kind === 'ask' && screen.error !== undefined)
    texts.push({ path: ['error'], text: screen.error });
  if (screen.kind === 'end') {
    const overrides = Object.entries(screen.operators);
    texts.push(...overrides.map(([operator, text]) => ({ path: ['operators', operator], text })));
  }
  return texts;
}

function translationsOf(text: Text): string[] {
  return typeof text === 'string' ? [text] : Object.values(text);
}

/** Returns the screens and lookups that the answers on a screen lead to directly. */
export function targetScreens(screen: Screen | undefined): string[] {
  switch (screen?.kind) {
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

/** Returns a screen and all that answers there lead to, directly or not. */
export function screensAhead({ screens }: Menu, first: string): Set<string> {
  const reached = new Set([first]);
  for (const name of reached) for (const next of targetScreens(screens[name])) reached.add(next);
  return reached;
}
