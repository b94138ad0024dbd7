import type { Clock, EpochMs } from '../shared/clock.ts';
import type { Store } from '../sqlite/store.ts';
import type { EventStore } from './event/event-store.ts';
import type { IdempotencyStore } from './idempotency/idempotency-store.ts';
import type { OtpStore } from './otp/otp-store.ts';

/** Events that are no longer sent stay readable for this time. */
const eventLifeMs = 90 * 24 * 3_600_000;

/** OTP requests that have long run out are told apart from unknown ones for this time. */
const otpLifeMs = 7 * 24 * 3_600_000;

/** Pruning may lag by this much, so that it works in batches and not row by row. */
const slackMs = 60_000;

const batch = 500;

/** Drops what has outlived its use. One bounded round; resolves with the time of the next. */
export function createPruning(deps: {
  store: Store;
  savedResponses: IdempotencyStore;
  events: EventStore;
  otps: OtpStore;
  clock: Clock;
  idempotencyKeyLifetimeMs: number;
}) {
  const { store, savedResponses, events, otps, clock, idempotencyKeyLifetimeMs } = deps;
  return async (): Promise<EpochMs | undefined> => {
    const now = clock.now();
    await store.apply([
      savedResponses.prune(now - idempotencyKeyLifetimeMs, batch),
      ...events.prune(now - eventLifeMs, batch),
      otps.prune(now - otpLifeMs, batch),
    ]);
    const [answer, event, otp] = await Promise.all([
      savedResponses.oldest(),
      events.oldestClosed(),
      otps.oldest(),
    ]);
    const next = Math.min(
      answer === undefined ? Number.POSITIVE_INFINITY : answer + idempotencyKeyLifetimeMs + slackMs,
      event === undefined ? Number.POSITIVE_INFINITY : event + eventLifeMs + slackMs,
      otp === undefined ? Number.POSITIVE_INFINITY : otp + otpLifeMs + slackMs,
    );
    return next === Number.POSITIVE_INFINITY ? undefined : next;
  };
}
