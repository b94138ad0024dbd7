import type { z } from 'zod';
import { type checkNowAnswer, checkNowInput } from '../../../contract/staff/staff.ts';
import type { EpochMs } from '../../../shared/clock.ts';
import { conflict, retryConflict } from '../../../sqlite/store.ts';
import { staffActionWrite } from '../../access/action-store.ts';
import { type CollectionRow, isUnconfirmed } from '../../collection/collection.ts';
import { checkNowWrite } from '../../collection/store/due-store.ts';
import type { FactRow } from '../../ledger/chain.ts';
import { defineOperation, refuse, type StaffAnswer, type StaffDeps } from '../operation.ts';
import { collectionSubject, unknownCollection } from '../subjects.ts';

type Checked = z.infer<typeof checkNowAnswer>;

/** Minimum time between the last call about a collection and a poll that a person requests. */
const minPauseMs = 10_000;

/**
 * Makes the poll of a collection due now. It never leads to another initiate: before the prompt deadline, a poll could
 * allow one, so only a collection with an accepted prompt is polled then. The wait that the service requested holds.
 */
export const checkNow = defineOperation({
  route: 'POST /collections/:id/check',
  permission: 'payments.check',
  input: checkNowInput,
  subject: collectionSubject,
  run({ collections, ledger, clock, onDue }: StaffDeps, { actor, id, input }) {
    return retryConflict(`collection ${id}`, async (): Promise<StaffAnswer<Checked> | typeof conflict> => {
      const row = await collections.find(id);
      if (!row) return unknownCollection(id);
      const now = clock.now();
      if (!isPolled(row, now)) return refuse('conflict', describeNotPolled(row));
      const { at: earliest, cause } = earliestPoll(await ledger.factsOf(id));
      if (earliest > now) return refuse('too_early', `${cause}: check again after ${showTime(earliest)}`);
      const pollAt = Math.min(row.nextAt ?? now, now);
      const answer: Checked = { collectionId: id, status: row.status, pollAt: showTime(pollAt) };
      if (pollAt < now) return { ok: true, value: answer };
      const { merchantId, livemode } = row;
      const subject = { kind: 'collection', id, merchantId, livemode } as const;
      const action = staffActionWrite({ actor, action: 'check', subject, detail: input }, now);
      if (!(await collections.apply([checkNowWrite(row, now), action]))) return conflict;
      onDue();
      return { ok: true, value: answer };
    });
  },
});

/** Returns whether the next step of a collection is a poll that cannot lead to an initiate. */
function isPolled(row: CollectionRow, now: EpochMs): boolean {
  if (row.nextAt === null || row.sessionId === null) return false;
  if (row.restoredAt !== null || row.status === 'initiated' || isUnconfirmed(row)) return true;
  return row.status === 'initiating' && now >= row.promptDeadline;
}

function describeNotPolled({ status, nextAt, promptDeadline }: CollectionRow): string {
  if (nextAt === null)
    return `the collection is ${status}, and the gateway polls it no more: nothing can be checked`;
  return (
    `the collection is ${status}: its prompt is not accepted yet, and the gateway works on it. ` +
    `Check again after ${showTime(promptDeadline)}`
  );
}

/** Returns the earliest time of another poll: 10 s after the last call, and after the wait that the service requested. */
function earliestPoll(facts: readonly FactRow[]): { at: EpochMs; cause: string } {
  const last = facts.findLast(({ kind }) => kind === 'polled' || kind === 'called');
  if (!last) return { at: 0, cause: '' };
  const { retryAfterSeconds = 0, retryAfterMs = 0 }: { retryAfterSeconds?: number; retryAfterMs?: number } =
    JSON.parse(last.data);
  const requestedMs = Math.max(retryAfterSeconds * 1_000, retryAfterMs);
  if (requestedMs <= minPauseMs) return { at: last.at + minPauseMs, cause: 'the service was just asked' };
  return { at: last.at + requestedMs, cause: 'the service asked for a pause between checks' };
}

function showTime(at: EpochMs): string {
  return new Date(at).toISOString();
}
