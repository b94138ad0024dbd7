import type { Clock, EpochMs } from '../../../shared/clock.ts';
import type { Msisdn } from '../../../shared/msisdn.ts';
import type { CollectionRow, CollectionWithJob } from '../collection.ts';
import type { CollectionStore } from '../store/collection-store.ts';
import type { SeenTurns } from '../store/job-store.ts';

/** Reads that decide when the prompt of a collection may be requested. */
export type PromptDeps = {
  collections: Pick<CollectionStore, 'find' | 'postpone'>;
  clock: Clock;
  /** Resolves with the time at which the END screen of the collection's dialogue left the gateway. */
  screenSent(row: Pick<CollectionRow, 'dialogueId' | 'openedAt'>): Promise<EpochMs>;
  /** Returns the last USSD session of a number on any channel; `undefined` without one. */
  lastSession(msisdn: Msisdn): Promise<LastSession | undefined>;
  /** Returns whether an event of a session is stored and not handled yet. It may report the payment. */
  hasWaitingEvent(sessionId: string): Promise<boolean>;
  /** The name of this gateway, where several use one database. */
  home?: string | null;
  /** Called when a claimed collection waits longer, and no call was made. */
  onPostponed?(merchantId: string): void;
};

/** A USSD session that has ended, or that is open until a time unless another input arrives. */
export type LastSession = ({ kind: 'ended' } | { kind: 'open'; until: EpochMs }) & {
  /** When the phone got its last END, in whichever session; 0 when its last screen waits for an input. */
  endedAt: EpochMs;
  seen: SeenTurns;
};

/** A claimed collection, as it was last read, and the fence of its claim. */
export type Claimed = { row: CollectionWithJob; fence: number };

/** A longer wait gives the claim back, so that waiting payers do not occupy the worker. */
const maxSleepMs = 500;

/** Time until the next check while an event of the session waits. */
const eventCheckMs = 250;

/** Time until the next check while the payer is in a dialogue. */
const sessionCheckMs = 2_000;

/** A number without a turn. */
const noTurns: SeenTurns = { since: 0, seq: 0 };

/**
 * Returns the payer's turns when the prompt may be requested now: the prompt delay has passed since the END screen left, the payer has no
 * USSD session open, and no event of the payment session waits. Waits a short time; otherwise postpones the collection and returns
 * `undefined`. The wait ends at the prompt deadline.
 */
export async function turnsBeforePrompt(
  deps: PromptDeps,
  { row, fence }: Claimed,
): Promise<SeenTurns | undefined> {
  const { clock } = deps;
  for (;;) {
    const { at, seen } = await promptTime(deps, row);
    const dueAt = Math.min(at, row.promptDeadline);
    const now = clock.now();
    if (dueAt <= now && (await isAtHome(deps, row))) return seen;
    if (dueAt <= now || dueAt - now > maxSleepMs) {
      await deps.collections.postpone({ collectionId: row.id, fence, nextAt: dueAt });
      deps.onPostponed?.(row.merchantId);
      return undefined;
    }
    // Meanwhile the END screen may have been sent again, and the payer may have dialled.
    await clock.sleep(dueAt - now);
  }
}

/** Returns false when another gateway has sent the END screen again since the claim: only that one has the time at which the reply left. */
async function isAtHome({ collections, home = null }: PromptDeps, { id }: CollectionRow): Promise<boolean> {
  return home === null || (await collections.find(id))?.home === home;
}

/** Returns the payer's turns when no session of the payer keeps a prompt from being sent again; otherwise `undefined`. */
export async function turnsBeforeResend(
  deps: PromptDeps,
  row: CollectionRow,
): Promise<SeenTurns | undefined> {
  const session = await deps.lastSession(row.payer);
  const now = deps.clock.now();
  return timeAfter(session, row, now) <= now ? (session?.seen ?? noTurns) : undefined;
}

/** Returns the earliest time of the prompt, or of the next check while an event waits or the payer has a session open. */
async function promptTime(deps: PromptDeps, row: CollectionRow): Promise<{ at: EpochMs; seen: SeenTurns }> {
  const leftAt = await deps.screenSent(row);
  if (row.sessionId !== null && (await deps.hasWaitingEvent(row.sessionId)))
    return { at: deps.clock.now() + eventCheckMs, seen: noTurns };
  const session = await deps.lastSession(row.payer);
  const at = timeAfter(session, row, deps.clock.now(), leftAt);
  return { at, seen: session?.seen ?? noTurns };
}

/** Returns when the payer's phone is free, and the prompt delay over; of an open session, the time of the next check. */
function timeAfter(
  session: LastSession | undefined,
  { promptNotBefore, openedAt }: CollectionRow,
  now: EpochMs,
  leftAt = 0,
): EpochMs {
  if (session?.kind === 'open' && session.until > now) return Math.min(session.until, now + sessionCheckMs);
  // Also when a dialogue that began later has become idle: the phone may have got an END of another one meanwhile.
  return Math.max(leftAt, session?.endedAt ?? 0) + promptNotBefore - openedAt;
}
