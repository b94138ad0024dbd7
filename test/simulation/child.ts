import { type PeerName, peers } from './peer/peers.ts';
import type { Outcome } from './scene.ts';

/*
 * Plays seeds for whoever started this process: one number in, one outcome out. A history is only sent where it is
 * needed, for most of them hold nothing but what should be.
 */

export type Order = { seed: number; days: number; peer: PeerName };
export type Played = Omit<Outcome, 'history'> & { history?: readonly string[] };

process.on('message', async ({ seed, days, peer }: Order) => {
  const { planOf, run } = peers[peer];
  const { history, ...outcome } = await run(planOf(seed, days));
  process.send?.(outcome.violations.length > 0 ? { ...outcome, history } : outcome);
});
