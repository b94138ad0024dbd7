import { minute, second } from '../kit/clock.ts';
import type { Random } from '../kit/random.ts';
import { createFaults } from './faults.ts';
import type { Part } from './scene.ts';

/** The parties that can be blocked. Work that passes through a blocked party waits until it is freed. */
export const parties = ['create', 'initiate', 'status', 'webhook', 'database', 'payer'] as const;
export type Party = (typeof parties)[number];

export type BlockagesDeps = Part & {
  record(what: string): void;
};

/** Blocks several parties one by one and frees them in a different order, repeatedly, until `heal`. */
export function createBlockages({ scheduler, record, ...deps }: BlockagesDeps) {
  const random = deps.random.fork('blocked_parties');
  const faults = createFaults({ ...deps, random });
  const { of, isOn } = faults;
  const blocked = new Map<Party, { freed: Promise<void>; free(): void }>();

  function block(party: Party): void {
    const { promise: freed, resolve: free } = Promise.withResolvers<void>();
    blocked.set(party, { freed, free });
    faults.note('blocked_parties');
    record(`${party} is blocked`);
  }

  function free(party: Party): void {
    const found = blocked.get(party);
    if (!found) return;
    blocked.delete(party);
    found.free();
    record(`${party} is freed`);
  }

  async function round(): Promise<void> {
    const random = of('blocked_parties');
    const chosen = shuffled(random, parties).slice(0, random.int(3, parties.length));
    for (const party of chosen) {
      if (isOn('blocked_parties')) block(party);
      await scheduler.sleep(random.int(1, 20) * second);
    }
    for (const party of shuffled(random, chosen)) {
      free(party);
      await scheduler.sleep(random.int(1, 20) * second);
    }
  }

  function planRound(): void {
    scheduler.after(of('blocked_parties').int(5, 60) * minute, async () => {
      if (!isOn('blocked_parties')) return;
      await round();
      planRound();
    });
  }
  if (deps.has('blocked_parties')) planRound();

  return {
    /** Resolves as soon as the party is not blocked. */
    async pass(party: Party): Promise<void> {
      for (let found = blocked.get(party); found; found = blocked.get(party)) await found.freed;
    },
    /** Frees every party. No party is blocked again. */
    heal(): void {
      faults.heal();
      for (const party of [...blocked.keys()]) free(party);
    },
  };
}

function shuffled<T>(random: Random, list: readonly T[]): T[] {
  const rest = [...list];
  return list.flatMap(() => rest.splice(random.int(0, rest.length - 1), 1));
}
