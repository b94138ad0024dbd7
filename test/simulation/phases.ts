import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Chance, chanceOf } from './chance.ts';
import type { Feature } from './features.ts';
import { scratch } from './files.ts';
import { hour, maxPayers, minute, type Outcome, type Plan, type Scene, settleHours, start } from './scene.ts';

/** What one seed stands for, where features are picked that way. `name` is that of the plan's chance. */
export function drawPlan(
  name: string,
  pick: (chance: Chance) => Feature[],
  seed: number,
  days: number,
): Plan {
  const chance = chanceOf(`${name} ${seed}`);
  return {
    seed,
    hours: Math.max(1, Math.round(24 * days)),
    features: pick(chance),
    payers: chance.int(1, maxPayers),
    visits: chance.int(3, 16),
  };
}

/** Plays a plan in a folder of its own, which is gone afterwards. */
export async function inFolder(name: string, play: (folder: string) => Promise<Outcome>): Promise<Outcome> {
  const folder = mkdtempSync(join(scratch(), `${name}-`));
  try {
    return await play(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export type Phases = {
  begin(): void;
  /** Lets time pass until then, and looks at what happens. */
  pass(until: number): Promise<void>;
  /** Ends all faults. */
  heal(): void;
  /** Whether nothing is left to be done. */
  isQuiet(): boolean;
  /** Looks at what came of it all. */
  settle(): void;
  /** Ends what was begun. */
  end(): Promise<void>;
};

/** Plays a scene to its end: first with its faults, then without, until all is quiet. */
export async function playOut({ plan, world, history, play }: Scene, phases: Phases): Promise<void> {
  const { pass } = phases;
  await play(async () => {
    phases.begin();
    await pass(start + plan.hours * hour);
    phases.heal();
    history.tell('world', 'is healed');
    do await pass(world.now() + hour);
    while (!phases.isQuiet() && world.now() < start + (plan.hours + settleHours) * hour);
    // A machine that fell at the very end is a minute away at most.
    await pass(world.now() + 2 * minute);
    phases.settle();
    await phases.end();
  });
}
