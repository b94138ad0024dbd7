import type { Menu } from '../schema.ts';
import type { Finding } from './finding.ts';
import { nextOf } from './uses.ts';

/** The first of these look-ups from which other look-ups lead back to it, with no screen between them. */
export function lookupLoop(menu: Menu, names: readonly string[]): Finding | undefined {
  for (const name of names) {
    const round = roundFrom(menu, name);
    if (!round) continue;
    // Wherever it was entered, it is told at the same place.
    const order = Object.keys(menu.screens).filter((one) => round.includes(one));
    const [screen = name] = order;
    return {
      kind: 'loop',
      screen,
      message: `expected a screen between these look-ups: they lead to each other, ${order.join(', ')}`,
      path: ['screens', screen],
    };
  }
  return undefined;
}

/** The look-ups of a round that some way from here comes to. */
function roundFrom(menu: Menu, first: string): string[] | undefined {
  const reach = (from: string) => {
    const reached = new Set<string>();
    const open = [from];
    for (const name of open) {
      const screen = menu.screens[name];
      if (screen?.kind !== 'lookup') continue;
      for (const next of nextOf(screen)) {
        if (menu.screens[next]?.kind !== 'lookup' || reached.has(next)) continue;
        reached.add(next);
        open.push(next);
      }
    }
    return reached;
  };
  for (const name of [first, ...reach(first)]) {
    const beyond = reach(name);
    if (beyond.has(name)) return [...beyond].filter((one) => reach(one).has(name));
  }
  return undefined;
}
