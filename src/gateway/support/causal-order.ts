import type { EpochMs } from '../../shared/clock.ts';
import { readFact } from '../collection/fact-row.ts';
import type { CollectionRecord, EventRow, FactRow } from './collection-query.ts';

/** One row of a record, by its position in the list of its kind. */
export type RecordPosition = { source: 'turn' | 'event' | 'fact' | 'action'; index: number };

/** The sort key of a row: time, at equal times by phase, and within a phase by order. */
type SortKey = { at: EpochMs; phase: number; order: number };

/** The inputs and screens up to the confirmation; facts and the events that they handle; later inputs and screens. */
const phases = { opening: 0, facts: 1, later: 2 } as const;

/**
 * Returns the rows of a record in the order of cause and effect. Times decide, except where the rows themselves state an
 * order that the times contradict, because the system clock was corrected: facts are numbered, the turns of a dialogue
 * are numbered, the confirmation comes before the collection that it opened, and an event before the fact of its handling.
 */
export function causalOrder(record: CollectionRecord): RecordPosition[] {
  const factTimes = nonDecreasing(record.facts.map(({ at }) => at));
  const keys = {
    turn: turnKeys(record, factTimes[0]),
    event: eventKeys(record.events, record.facts, factTimes),
    fact: factTimes.map((at, order): SortKey => ({ at, phase: phases.facts, order })),
    action: record.actions.map(({ at }, order): SortKey => ({ at, phase: phases.later, order })),
  };
  const sources = ['turn', 'event', 'fact', 'action'] as const;
  return sources
    .flatMap((source) => keys[source].map((key, index) => ({ source, index, ...key })))
    .toSorted((a, b) => a.at - b.at || a.phase - b.phase || a.order - b.order)
    .map(({ source, index }) => ({ source, index }));
}

function turnKeys({ collection, turns }: CollectionRecord, openedAt: EpochMs | undefined): SortKey[] {
  const opening = turns.find(
    (turn) => turn.collectionId === collection.id && turn.dialogueId === collection.dialogueId,
  );
  return turns.map(({ at, dialogueId, sequence }, order) => {
    if (opening === undefined || openedAt === undefined) return { at, phase: phases.opening, order };
    const isBefore = dialogueId === opening.dialogueId && sequence <= opening.sequence;
    return isBefore
      ? { at: Math.min(at, openedAt), phase: phases.opening, order }
      : { at, phase: phases.later, order };
  });
}

/** An event comes directly before the fact of its handling when both have the same time. */
function eventKeys(
  events: readonly EventRow[],
  facts: readonly FactRow[],
  factTimes: readonly EpochMs[],
): SortKey[] {
  const handledBy = new Map<string, number>();
  for (const [index, row] of facts.entries()) {
    const fact = readFact(row);
    if (fact.kind !== 'event' && fact.kind !== 'paid') continue;
    const { eventId } = fact.data;
    if (eventId !== undefined) handledBy.set(eventId, index);
  }
  return events.map(({ eventId, receivedAt }): SortKey => {
    const index = handledBy.get(eventId);
    if (index === undefined) return { at: receivedAt, phase: phases.facts, order: facts.length };
    const at = Math.min(receivedAt, factTimes[index] ?? receivedAt);
    return { at, phase: phases.facts, order: index - 0.5 };
  });
}

function nonDecreasing(times: readonly EpochMs[]): EpochMs[] {
  let latest = Number.NEGATIVE_INFINITY;
  return times.map((at) => {
    latest = Math.max(latest, at);
    return latest;
  });
}
