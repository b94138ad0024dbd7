import type { MenuDefinition } from './definition.ts';

/**
 * A menu, as it is: what it adds are types. Every screen that something leads to must be one of the menu's. The rest is
 * checked when the menu is loaded, as that of any menu is.
 */
export function defineMenu<const Name extends string>(menu: MenuDefinition<Name>): MenuDefinition<Name> {
  return menu;
}
