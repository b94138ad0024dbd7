import type { Menu } from '../schema.ts';
import type { MenuContext, MenuState } from '../state/state.ts';

/** One input on the screen of a state. */
export type ScreenInput = {
  readonly menu: Menu;
  readonly context: MenuContext;
  /** The state before the input, without its notice. */
  readonly state: MenuState;
  /** The input without surrounding blanks. */
  readonly typed: string;
  /** True while the screen has pages after the one that is shown. */
  hasUnseenPages(): boolean;
  /** The page that the key for the next page shows; `undefined` on the last one. */
  nextPage(): number | undefined;
};
