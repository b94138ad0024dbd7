import type { Menu } from '../../schema.ts';
import { targetScreens } from '../walk/uses.ts';
import type { Finding } from './finding.ts';

/** Returns a finding for the first of these lookups that leads to a loop of lookups without a screen between them. */
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
      if (screen?.kind !== 'lookup') continue;
      for (const next of targetScreens(screen)) {
        if (menu.screens[next]?.kind !== 'lookup' || reached.has(next)) continue;
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
