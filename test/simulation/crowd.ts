import { type ChildProcess, fork } from 'node:child_process';
import type { Order, Played } from './child.ts';
import { type PeerName, peers } from './peer/peers.ts';

export type CrowdOptions = {
  seeds: Iterable<number>;
  days: number;
  peer: PeerName;
  processes: number;
  /** Told of each outcome; once it returns false, no further seed is begun. */
  onPlayed(played: Played): boolean;
};

/** Seeds after which a process is replaced by a new one: what the dead of its crashes left in memory goes with it. */
const seedsOfProcess = 400;

/** A seed takes a second or two; one that takes this long hangs. */
const maxSeedMs = 300_000;

/** Plays many seeds in several processes at once, until all are done or one broke something. */
export async function playAll({ seeds, days, peer, processes, onPlayed }: CrowdOptions): Promise<void> {
  const left = seeds[Symbol.iterator]();
  let goesOn = true;

  function nextSeed(): number | undefined {
    if (!goesOn) return undefined;
    const { value, done } = left.next();
    return done ? undefined : value;
  }

  /** A process that dies or hangs breaks an invariant as well: nobody is left to keep it. */
  function play(child: ChildProcess, order: Order): Promise<Played> {
    return new Promise((resolve) => {
      const plan = peers[peer].planOf(order.seed, days);
      const fallen = (what: string) =>
        resolve({ plan, hash: '', counts: {}, violations: [{ rule: 'crash', what, at: 0 }] });
      const onExit = (code: number | null, signal: string | null) => {
        clearTimeout(limit);
        fallen(`the process ended with ${signal ?? code}`);
      };
      const limit = setTimeout(() => child.kill('SIGKILL'), maxSeedMs);
      child.once('exit', onExit);
      child.once('message', (played) => {
        clearTimeout(limit);
        child.off('exit', onExit);
        resolve(played as Played);
      });
      child.send(order);
    });
  }

  async function work(): Promise<void> {
    let child: ChildProcess | undefined;
    let played = 0;
    try {
      for (let seed = nextSeed(); seed !== undefined; seed = nextSeed()) {
        if (played++ % seedsOfProcess === 0) {
          if (child?.connected) child.disconnect();
          child = fork(new URL('./child.ts', import.meta.url));
        }
        if (child && !onPlayed(await play(child, { seed, days, peer }))) goesOn = false;
      }
    } finally {
      if (child?.connected) child.disconnect();
    }
  }

  await Promise.all(Array.from({ length: processes }, work));
}
