import type { RecordedFact } from '../collection/fact.ts';
import type { FactRow } from './collection-query.ts';

/** Returns a fact as the gateway recorded it. */
export function recordedFact({ kind, data, at }: Pick<FactRow, 'kind' | 'data' | 'at'>): RecordedFact {
  return { kind, data: JSON.parse(data), at } as RecordedFact;
}
