const deepest = 32;
const maxParts = 100_000;

type Path = readonly (string | number)[];

/**
 * A copy of what a program made, as a file could have said it: texts, numbers, true and false, lists and maps, without
 * keys that have no value. `strange` are the places of everything else, which is left out.
 */
export function plainData(made: unknown): { value: unknown; strange: Path[] } {
  const strange: Path[] = [];
  let parts = 0;

  function copy(part: unknown, path: Path): unknown {
    parts += 1;
    if (typeof part === 'string' || typeof part === 'boolean' || Number.isFinite(part)) return part;
    const isSmall = path.length < deepest && parts <= maxParts;
    if (isSmall && Array.isArray(part)) return part.map((item, i) => copy(item, [...path, i]));
    if (isSmall && isPlainMap(part)) {
      const said = Object.entries(part).filter(([, item]) => item !== undefined);
      return Object.fromEntries(said.map(([key, item]) => [key, copy(item, [...path, key])]));
    }
    strange.push(path);
    return undefined;
  }

  return { value: copy(made, []), strange };
}

function isPlainMap(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
