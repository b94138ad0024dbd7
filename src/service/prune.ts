import type { Store } from '../db/store.ts';
import type { Clock, EpochMs } from '../shared/clock.ts';
import type { EventStore } from './event/event-store.ts';
import type { IdempotencyStore } from './idempotency/idempotency-store.ts';

/** Events that are no longer sent stay readable for this time. */
const eventLifeMs = 90 * 24 * 3_600_000;

/** Pruning may lag by this much, so that it works in batches and not row by row. */
const slackMs = 60_000;

const batch = 500;

/** Drops what has outlived its use. One bounded round; resolves with the time of the next. */
export function prune(deps: {
  store: Store;
  answers: IdempotencyStore;
  events: EventStore;
  clock: Clock;
  keyLifeMs: number;
}) {
  const { store, answers, events, clock, keyLifeMs } = deps;
  return async (): Promise<EpochMs | undefined> => {
    const now = clock.now();
    await store.apply([answers.prune(now - keyLifeMs, batch), events.prune(now - eventLifeMs, batch)]);
    const [answer, event] = await Promise.all([answers.oldest(), events.oldestClosed()]);
    const next = Math.min(
      answer === undefined ? Number.POSITIVE_INFINITY : answer + keyLifeMs + slackMs,
      event === undefined ? Number.POSITIVE_INFINITY : event + eventLifeMs + slackMs,
    );
    return next === Number.POSITIVE_INFINITY ? undefined : next;
  };
}
