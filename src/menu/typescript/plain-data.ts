const maxDepth = 32;
const maxParts = 100_000;

type Path = readonly (string | number)[];

/**
 * Copies a program's value as plain data: texts, numbers, booleans, lists and maps. Keys without a value are left out.
 * `unsupported` has the paths of all other values, which are left out too.
 */
export function plainData(root: unknown): { value: unknown; unsupported: Path[] } {
  const unsupported: Path[] = [];
  let parts = 0;

  function copy(part: unknown, path: Path): unknown {
    parts += 1;
    if (typeof part === 'string' || typeof part === 'boolean' || Number.isFinite(part)) return part;
    const isSmall = path.length < maxDepth && parts <= maxParts;
    if (isSmall && Array.isArray(part)) return part.map((item, i) => copy(item, [...path, i]));
    if (isSmall && isPlainMap(part)) {
      const entries = Object.entries(part).filter(([, item]) => item !== undefined);
      return Object.fromEntries(entries.map(([key, item]) => [key, copy(item, [...path, key])]));
    }
    unsupported.push(path);
    return undefined;
  }

  return { value: copy(root, []), unsupported };
}

function isPlainMap(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
