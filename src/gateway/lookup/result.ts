/** The result of a lookup that was sent. `detail` is an error code or a status for the log, without response content. */
export type LookupResult =
  | { outcome: 'found'; fields: object }
  | { outcome: 'not_found' }
  | { outcome: 'timeout' | 'unreachable' | 'invalid_response'; detail?: string };
