import { createRandom } from '../../kit/random.ts';
import { pickSeveralFeatures } from '../features.ts';
import { drawPlan, inFolder } from '../phases.ts';
import { play } from '../run.ts';
import type { Outcome, Plan } from '../scene.ts';
import { createGateways } from './gateways.ts';
import type { SeveralLimits } from './limits.ts';

/** So low that a crowd reaches them. Where a merchant has no low limit, the crowd's calls reach the rate of its key. */
function limitsOf(seed: number): SeveralLimits {
  const random = createRandom(`limits ${seed}`);
  return {
    merchant: { perMinute: random.pick([3, 60]) },
    dialler: { perHour: 4 },
    payer: { perHour: 3 },
    // Of two requests at two merchants at once, one reaches the lower limit.
    requests: { payer: { perHour: random.pick([1, 2]) }, dialler: { perHour: 3 } },
  };
}

/** Longer than the time in which most repeated requests come. */
const promptDelaysSeconds: [number, ...number[]] = [4, 4, 1.5];

/** So low that the calls of a crowd reach the rate of a key. */
const callsPerSecond: [number, ...number[]] = [1, 20];

/** Plays seeds with several gateways on one database server, against the oracle. */
export function severalGateways(gateways: number) {
  return {
    planOf: (seed: number, days: number): Plan => drawPlan('several', pickSeveralFeatures, seed, days),
    run: (plan: Plan): Promise<Outcome> =>
      inFolder('several', (folder) =>
        play(plan, folder, {
          several: {
            gateways,
            limits: limitsOf(plan.seed),
            ...{ promptDelaysSeconds, callsPerSecond },
            create: (deps) => createGateways(deps, gateways),
          },
        }),
      ),
  };
}
