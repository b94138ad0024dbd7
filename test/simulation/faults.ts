import type { Chance } from './chance.ts';
import type { Feature } from './features.ts';

export type FaultDeps = {
  chance: Chance;
  has(feature: Feature): boolean;
  /** A fault befell somebody. */
  count(fault: string): void;
};

/**
 * Whether something goes wrong now. Each feature has a chance of its own, for whether and for how: one that is turned
 * off moves no throw of the others, so that a history can be shrunk.
 */
export function openFaults({ chance, has, count }: FaultDeps) {
  const chances = new Map<Feature, Chance>();
  let healed = false;

  function of(feature: Feature): Chance {
    const own = chances.get(feature) ?? chance.fork(feature);
    chances.set(feature, own);
    return own;
  }

  /** Whether it may go wrong at all, now. */
  const isOn = (feature: Feature) => !healed && has(feature);

  /** Counts what a feature did, where no throw decides it. */
  const note = (feature: Feature) => count(`fault ${feature}`);

  return {
    of,
    isOn,
    note,
    may(feature: Feature, probability: number): boolean {
      const does = isOn(feature) && of(feature).happens(probability);
      if (does) note(feature);
      return does;
    },
    /** From now on nothing goes wrong. */
    heal(): void {
      healed = true;
    },
  };
}

export type Faults = ReturnType<typeof openFaults>;
