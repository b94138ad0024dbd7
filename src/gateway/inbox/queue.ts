import { messageOf } from '../../shared/errors.ts';
import { traced } from '../../shared/tracing.ts';
import type { Queue } from '../worker/queue.ts';
import { type HandleEventDeps, handleEvent } from './handle-event.ts';
import { type InboxRow, inboxWrites, maxRetryDelayMs } from './inbox-store.ts';

/** Number of failed attempts after which an event is dead-lettered, so that it does not delay other events. */
const maxAttempts = 25;
/** A claim whose answer was lost delays its event for no longer than that of a collection. */
const maxLeaseMs = 30_000;

/** Returns the queue of stored events, oldest first. */
export function inboxQueue(deps: HandleEventDeps, options: { livemode: 0 | 1; leaseMs: number }): Queue {
  const { livemode } = options;
  const leaseMs = Math.min(maxLeaseMs, options.leaseMs);
  async function run(row: InboxRow): Promise<void> {
    try {
      const attributes = { 'dialtill.merchant': row.merchantId, 'dialtill.event_type': row.type };
      await traced('event', { attributes }, () => handleEvent(deps, row));
    } catch (fault) {
      // The hint was promoted to an event meanwhile: it is due again, and this failure was of the hint.
      if ((await deps.inbox.find(row))?.stale !== row.stale) return;
      const attempts = row.attempts + 1;
      const isDead = attempts >= maxAttempts;
      deps.log.error(
        {
          event: row.eventId,
          attempts,
          dead: isDead,
          ...(isDead ? { alarm: 'event_dead_lettered' } : {}),
          fault: messageOf(fault),
        },
        isDead
          ? 'an event was dead-lettered: its handling failed too often'
          : 'the handling of an event failed and will be retried',
      );
      const retryAt = deps.clock.now() + Math.min(maxRetryDelayMs, 500 * 2 ** attempts);
      await deps.inbox.apply(isDead ? inboxWrites.finish(row, 'dead') : inboxWrites.postpone(row, retryAt));
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
