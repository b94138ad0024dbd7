import { type Clock, monotonicMs } from '../../../shared/clock.ts';

/** Longer than a request that was lost may still be on its way. */
const rememberedMs = 10 * 60_000;

export type SendTimes = ReturnType<typeof createSendTimes>;

/**
 * How long ago this process sent each initiate, at the machine's even pace: a clock that is set forward makes none of
 * them older than it is.
 */
export function createSendTimes(clock: Pick<Clock, 'now' | 'monotonic'>) {
  const sent = new Map<string, number>();
  return {
    note(id: string): void {
      const now = monotonicMs(clock);
      for (const [oldest, at] of sent) {
        if (now - at < rememberedMs) break;
        sent.delete(oldest);
      }
      sent.delete(id);
      sent.set(id, now);
    },
    /** In milliseconds, since the last time; `undefined` when another process sent it, or this one long ago. */
    agoMs(id: string): number | undefined {
      const at = sent.get(id);
      return at === undefined ? undefined : monotonicMs(clock) - at;
    },
  };
}
