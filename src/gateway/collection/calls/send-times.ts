import { type Clock, monotonicMs } from '../../../shared/clock.ts';

/** Longer than a lost request can stay in the network. */
const rememberedMs = 10 * 60_000;

export type SendTimes = ReturnType<typeof createSendTimes>;

/**
 * Remembers when this process sent each initiate, on the monotonic clock: a jump of the system clock makes no send look
 * older than it is.
 */
export function createSendTimes(clock: Pick<Clock, 'now' | 'monotonic'>) {
  const sentAt = new Map<string, number>();
  return {
    record(id: string): void {
      const now = monotonicMs(clock);
      for (const [oldest, at] of sentAt) {
        if (now - at < rememberedMs) break;
        sentAt.delete(oldest);
      }
      sentAt.delete(id);
      sentAt.set(id, now);
    },
    /** Returns the milliseconds since the last send; `undefined` for a send of another process or long ago. */
    elapsedMs(id: string): number | undefined {
      const at = sentAt.get(id);
      return at === undefined ? undefined : monotonicMs(clock) - at;
    },
  };
}
