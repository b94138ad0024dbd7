import type { MenuDefinition } from './definition.ts';

/**
 * Returns the menu unchanged, with types: the compiler checks that every `to` names a screen of the menu. All other rules
 * are checked when the menu is loaded.
 */
export function defineMenu<const Name extends string>(menu: MenuDefinition<Name>): MenuDefinition<Name> {
  return menu;
}
