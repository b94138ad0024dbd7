/** From each screen, the screens that its answers lead to. */
export type Ways = ReadonlyMap<string, ReadonlySet<string>>;

/** How many inputs it takes from a screen to every other one, at the least. */
export function hopsFrom(ways: Ways, first: string): Map<string, number> {
  const hops = new Map([[first, 0]]);
  for (const [screen, count] of hops) {
    for (const next of ways.get(screen) ?? []) if (!hops.has(next)) hops.set(next, count + 1);
  }
  return hops;
}

const mostTries = 200_000;

/**
 * The most inputs that lead from a screen to one of `ends` without showing a screen twice; `undefined` where there is no
 * such way, or where there are too many to try.
 */
export function longestWay(ways: Ways, first: string, ends: ReadonlySet<string>): number | undefined {
  let longest: number | undefined;
  let tries = 0;
  const passed = new Set<string>();
  const go = (screen: string, count: number) => {
    if (++tries > mostTries) return;
    if (ends.has(screen)) longest = Math.max(longest ?? 0, count);
    passed.add(screen);
    for (const next of ways.get(screen) ?? []) if (!passed.has(next)) go(next, count + 1);
    passed.delete(screen);
  };
  go(first, 0);
  return tries > mostTries ? undefined : longest;
}

/** Everything from which one of `ends` can be reached, the ends too. */
export function leadingTo<T>(ons: ReadonlyMap<T, ReadonlySet<T>>, ends: Iterable<T>): Set<T> {
  const before = new Map<T, T[]>();
  for (const [from, all] of ons) {
    for (const to of all) before.set(to, [...(before.get(to) ?? []), from]);
  }
  const leading = new Set(ends);
  for (const one of leading) for (const from of before.get(one) ?? []) leading.add(from);
  return leading;
}

/**
 * Where somebody who cannot reach an END is caught at last: single screens that nothing leads on from, and groups of
 * screens that lead to each other and nowhere else. What only leads into one of them is not told.
 */
export function trapsAmong(
  ways: Ways,
  doomed: ReadonlySet<string>,
): { screens: string[]; isLoop: boolean }[] {
  const reach = new Map(
    [...doomed].map((screen) => [screen, new Set(hopsFrom(ways, screen).keys())] as const),
  );
  const traps: { screens: string[]; isLoop: boolean }[] = [];
  const told = new Set<string>();
  for (const screen of doomed) {
    const group = [...(reach.get(screen) ?? [])];
    const isTrap = group.every((other) => reach.get(other)?.has(screen));
    if (!isTrap || told.has(screen)) continue;
    for (const other of group) told.add(other);
    traps.push({ screens: group, isLoop: group.length > 1 || ways.get(screen)?.has(screen) === true });
  }
  return traps;
}
