import type { Chance } from './chance.ts';
import { openFaults } from './faults.ts';
import type { Feature } from './features.ts';
import type { World } from './world.ts';

/** A party that can be blocked: what passes through it waits until it is freed. */
export const parties = ['create', 'initiate', 'status', 'webhook', 'database', 'payer'] as const;
export type Party = (typeof parties)[number];

export type ClogsDeps = {
  world: World;
  chance: Chance;
  has(feature: Feature): boolean;
  tell(what: string): void;
  count(fault: string): void;
};

const second = 1000;
const minute = 60 * second;

/** Blocks several parties one by one and frees them in another order, again and again, until the faults end. */
export function createClogs({ world, tell, ...deps }: ClogsDeps) {
  const chance = deps.chance.fork('clogs');
  const faults = openFaults({ ...deps, chance });
  const { of, isOn } = faults;
  const blocked = new Map<Party, { freed: Promise<void>; free(): void }>();

  function block(party: Party): void {
    let free = () => {};
    const freed = new Promise<void>((resolve) => {
      free = resolve;
    });
    blocked.set(party, { freed, free });
    faults.note('clogs');
    tell(`${party} is blocked`);
  }

  function free(party: Party): void {
    const found = blocked.get(party);
    if (!found) return;
    blocked.delete(party);
    found.free();
    tell(`${party} is freed`);
  }

  async function round(): Promise<void> {
    const random = of('clogs');
    const chosen = shuffled(random, parties).slice(0, random.int(3, parties.length));
    for (const party of chosen) {
      if (isOn('clogs')) block(party);
      await world.sleep(random.int(1, 20) * second);
    }
    for (const party of shuffled(random, chosen)) {
      free(party);
      await world.sleep(random.int(1, 20) * second);
    }
  }

  function planRound(): void {
    world.after(of('clogs').int(5, 60) * minute, async () => {
      if (!isOn('clogs')) return;
      await round();
      planRound();
    });
  }
  if (deps.has('clogs')) planRound();

  return {
    /** Resolves when the party is not blocked. */
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

function shuffled<T>(chance: Chance, list: readonly T[]): T[] {
  const rest = [...list];
  return list.flatMap(() => rest.splice(chance.int(0, rest.length - 1), 1));
}
