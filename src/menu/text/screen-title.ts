import type { Menu } from '../schema.ts';
import { pick } from './render.ts';

/** Longer lines are cut. */
const maxLength = 48;

/**
 * Returns a title of a screen: the first line of its text with words of its own. What only a dialogue fills in is “…”.
 *
 * @returns undefined for a screen that the menu does not have, or that has no such line.
 */
export function screenTitle(
  { menu, name }: { menu: Menu; name: string },
  screen: string,
  language: string,
): string | undefined {
  const found = Object.hasOwn(menu.screens, screen) ? menu.screens[screen] : undefined;
  if (!found || !('text' in found)) return undefined;
  const lines = pick(found.text, language)
    .replaceAll('{merchant}', name)
    .replaceAll(/\{[^{}]*\}/g, '…')
    .split('\n');
  const line = lines.find((one) => /\p{L}/u.test(one))?.trim();
  return line && line.length > maxLength ? `${line.slice(0, maxLength).trim()}…` : line?.replace(/:$/, '');
}
