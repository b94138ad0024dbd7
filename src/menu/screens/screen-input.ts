import type { Menu } from '../schema.ts';
import type { MenuContext, MenuState } from '../state/state.ts';
import type { MenuScreen } from './screen.ts';

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
