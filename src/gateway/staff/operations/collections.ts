import type { z } from 'zod';
import {
  assignInput,
  type checkNowAnswer,
  checkNowInput,
  type noteAnswer,
  noteInput,
  type revealAnswer,
  revealInput,
} from '../../../contract/staff/staff.ts';
import type { EpochMs } from '../../../shared/clock.ts';
import { maskNumbers } from '../../../shared/msisdn.ts';
import { conflict, retryConflict } from '../../../sqlite/store.ts';
import { type StaffAction, staffActionWrite } from '../../access/action-store.ts';
import { type Actor, roleHas } from '../../access/permissions.ts';
import type { Account, AccountStore } from '../../accounts/account-store.ts';
import { toAnswers } from '../../collection/answers.ts';
import { type CollectionWithJob, isUnconfirmed } from '../../collection/collection.ts';
import { checkNowWrite } from '../../collection/store/job-store.ts';
import type { ChainedFact } from '../../ledger/chain.ts';
import { defineOperation, refuse, type StaffAnswer, type StaffDeps } from '../operation.ts';
import { collectionSubject, unknownCollection, unplacedSubject } from '../subjects.ts';

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
      if (!canCheckNow(row, now)) return refuse('conflict', describeNotPolled(row));
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
export function canCheckNow(row: CollectionWithJob, now: EpochMs): boolean {
  if (row.nextAt === null || row.sessionId === null) return false;
  if (row.restoredAt !== null || row.status === 'initiated' || isUnconfirmed(row)) return true;
  return row.status === 'initiating' && now >= row.promptDeadline;
}

function describeNotPolled({ status, nextAt, promptDeadline }: CollectionWithJob): string {
  if (nextAt === null)
    return `the collection is ${status}, and the gateway polls it no more: nothing can be checked`;
  return (
    `the collection is ${status}: its prompt is not accepted yet, and the gateway works on it. ` +
    `Check again after ${showTime(promptDeadline)}`
  );
}

/** Returns the earliest time of another poll: 10 s after the last call, and after the wait that the service requested. */
function earliestPoll(facts: readonly ChainedFact[]): { at: EpochMs; cause: string } {
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

/** People whom one note can mention. */
const maxMentions = 5;

/** Returns the accounts whose names a text mentions as `@name`, in any case. People of merchants do not see notes. */
async function mentionedIn(text: string, accounts: AccountStore): Promise<Account[]> {
  const found = text.toLowerCase().matchAll(/(?<![\w@.])@([a-z0-9][a-z0-9-]{0,31})/g);
  const names = [...new Set([...found].map(([, name = '']) => name))].slice(0, maxMentions);
  const all = await Promise.all(names.map((name) => accounts.findByName(name)));
  return all.filter(
    (one) => one !== undefined && one.disabledAt === null && one.role !== 'merchant',
  ) as Account[];
}

/** Records a note of a person about a collection, and whom it mentions. It changes nothing else. */
export const addNote = defineOperation({
  route: 'POST /collections/:id/notes',
  permission: 'payments.note',
  input: noteInput,
  subject: collectionSubject,
  async run({ collections, accounts, clock }: StaffDeps, { actor, subject: row, input: { text } }) {
    const { id, merchantId, livemode } = row;
    const at = clock.now();
    const subject = { kind: 'collection', id, merchantId, livemode } as const;
    const mentions = (await mentionedIn(text, accounts)).map(({ id: account, name }) => {
      const person = { kind: 'account', id: account, merchantId: null, livemode } as const;
      return staffActionWrite(
        { actor, action: 'mention', subject: person, detail: { name, collection: id } },
        at,
      );
    });
    const note = staffActionWrite({ actor, action: 'note', subject, detail: { text } }, at);
    await collections.apply([note, ...mentions]);
    return {
      ok: true,
      value: { collectionId: id, actor: actor.name, at: new Date(at).toISOString(), text },
    } satisfies StaffAnswer<z.infer<typeof noteAnswer>>;
  },
});

/** Records which person has a collection to resolve. The last assignment holds. */
export const assign = defineOperation({
  route: 'POST /collections/:id/assign',
  permission: 'payments.work',
  input: assignInput,
  subject: collectionSubject,
  async run(deps: StaffDeps, { actor, input, subject: { id, merchantId, livemode } }) {
    const assigned = await assignTo(deps, actor, input, { kind: 'collection', id, merchantId, livemode });
    return assigned.ok ? { ok: true, value: { collectionId: id, ...assigned.value } } : assigned;
  },
});

export const assignUnplaced = defineOperation({
  route: 'POST /unplaced/:id/assign',
  permission: 'payments.work',
  input: assignInput,
  subject: unplacedSubject,
  async run(deps: StaffDeps, { actor, input, subject: { id, merchantId, livemode } }) {
    const assigned = await assignTo(deps, actor, input, { kind: 'unplaced', id, merchantId, livemode });
    return assigned.ok ? { ok: true, value: { unplacedId: id, ...assigned.value } } : assigned;
  },
});

async function assignTo(
  deps: StaffDeps,
  actor: Actor,
  input: z.infer<typeof assignInput>,
  subject: StaffAction['subject'],
): Promise<StaffAnswer<{ actor: string; at: string; to: string | null }>> {
  const { from, ...detail } = input;
  const { to } = detail;
  const refused = to === null ? undefined : await refuseName(deps, to);
  if (refused) return refused;
  const before = from === undefined ? undefined : ((await deps.findAssignee(subject.id)) ?? null);
  if (before !== undefined && before !== from && before !== to)
    return refuse('conflict', `${before ?? 'no one'} has it now: ask before you take it`);
  const at = deps.clock.now();
  await deps.collections.apply([staffActionWrite({ actor, action: 'assign', subject, detail }, at)]);
  return { ok: true, value: { actor: actor.name, at: new Date(at).toISOString(), to } };
}

async function refuseName(deps: StaffDeps, name: string) {
  const names = await assignableNames(deps);
  if (names.includes(name)) return undefined;
  const choice = names.length > 0 ? `choose one of ${names.join(', ')}` : 'no account works on payments';
  return refuse('not_found', `no person ${name}: ${choice}`);
}

/** Returns the names of the people who can have a collection to resolve, in the order of the alphabet. */
export async function assignableNames({ accounts }: Pick<StaffDeps, 'accounts'>): Promise<string[]> {
  const people = await accounts.list();
  return people
    .filter(({ role, disabledAt }) => disabledAt === null && roleHas(role, 'payments.work'))
    .map(({ name }) => name);
}

/** How long the pages of a session show the numbers of a collection. */
const revealedMs = 5 * 60_000;

/** Returns the whole numbers of a collection, and records who saw them and why. */
export const reveal = defineOperation({
  route: 'POST /collections/:id/reveal',
  permission: 'numbers.reveal',
  input: revealInput,
  subject: collectionSubject,
  async run(
    { collections, clock }: StaffDeps,
    { actor, id, subject: row, input: { reason, session } },
  ): Promise<StaffAnswer<z.infer<typeof revealAnswer>>> {
    const { merchantId, livemode, payer, dialler } = row;
    const at = clock.now();
    const until = at + revealedMs;
    const subject = { kind: 'collection', id, merchantId, livemode } as const;
    const seenBy = session ?? (actor.kind === 'person' ? actor.session.id : null);
    // The audit keeps its rows for ever: a number that a person types does not get into it.
    const detail = { reason: maskNumbers(reason), session: seenBy, until };
    await collections.apply([staffActionWrite({ actor, action: 'reveal', subject, detail }, at)]);
    const answers = toAnswers(row, 'whole');
    const show = (time: number) => new Date(time).toISOString();
    return {
      ok: true,
      value: {
        collectionId: id,
        actor: actor.name,
        at: show(at),
        until: show(until),
        payer,
        dialler,
        answers,
      },
    };
  },
});
