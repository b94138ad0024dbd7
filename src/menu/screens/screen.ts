import type { Menu, Screen } from '../schema.ts';

/** Screens that the gateway has of its own, by the names under which states stand on them. */
const builtInScreens = {
  /** Which language? */
  '(language)': { kind: 'language' },
  /** A dialogue was cut off: go on, or start over? */
  '(resume)': { kind: 'resume' },
  /** A collection is open, or was a short while ago. */
  '(payment)': { kind: 'payment' },
  /** The same was agreed to a short while ago: once more? */
  '(duplicate)': { kind: 'duplicate' },
} as const;

export type BuiltInScreenName = keyof typeof builtInScreens;
type BuiltInScreen = (typeof builtInScreens)[BuiltInScreenName];

/** What a dialogue can stand on: a screen of the menu, or one of the gateway's own. */
export type MenuScreen = Screen | BuiltInScreen;

export function isBuiltInScreen(name: string): name is BuiltInScreenName {
  return Object.hasOwn(builtInScreens, name);
}

export function screenOf(menu: Menu, name: string): MenuScreen | undefined {
  if (isBuiltInScreen(name)) return builtInScreens[name];
  return Object.hasOwn(menu.screens, name) ? menu.screens[name] : undefined;
}
