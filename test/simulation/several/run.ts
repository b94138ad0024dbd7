import { pickSeveralFeatures } from '../features.ts';
import { drawPlan, inFolder } from '../phases.ts';
import { play } from '../run.ts';
import type { Outcome, Plan } from '../scene.ts';
import { createGateways } from './gateways.ts';
import type { SeveralLimits } from './limits.ts';

/** So low that a rush reaches them. */
const limits: SeveralLimits = {
  merchant: { perMinute: 3 },
  dialler: { perHour: 4 },
  payer: { perHour: 3 },
  requests: { payer: { perHour: 2 }, dialler: { perHour: 3 } },
};

/** Longer than the time in which most repeated requests come. */
const promptDelaysSeconds: [number, ...number[]] = [4, 4, 1.5];

/** Plays seeds with several gateways on one database server, against the oracle. */
export function severalGateways(gateways: number) {
  return {
    planOf: (seed: number, days: number): Plan => drawPlan('several', pickSeveralFeatures, seed, days),
    run: (plan: Plan): Promise<Outcome> =>
      inFolder('several', (folder) =>
        play(plan, folder, {
          several: {
            gateways,
            limits,
            promptDelaysSeconds,
            create: (deps) => createGateways(deps, gateways),
          },
        }),
      ),
  };
}
