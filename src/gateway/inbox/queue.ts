import { messageOf } from '../../shared/errors.ts';
import type { Queue } from '../worker/queue.ts';
import { type HandleEventDeps, handleEvent } from './handle-event.ts';
import { type InboxRow, inboxWrites, maxRetryDelayMs } from './inbox-store.ts';

/** An event whose handling fails this often is set aside, so that it cannot hold up the others. */
const maxAttempts = 25;
const leaseMs = 30_000;

/** Stored events as a queue, oldest first. */
export function inboxQueue(deps: HandleEventDeps, livemode: 0 | 1): Queue {
  async function run(row: InboxRow): Promise<void> {
    try {
      await handleEvent(deps, row);
    } catch (fault) {
      // It has come in time meanwhile, is due again, and is no longer what was read.
      if ((await deps.inbox.find(row))?.stale !== row.stale) return;
      const attempts = row.attempts + 1;
      const dead = attempts >= maxAttempts;
      deps.log.error(
        {
          event: row.eventId,
          attempts,
          dead,
          ...(dead ? { alarm: 'event_set_aside' } : {}),
          fault: messageOf(fault),
        },
        'an event could not be handled',
      );
      const later = deps.clock.now() + Math.min(maxRetryDelayMs, 500 * 2 ** attempts);
      await deps.inbox.apply(dead ? inboxWrites.finish(row, 'dead') : inboxWrites.postpone(row, later));
    }
  }
  return {
    name: 'inbox',
    async claim(now, limit) {
      const due = await deps.inbox.listDue({ now, livemode, limit });
      const claims = await Promise.all(due.map((row) => deps.inbox.claim(row, now, now + leaseMs)));
      return due.filter((_, index) => claims[index]).map((row) => () => run(row));
    },
    nextDueAt: () => deps.inbox.nextDueAt(livemode),
  };
}
