import { type World, worldOf } from './peer/peers.ts';
import type { Outcome } from './scene.ts';

/*
 * Plays seeds for the parent process: it receives one order per seed and sends one outcome. The history is sent
 * only with a violation.
 */

export type Order = World & { seed: number; days: number };
export type Played = Omit<Outcome, 'history'> & { history?: readonly string[] };

process.on('message', async ({ seed, days, ...world }: Order) => {
  const { planOf, run } = worldOf(world);
  const { history, ...outcome } = await run(planOf(seed, days));
  process.send?.(outcome.violations.length > 0 ? { ...outcome, history } : outcome);
});
