import { isMerchantScreen, type Menu, type Screen, targetsOf } from '../../schema.ts';
import { targetScreens } from '../walk/uses.ts';
import type { Finding } from './finding.ts';

/**
 * Returns a finding for the first of these screens that leads to a loop without a text between them: of lookups, and of the
 * fallbacks of proxy screens.
 */
export function findLookupLoop(menu: Menu, names: readonly string[]): Finding | undefined {
  for (const name of names) {
    const loop = loopFrom(menu, name);
    if (!loop) continue;
    // In file order, so that the finding does not depend on where the loop was entered.
    const lookups = Object.keys(menu.screens).filter((one) => loop.includes(one));
    const [screen = name] = lookups;
    return {
      kind: 'loop',
      screen,
      message: `expected a screen between lookups that lead to each other: ${lookups.join(', ')}`,
      path: ['screens', screen],
    };
  }
  return undefined;
}

function loopFrom(menu: Menu, first: string): string[] | undefined {
  const lookupsAfter = (from: string) => {
    const reached = new Set<string>();
    const queue = [from];
    for (const name of queue) {
      const screen = menu.screens[name];
      for (const next of targetsWithoutText(screen)) {
        if (!isMerchantScreen(menu.screens[next]) || reached.has(next)) continue;
        reached.add(next);
        queue.push(next);
      }
    }
    return reached;
  };
  for (const name of [first, ...lookupsAfter(first)]) {
    const after = lookupsAfter(name);
    if (after.has(name)) return [...after].filter((one) => lookupsAfter(one).has(name));
  }
  return undefined;
}

function targetsWithoutText(screen: Screen | undefined): string[] {
  if (screen?.kind === 'lookup') return targetScreens(screen);
  return screen?.kind === 'proxy' && screen.fallback !== undefined ? targetsOf(screen.fallback) : [];
}
