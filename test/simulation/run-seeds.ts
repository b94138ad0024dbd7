import { type ChildProcess, fork } from 'node:child_process';
import { type World, worldOf } from './peer/peers.ts';
import type { Order, Played } from './seed-process.ts';

export type RunSeedsOptions = World & {
  seeds: Iterable<number>;
  days: number;
  processes: number;
  /** Called with each outcome. When it returns `false`, no further seed starts. */
  onPlayed(played: Played): boolean;
};

/** A process is replaced after this many seeds, which frees the memory of its crashed gateways. */
const seedsOfProcess = 400;

/** A seed takes a few seconds; after this time it counts as hung. */
const maxSeedMs = 300_000;

/** Plays seeds in several processes at once, until all are done or `onPlayed` returns `false`. */
export async function runSeeds({
  seeds,
  days,
  processes,
  onPlayed,
  ...world
}: RunSeedsOptions): Promise<void> {
  const left = seeds[Symbol.iterator]();
  let isRunning = true;

  function nextSeed(): number | undefined {
    if (!isRunning) return undefined;
    const { value, done } = left.next();
    return done ? undefined : value;
  }

  /** Plays one seed in a process. A process that dies or hangs counts as a violation. */
  function play(child: ChildProcess, order: Order): Promise<Played> {
    return new Promise((resolve) => {
      const plan = worldOf(world).planOf(order.seed, days);
      const fail = (what: string) =>
        resolve({ plan, hash: '', counts: {}, violations: [{ rule: 'crash', what, at: 0 }] });
      const onExit = (code: number | null, signal: string | null) => {
        clearTimeout(limit);
        fail(`the process ended with ${signal ?? code}`);
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
          child = fork(new URL('./seed-process.ts', import.meta.url));
        }
        if (child && !onPlayed(await play(child, { ...world, seed, days }))) isRunning = false;
      }
    } finally {
      if (child?.connected) child.disconnect();
    }
  }

  await Promise.all(Array.from({ length: processes }, work));
}
