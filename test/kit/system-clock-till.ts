import { systemClock } from '../../src/shared/clock.ts';
import { createTill, type Till, type TillOptions } from './till.ts';

const day = 24 * 60 * 60_000;

/** Creates a till whose gateway runs on a system clock. `set` moves that clock ahead of the service's clock by `aheadMs`. */
export async function createTillOnSystemClock(
  options: TillOptions = {},
): Promise<{ till: Till; set(aheadMs: number): void }> {
  let aheadMs = 0;
  const till = await createTill({
    service: { rail: { promptLifetimeMs: 2 * day }, session: { longStopMs: 4 * day } },
    ...options,
    overrides: (clock) => {
      // Timers of a real machine ignore changes of its clock.
      const machine = systemClock(() => clock.now() + aheadMs, clock.now);
      return { clock: { ...machine, sleep: clock.sleep }, maxIdleMs: 1_000 };
    },
  });
  return {
    till,
    set(ms) {
      aheadMs = ms;
    },
  };
}
