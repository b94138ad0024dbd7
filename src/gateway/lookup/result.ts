/** What came of a question that went out. `detail` is a word for the log: a code or a status, nothing of the answer. */
export type LookupResult =
  | { outcome: 'found'; fields: object }
  | { outcome: 'not_found' }
  | { outcome: 'timeout' | 'refused' | 'bad_answer'; detail?: string };

/** Fields by their names: neither a list nor a text nor nothing. */
export function isFields(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
