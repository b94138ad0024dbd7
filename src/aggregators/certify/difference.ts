/** One field that is not as it must be. */
export type Difference = { field: string; expected: unknown; got: unknown };

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

/** Every field in which two JSON values differ, by its path below `field`. */
export function differences(field: string, expected: unknown, got: unknown): Difference[] {
  if (isObject(expected) && isObject(got) && Array.isArray(expected) === Array.isArray(got)) {
    const names = [...new Set([...Object.keys(expected), ...Object.keys(got)])];
    return names.flatMap((name) => differences(`${field}.${name}`, expected[name], got[name]));
  }
  return Object.is(expected, got) ? [] : [{ field, expected, got }];
}

/** In what two bodies differ: field by field where both are JSON objects, else as a whole. */
export function bodyDifferences(field: string, expected: string, got: string): Difference[] {
  if (expected === got) return [];
  const found = differences(field, objectIn(expected), objectIn(got));
  // The same fields in other bytes, such as another order.
  return found.length > 0 && objectIn(expected) && objectIn(got) ? found : [{ field, expected, got }];
}

function objectIn(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
