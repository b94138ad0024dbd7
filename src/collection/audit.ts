import type { FactRow } from '../ledger/chain.ts';
import { messageOf } from '../shared/errors.ts';
import { type RecordedFact, replay } from './fact.ts';

/**
 * Compares a stored collection with the fold of its facts, field by field, and returns what differs in words.
 * Every field but the schedule (when it is due, who works on it) must be what the facts say.
 */
export function projectionFaults(row: Record<string, unknown>, rows: readonly FactRow[]): string[] {
  const faults: string[] = [];
  let facts: RecordedFact[];
  try {
    facts = rows.map((one) => ({ kind: one.kind, data: JSON.parse(one.data), at: one.at }) as RecordedFact);
  } catch (fault) {
    return [`has a fact that cannot be read: ${messageOf(fault)}`];
  }
  const gap = rows.findIndex((one, index) => one.version !== index + 1);
  if (gap >= 0) faults.push(`fact ${gap + 1} is missing`);
  let state: ReturnType<typeof replay>;
  try {
    state = replay(facts);
  } catch (fault) {
    return [...faults, `has facts that cannot be replayed: ${messageOf(fault)}`];
  }
  if (!state) return [...faults, 'has no first fact'];
  for (const [field, expected] of Object.entries(state)) {
    if (row[field] !== expected)
      faults.push(`its facts say ${field} = ${show(expected)}, its row says ${show(row[field])}`);
  }
  return faults;
}

function show(value: unknown): string {
  return value === null || value === undefined ? 'nothing' : String(value);
}
