/** A map of a file or of a JSON body whose values no schema has checked. */
export type UncheckedMap = Readonly<Record<string, unknown>>;

/** Returns whether a parsed value is a map: not a list, not null. `typeof value === 'object'` accepts both. */
export function isMap(value: unknown): value is UncheckedMap {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns the value if it is a map, otherwise an empty map. */
export function mapOrEmpty(value: unknown): UncheckedMap {
  return isMap(value) ? value : {};
}
