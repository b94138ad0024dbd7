import type { Random } from '../kit/random.ts';
import type { Feature } from './features.ts';

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
    /** Ends all faults. */
    heal(): void {
      healed = true;
    },
  };
}

export type Faults = ReturnType<typeof createFaults>;
