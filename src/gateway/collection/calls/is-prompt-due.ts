import type { EpochMs } from '../../../shared/clock.ts';
import type { CollectionRow } from '../collection.ts';
import type { Claimed, SubmitDeps } from './submit-deps.ts';

/** A longer wait gives the claim back, so that waiting payers do not occupy the worker. */
const maxSleepMs = 500;

/** Time until the next check while an event of the session waits. */
const eventCheckMs = 250;

/** Time until the next check while the payer is in a dialogue. */
const sessionCheckMs = 2_000;

/**
 * Returns whether the prompt may be requested now: the prompt delay has passed since the END screen left, the payer has no
 * USSD session open, and no event of the payment session waits. Waits a short time; otherwise postpones the collection and returns false. The wait ends at the
 * prompt deadline.
 */
export async function isPromptDue(deps: SubmitDeps, { row, fence }: Claimed): Promise<boolean> {
  const { clock } = deps;
  for (;;) {
    const dueAt = Math.min(await promptTime(deps, row), row.promptDeadline);
    const now = clock.now();
    if (dueAt <= now && (await isAtHome(deps, row))) return true;
    if (dueAt <= now || dueAt - now > maxSleepMs) {
      await deps.collections.postpone({ id: row.id, fence, nextAt: dueAt });
      deps.onPostponed?.(row.merchantId);
      return false;
    }
    // Meanwhile the END screen may have been sent again, and the payer may have dialled.
    await clock.sleep(dueAt - now);
  }
}

/** Returns false when another gateway has sent the END screen again since the claim: it knows when that reply has left. */
async function isAtHome({ collections, home = null }: SubmitDeps, { id }: CollectionRow): Promise<boolean> {
  return home === null || (await collections.find(id))?.home === home;
}

/** Returns the earliest time of the prompt, or of the next check while an event waits or the payer has a session open. */
async function promptTime(deps: SubmitDeps, row: CollectionRow): Promise<EpochMs> {
  const leftAt = await deps.screenSent(row);
  if (row.sessionId !== null && (await deps.hasWaitingEvent(row.sessionId)))
    return deps.clock.now() + eventCheckMs;
  const session = await deps.lastSession(row.payer);
  const now = deps.clock.now();
  if (session?.kind === 'open' && session.until > now) return Math.min(session.until, now + sessionCheckMs);
  const endedAt = session?.kind === 'ended' ? session.at : 0;
  return Math.max(leftAt, endedAt) + row.promptNotBefore - row.openedAt;
}
