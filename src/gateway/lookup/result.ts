/** The result of a lookup that was sent. `detail` is an error code or a status for the log, without response content. */
export type LookupResult =
  | { outcome: 'found'; fields: object }
  | { outcome: 'not_found' }
  | { outcome: 'timeout' | 'unreachable' | 'invalid_response'; detail?: string };

/** Returns whether `value` is an object with named fields. */
export function isFields(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
