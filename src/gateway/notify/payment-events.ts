import type { NotificationType, PaymentEventType } from '../../contract/merchant/notification.ts';
import type { EpochMs } from '../../shared/clock.ts';
import type { Collection } from '../collection/collection.ts';
import { acceptedCollection, evolve, type RecordedFact } from '../collection/fact.ts';
import { listEventTypes } from './event-types.ts';
import { viewPayment } from './view-payment.ts';

/** A change of a payment that its merchant's system is notified of. */
export type PaymentEvent = { id: string; type: PaymentEventType; at: EpochMs; collection: Collection };

/** Where an event is in the history of its collection. */
type EventKey = { collectionId: string; version: number; index: number; at: EpochMs };

/**
 * Returns the identifier of an event. It is derived from the fact, so that every delivery and every replay of the event
 * has the same one. The time separates it from the event of another history, after a restored copy.
 */
function getEventId({ collectionId, version, index, at }: EventKey): string {
  return `evt_${collectionId.replace(/^col_/, '')}_${version}_${index}_${at.toString(36)}`;
}

/** Returns where the event with an identifier is; `undefined` for a text that is none. */
export function readEventId(id: string): EventKey | undefined {
  const pattern = /^evt_([0-9a-z]{1,40})_(\d{1,9})_(\d)_([0-9a-z]{1,10})$/;
  const [, subject, version, index, at = ''] = pattern.exec(id) ?? [];
  if (subject === undefined) return undefined;
  const key = { version: Number(version), index: Number(index), at: Number.parseInt(at, 36) };
  return { collectionId: `col_${subject}`, ...key };
}

/** Returns the events of the facts that follow `before`, in their order. */
export function listEvents(before: Collection | undefined, facts: readonly RecordedFact[]): PaymentEvent[] {
  const events: PaymentEvent[] = [];
  let state = before;
  for (const fact of facts) {
    const { at } = fact;
    const after = afterFact(state, fact);
    if (!after) continue;
    for (const [index, type] of listEventTypes(state, after).entries()) {
      const id = getEventId({ collectionId: after.id, version: after.version, index, at });
      events.push({ id, type, at, collection: after });
    }
    state = after;
  }
  return events;
}

function afterFact(state: Collection | undefined, fact: RecordedFact): Collection | undefined {
  if (state) return evolve(state, fact, fact.at);
  return fact.kind === 'accepted' ? acceptedCollection(fact.data) : undefined;
}

/** Returns the body of the notification about an event. */
export function toBody({ type, at, collection }: PaymentEvent, wholePayer: boolean): string {
  return writeBody(type, at, viewPayment(collection, { wholePayer }));
}

/** Returns the body of a notification. */
export function writeBody(type: NotificationType, at: EpochMs, data: object): string {
  return JSON.stringify({ type, timestamp: new Date(at).toISOString(), data });
}
