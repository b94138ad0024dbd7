import type { Random } from '../kit/random.ts';
import type { Feature } from './features.ts';
import type { Scheduler } from './scheduler.ts';

export type FaultDeps = {
  random: Random;
  has(feature: Feature): boolean;
  /** Counts a fault that occurred. */
  count(fault: string): void;
};

/**
 * Decides whether a fault occurs. Each feature has its own random source, so that disabling one feature does not
 * change the others, and a history can be shrunk.
 */
export function createFaults({ random, has, count }: FaultDeps) {
  const randoms = new Map<Feature, Random>();
  let healed = false;

  function of(feature: Feature): Random {
    const own = randoms.get(feature) ?? random.fork(feature);
    randoms.set(feature, own);
    return own;
  }

  /** Whether the fault can occur now. */
  const isOn = (feature: Feature) => !healed && has(feature);

  /** Counts a fault that occurs without a random decision. */
  const note = (feature: Feature) => count(`fault ${feature}`);

  return {
    of,
    isOn,
    note,
    may(feature: Feature, probability: number): boolean {
      const happens = isOn(feature) && of(feature).happens(probability);
      if (happens) note(feature);
      return happens;
    },
    /** Returns a function that repeats a fault of the feature at random intervals until `heal`, whenever `strikes` allows it. */
    repeats(scheduler: Pick<Scheduler, 'after'>, strikes: () => boolean) {
      return (feature: Feature, minMs: number, maxMs: number, work: (own: Random) => void): void => {
        if (!has(feature)) return;
        const next = () =>
          scheduler.after(of(feature).int(minMs, maxMs), () => {
            if (!isOn(feature)) return;
            if (strikes()) work(of(feature));
            next();
          });
        next();
      };
    },
    /** Ends all faults. */
    heal(): void {
      healed = true;
    },
  };
}

export type Faults = ReturnType<typeof createFaults>;
