/** From each screen, the screens that its answers lead to. */
export type Routes = ReadonlyMap<string, ReadonlySet<string>>;

/** Returns the fewest inputs from one of the first screens to every other screen. */
export function inputCountsFrom(routes: Routes, firstScreens: Iterable<string>): Map<string, number> {
  const counts = new Map<string, number>([...firstScreens].map((first) => [first, 0]));
  for (const [screen, count] of counts) {
    for (const next of routes.get(screen) ?? []) if (!counts.has(next)) counts.set(next, count + 1);
  }
  return counts;
}

const maxTries = 200_000;

/**
 * Returns the most inputs that lead from one of the first screens to one of `ends` without showing a screen twice.
 * Returns `undefined` where no route leads there, or where there are too many to try.
 */
export function longestRoute(
  routes: Routes,
  firstScreens: Iterable<string>,
  ends: ReadonlySet<string>,
): number | undefined {
  let longest: number | undefined;
  let tries = 0;
  const passed = new Set<string>();
  const follow = (screen: string, count: number) => {
    if (++tries > maxTries) return;
    if (ends.has(screen)) longest = Math.max(longest ?? 0, count);
    passed.add(screen);
    for (const next of routes.get(screen) ?? []) if (!passed.has(next)) follow(next, count + 1);
    passed.delete(screen);
  };
  for (const first of firstScreens) follow(first, 0);
  return tries > maxTries ? undefined : longest;
}

type Edges<T> = ReadonlyMap<T, ReadonlySet<T>>;

/** Returns all nodes from which one of `ends` can be reached, including the ends. */
export function nodesLeadingTo<T>(edges: Edges<T>, ends: Iterable<T>): Set<T> {
  const predecessors = new Map<T, T[]>();
  for (const [from, targets] of edges) {
    for (const to of targets) predecessors.set(to, [...(predecessors.get(to) ?? []), from]);
  }
  const leading = new Set(ends);
  for (const node of leading) for (const from of predecessors.get(node) ?? []) leading.add(from);
  return leading;
}

/**
 * Returns the sink components among `nodes`: the strongly connected components without an edge to another component. A
 * payer who cannot reach an end screen stays in one of them at last. Nodes that only lead to a sink are not included.
 */
export function sinkComponents<T>(edges: Edges<T>, nodes: ReadonlySet<T>): T[][] {
  const targetsOf = (node: T) => [...(edges.get(node) ?? [])].filter((next) => nodes.has(next));
  const componentOf = new Map<T, T[]>();
  const predecessors = new Map<T, T[]>();
  for (const node of nodes) {
    for (const next of targetsOf(node)) predecessors.set(next, [...(predecessors.get(next) ?? []), node]);
  }
  // Kosaraju's algorithm: the second pass follows the edges backwards in reverse postorder.
  for (const first of postOrder(nodes, targetsOf).reverse()) {
    if (componentOf.has(first)) continue;
    const component = [first];
    componentOf.set(first, component);
    for (const node of component) {
      for (const from of predecessors.get(node) ?? []) {
        if (componentOf.has(from)) continue;
        componentOf.set(from, component);
        component.push(from);
      }
    }
  }
  return [...new Set(componentOf.values())].filter((component) =>
    component.every((node) => targetsOf(node).every((next) => componentOf.get(next) === component)),
  );
}

/** Returns the nodes in the order in which a depth-first search leaves them. */
function postOrder<T>(nodes: Iterable<T>, targetsOf: (node: T) => T[]): T[] {
  const order: T[] = [];
  const seen = new Set<T>();
  for (const first of nodes) {
    if (seen.has(first)) continue;
    seen.add(first);
    const stack = [{ node: first, rest: targetsOf(first) }];
    for (let top = stack.at(-1); top; top = stack.at(-1)) {
      const next = top.rest.pop();
      if (next === undefined) {
        order.push(top.node);
        stack.pop();
      } else if (!seen.has(next)) {
        seen.add(next);
        stack.push({ node: next, rest: targetsOf(next) });
      }
    }
  }
  return order;
}
