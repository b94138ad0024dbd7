import type { EpochMs } from '../../../shared/clock.ts';
import { maskNumbers } from '../../../shared/mask-numbers.ts';
import type { CollectionRow } from '../../collection/collection.ts';
import { describeNextStep, nextStepOf } from '../../support/explain/next-step.ts';
import { outcomeOf } from '../../support/playbook/playbook.ts';
import { totalOf } from '../pages/format.ts';
import { paymentPath } from '../pages/payment-table.tsx';
import type { Desk, WorkKind } from './desk-query.ts';
import { eventPath } from './event-page.tsx';
import { unplacedWords } from './unplaced-words.ts';

/** One piece of work, as the desk shows it. */
export type WorkItem = {
  kind: WorkKind;
  /** Its order among work of the same time. */
  id: string;
  /** Its page; null without one. */
  path: string | null;
  since: EpochMs;
  merchantId: string;
  amountMinor: number | null;
  /** Why it waits, in words. */
  why: string;
  /** What happens next without a person; empty when nothing does. */
  next: string;
  /** The path of what people take; null for other work. */
  takePath: string | null;
  takenBy: string | null;
  proposal: Desk['proposals'][number] | null;
};

export const kindWords: Readonly<Record<WorkKind, string>> = {
  reviews: 'To decide',
  overdue: 'Waiting too long',
  unplaced: 'Unplaced money',
  events: 'Events not handled',
  endpoints: 'Notifications failing',
};

/** Returns the oldest work, at most `limit`. */
export function workItems(desk: Desk, now: EpochMs, limit: number): WorkItem[] {
  const proposalOf = (id: string) => desk.proposals.find(({ subjectId }) => subjectId === id) ?? null;
  const ofPayment = (kind: WorkKind, row: CollectionRow): WorkItem => ({
    ...{ kind, id: row.id, path: paymentPath(row.id), since: row.openedAt, merchantId: row.merchantId },
    ...{ amountMinor: totalOf(row), why: outcomeOf(row).happened, next: nextOf(row, now) },
    ...{
      takePath: `${paymentPath(row.id)}/assign`,
      takenBy: desk.takenBy[row.id] ?? null,
      proposal: proposalOf(row.id),
    },
  });
  const items: WorkItem[] = [
    ...desk.reviews.map((row) => ofPayment('reviews', row)),
    ...desk.overdue.map((row) => ofPayment('overdue', row)),
    ...desk.unplaced.map(
      (row): WorkItem => ({
        ...{ kind: 'unplaced', id: row.id, path: `/console/unplaced/${row.id}`, since: row.receivedAt },
        ...{ merchantId: row.merchantId, amountMinor: row.amountMinor, why: unplacedWords(row), next: '' },
        ...{ takePath: `/console/unplaced/${row.id}/assign`, takenBy: desk.takenBy[row.id] ?? null },
        proposal: proposalOf(row.id),
      }),
    ),
    ...desk.events.map(
      ({ eventId, merchantId, type, sessionId, receivedAt }): WorkItem => ({
        ...{ kind: 'events', id: `${eventId}:${merchantId}`, since: receivedAt, merchantId },
        path: eventPath({ merchantId, eventId }),
        ...{ amountMinor: null, takePath: null, takenBy: null, proposal: null },
        why: maskNumbers(
          `The event ${eventId} (${type}${sessionId === null ? '' : ` of ${sessionId}`}) could not be handled.`,
        ),
        next: 'Nothing: its page says what to do.',
      }),
    ),
    ...desk.endpoints.map(
      ({ id, merchantId, failingSince, disabledAt }): WorkItem => ({
        ...{
          kind: 'endpoints',
          id,
          path: `/console/endpoints/${id}`,
          since: failingSince ?? disabledAt ?? now,
        },
        ...{ merchantId, amountMinor: null, takePath: null, takenBy: null, proposal: null },
        why: disabledAt === null ? 'An endpoint accepts no notification.' : 'An endpoint was disabled.',
        next: disabledAt === null ? 'The gateway tries again.' : '',
      }),
    ),
  ];
  return items
    .toSorted((one, other) => one.since - other.since || (one.id < other.id ? -1 : 1))
    .slice(0, limit);
}

/** Of a payment that only waits for a person, the next step says nothing new. */
function nextOf(row: CollectionRow, now: EpochMs): string {
  const step = nextStepOf(row);
  return step.kind === 'decision' || step.kind === 'none' ? '' : describeNextStep(step, now);
}
