import { maskedText } from '../../shared/msisdn.ts';
import type { Menu } from '../schema.ts';
import { pick } from './render.ts';

/** Longer lines are cut. */
const maxLength = 48;

/** A menu, and the name of its merchant. */
export type NamedMenu = { menu: Menu; name: string };

/**
 * Returns the title of a screen in the menus that have it, with masked numbers. The name of the merchant is “…” where there are several.
 *
 * @returns undefined when the titles differ: their screens share a name alone.
 */
export function commonTitle(
  menus: readonly NamedMenu[],
  screen: string,
  language: string | undefined,
): string | undefined {
  const titles = menus
    .filter(({ menu }) => Object.hasOwn(menu.screens, screen))
    .map(({ name, menu }) =>
      screenTitle({ name: menus.length > 1 ? '…' : name, menu }, screen, language ?? menu.languages[0]),
    );
  const [title] = titles;
  return title !== undefined && titles.every((one) => one === title) ? maskedText(title) : undefined;
}

/**
 * Returns a title of a screen: the first line of its text with words of its own. What only a dialogue fills in is “…”.
 *
 * @returns undefined for a screen that the menu does not have, or that has no such line.
 */
function screenTitle({ menu, name }: NamedMenu, screen: string, language: string): string | undefined {
  const found = Object.hasOwn(menu.screens, screen) ? menu.screens[screen] : undefined;
  if (!found || !('text' in found)) return undefined;
  const lines = pick(found.text, language)
    .replaceAll('{merchant}', name)
    .replaceAll(/\{[^{}]*\}/g, '…')
    .split('\n');
  const line = lines.find((one) => /\p{L}/u.test(one))?.trim();
  return line && line.length > maxLength ? `${line.slice(0, maxLength).trim()}…` : line?.replace(/:$/, '');
}

/** The screens of the gateway itself. */
const builtIn: Readonly<Record<string, string>> = {
  '(payment)': 'An earlier payment',
  '(language)': 'Language',
  '(resume)': 'Continue a dialogue',
  '(duplicate)': 'The same payment again',
};

/** Returns the title of a screen, or else its name. */
export const nameScreen = ({ title, screen }: { title: string | undefined; screen: string }) =>
  title ?? builtIn[screen] ?? screen.replace(/^\(|\)$/g, '');
