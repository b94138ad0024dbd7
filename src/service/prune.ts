import type { EpochMs } from '../shared/clock.ts';
import type { ServiceContext } from './context.ts';

/** How long events that are no longer sent can be read. */
const eventRetentionMs = 90 * 24 * 3_600_000;

/** How long an expired OTP request is distinguished from an unknown one. */
const otpRetentionMs = 7 * 24 * 3_600_000;

/** Delay after the end of a retention time, so that a round deletes many rows and not one. */
const delayMs = 60_000;

/** Upper bound of the rows that a round deletes from each table. */
const batchSize = 500;

/** Creates the deletion of rows after their retention time. A round is bounded and resolves with the next time; undefined without one. */
export function createPruning(
  deps: Pick<ServiceContext, 'store' | 'savedResponses' | 'events' | 'otps' | 'clock'> & {
    idempotencyKeyLifetimeMs: number;
  },
) {
  const { store, savedResponses, events, otps, clock, idempotencyKeyLifetimeMs } = deps;
  const tables = [
    {
      retentionMs: idempotencyKeyLifetimeMs,
      prune: (before: EpochMs) => [savedResponses.prune(before, batchSize)],
      oldest: savedResponses.oldest,
    },
    {
      retentionMs: eventRetentionMs,
      prune: (before: EpochMs) => events.prune(before, batchSize),
      oldest: events.oldestClosed,
    },
    {
      retentionMs: otpRetentionMs,
      prune: (before: EpochMs) => [otps.prune(before, batchSize)],
      oldest: otps.oldest,
    },
  ];
  return async (): Promise<EpochMs | undefined> => {
    const now = clock.now();
    await store.apply(tables.flatMap(({ prune, retentionMs }) => prune(now - retentionMs)));
    const dueTimes = await Promise.all(
      tables.map(async ({ oldest, retentionMs }) => {
        const at = await oldest();
        return at === undefined ? [] : [at + retentionMs + delayMs];
      }),
    );
    const next = Math.min(...dueTimes.flat());
    return next === Number.POSITIVE_INFINITY ? undefined : next;
  };
}
