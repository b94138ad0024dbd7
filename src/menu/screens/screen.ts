import type { Menu, Screen } from '../schema.ts';

/** Screens that the gateway has of its own, by the names under which states stand on them. */
const ownScreens = {
  /** Which language? */
  '(language)': { kind: 'language' },
  /** A dialogue was cut off: go on, or start over? */
  '(resume)': { kind: 'resume' },
  /** A collection is open, or was a short while ago. */
  '(standing)': { kind: 'standing' },
  /** The same was agreed to a short while ago: once more? */
  '(again)': { kind: 'again' },
} as const;

export type OwnScreenName = keyof typeof ownScreens;
type OwnScreen = (typeof ownScreens)[OwnScreenName];

/** What a dialogue can stand on: a screen of the menu, or one of the gateway's own. */
export type MenuScreen = Screen | OwnScreen;

export function isOwnScreen(name: string): name is OwnScreenName {
  return Object.hasOwn(ownScreens, name);
}

export function screenOf(menu: Menu, name: string): MenuScreen | undefined {
  if (isOwnScreen(name)) return ownScreens[name];
  return Object.hasOwn(menu.screens, name) ? menu.screens[name] : undefined;
}
