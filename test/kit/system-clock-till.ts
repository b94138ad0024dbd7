import { systemClock } from '../../src/shared/clock.ts';
import { createTill, type Till, type TillOptions } from './till.ts';

const day = 24 * 60 * 60_000;

/** A till whose gateway runs on a machine's clock that `set` sets: by so much beside the service's, from then on. */
export async function createTillOnSystemClock(
  options: TillOptions = {},
): Promise<{ till: Till; set(aheadMs: number): void }> {
  let aheadMs = 0;
  const till = await createTill({
    service: { rail: { promptLifetimeMs: 2 * day } },
    ...options,
    overrides: (clock) => {
      // Sleeps are measured by the machine's own pace, as timers are.
      const machine = systemClock(() => clock.now() + aheadMs, clock.now);
      return { clock: { ...machine, sleep: clock.sleep } };
    },
  });
  return {
    till,
    set(ms) {
      aheadMs = ms;
    },
  };
}
