import type { Menu, Screen } from '../schema.ts';
import type { MenuContext, MenuState } from '../state/state.ts';

/** The screens that the gateway adds to every menu. No menu can use these names. */
const builtInScreens = {
  /** Asks for a language. */
  '(language)': { kind: 'language' },
  /** Offers to continue an interrupted dialogue. */
  '(resume)': { kind: 'resume' },
  /** Shows an open or recent payment. */
  '(payment)': { kind: 'payment' },
  /** Asks for a second confirmation of a duplicate. */
  '(duplicate)': { kind: 'duplicate' },
} as const;

export type BuiltInScreenName = keyof typeof builtInScreens;
type BuiltInScreen = (typeof builtInScreens)[BuiltInScreenName];

/** A screen of the menu, or a built-in screen. */
export type MenuScreen = Screen | BuiltInScreen;

export function isBuiltInScreen(name: string): name is BuiltInScreenName {
  return Object.hasOwn(builtInScreens, name);
}

export function screenOf(menu: Menu, name: string): MenuScreen | undefined {
  if (isBuiltInScreen(name)) return builtInScreens[name];
  return Object.hasOwn(menu.screens, name) ? menu.screens[name] : undefined;
}

/** One input on the screen of a state. */
export type ScreenInput = {
  readonly menu: Menu;
  readonly context: MenuContext;
  readonly screen: MenuScreen;
  /** The state before the input. */
  readonly before: MenuState;
  /** The same without its notice. */
  readonly state: MenuState;
  /** The input without surrounding blanks. */
  readonly typed: string;
};
