/** One field whose value differs from the expected one. */
export type Difference = { field: string; expected: unknown; got: unknown };

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

/** Returns every field in which two JSON values differ, by its path below `field`. */
export function differences(field: string, expected: unknown, got: unknown): Difference[] {
  if (isObject(expected) && isObject(got) && Array.isArray(expected) === Array.isArray(got)) {
    const names = [...new Set([...Object.keys(expected), ...Object.keys(got)])];
    return names.flatMap((name) => differences(`${field}.${name}`, expected[name], got[name]));
  }
  return Object.is(expected, got) ? [] : [{ field, expected, got }];
}

/** Returns the differences of two bodies: by field if both are JSON objects, otherwise as a whole. */
export function bodyDifferences(field: string, expected: string, got: string): Difference[] {
  if (expected === got) return [];
  const found = differences(field, parseObject(expected), parseObject(got));
  // Equal fields in different bytes, such as another order, are a difference of the whole body.
  return found.length > 0 && parseObject(expected) && parseObject(got) ? found : [{ field, expected, got }];
}

function parseObject(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
