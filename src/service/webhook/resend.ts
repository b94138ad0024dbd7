import type { Clock, EpochMs } from '../../shared/clock.ts';
import type { Store } from '../../sqlite/store.ts';
import { type ApiError, apiError } from '../api-error.ts';
import type { Event, EventStore } from '../event/event-store.ts';
import { type ExtraWrites, noExtraWrites } from '../extra-writes.ts';

/**
 * Schedules an event again in any state, with the same identifier and body, and restarts its retry schedule. An attempt
 * in flight does not count as the resend.
 *
 * Returns `event_not_found` for an unknown event.
 */
export function resendEvent(deps: {
  store: Store;
  events: EventStore;
  clock: Clock;
  /** Schedules a round of deliveries. */
  wake(at: EpochMs): void;
}) {
  const { store, events, clock } = deps;
  return async (
    id: string,
    extraWrites: ExtraWrites<Event> = noExtraWrites,
  ): Promise<{ kind: 'event'; event: Event } | ApiError> => {
    const found = await events.findAny(id);
    if (!found) return apiError('event_not_found');
    const now = clock.now();
    const event: Event = { ...found, state: 'waiting', nextAt: now, tries: 0 };
    if (!(await store.apply([events.resend(id, now), ...extraWrites(event)])))
      return apiError('event_not_found');
    deps.wake(now);
    return { kind: 'event', event };
  };
}
