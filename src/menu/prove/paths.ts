/** From each screen, the screens that its answers lead to. */
export type Ways = ReadonlyMap<string, ReadonlySet<string>>;

/** How many inputs it takes from one of the first screens to every other one, at the least. */
export function hopsFrom(ways: Ways, firsts: Iterable<string>): Map<string, number> {
  const hops = new Map<string, number>([...firsts].map((first) => [first, 0]));
  for (const [screen, count] of hops) {
    for (const next of ways.get(screen) ?? []) if (!hops.has(next)) hops.set(next, count + 1);
  }
  return hops;
}

const maxTries = 200_000;

/**
 * The most inputs that lead from one of the first screens to one of `ends` without showing a screen twice; `undefined` where there is no
 * such way, or where there are too many to try.
 */
export function longestWay(
  ways: Ways,
  firsts: Iterable<string>,
  ends: ReadonlySet<string>,
): number | undefined {
  let longest: number | undefined;
  let tries = 0;
  const passed = new Set<string>();
  const go = (screen: string, count: number) => {
    if (++tries > maxTries) return;
    if (ends.has(screen)) longest = Math.max(longest ?? 0, count);
    passed.add(screen);
    for (const next of ways.get(screen) ?? []) if (!passed.has(next)) go(next, count + 1);
    passed.delete(screen);
  };
  for (const first of firsts) go(first, 0);
  return tries > maxTries ? undefined : longest;
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
 * Where somebody who cannot reach an END is caught at last: groups of doomed places that lead to each other, and to no
 * other doomed place. What only leads into one of them is not told.
 */
export function trapsAmong<T>(ons: ReadonlyMap<T, ReadonlySet<T>>, doomed: ReadonlySet<T>): T[][] {
  const nextOf = (place: T) => [...(ons.get(place) ?? [])].filter((next) => doomed.has(next));
  const groupOf = new Map<T, T[]>();
  const before = new Map<T, T[]>();
  for (const place of doomed) {
    for (const next of nextOf(place)) before.set(next, [...(before.get(next) ?? []), place]);
  }
  // Kosaraju's two passes: who is left last leads to everybody in the group, and is led to from no later one.
  for (const first of leftIn(doomed, nextOf).reverse()) {
    if (groupOf.has(first)) continue;
    const group = [first];
    groupOf.set(first, group);
    for (const place of group) {
      for (const one of before.get(place) ?? []) {
        if (groupOf.has(one)) continue;
        groupOf.set(one, group);
        group.push(one);
      }
    }
  }
  return [...new Set(groupOf.values())].filter((group) =>
    group.every((place) => nextOf(place).every((next) => groupOf.get(next) === group)),
  );
}

/** The places in the order in which a walk into the depth is done with them. */
function leftIn<T>(places: Iterable<T>, nextOf: (place: T) => T[]): T[] {
  const left: T[] = [];
  const seen = new Set<T>();
  for (const place of places) {
    if (seen.has(place)) continue;
    seen.add(place);
    const open = [{ place, rest: nextOf(place) }];
    for (let top = open.at(-1); top; top = open.at(-1)) {
      const next = top.rest.pop();
      if (next === undefined) {
        left.push(top.place);
        open.pop();
      } else if (!seen.has(next)) {
        seen.add(next);
        open.push({ place: next, rest: nextOf(next) });
      }
    }
  }
  return left;
}
