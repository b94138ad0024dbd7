import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createRandom, type Random } from '../kit/random.ts';
import type { Feature } from './features.ts';
import { scratch } from './files.ts';
import { hour, maxPayers, minute, type Outcome, type Plan, type Scene, settleHours, start } from './scene.ts';

/** Draws the plan of a seed. `name` names the random source; `pick` selects the features. */
export function drawPlan(
  name: string,
  pick: (random: Random) => Feature[],
  seed: number,
  days: number,
): Plan {
  const random = createRandom(`${name} ${seed}`);
  return {
    seed,
    hours: Math.max(1, Math.round(24 * days)),
    features: pick(random),
    payers: random.int(1, maxPayers),
    visits: random.int(3, 16),
  };
}

/** Reads the ledger of a run before it is deleted. */
export type OnLedger = (file: string) => Promise<void>;

/** Plays a plan in a temporary folder. */
export async function inFolder(
  name: string,
  play: (folder: string) => Promise<Outcome>,
  onLedger: OnLedger = async () => {},
): Promise<Outcome> {
  const folder = mkdtempSync(join(scratch(), `${name}-`));
  try {
    const outcome = await play(folder);
    await onLedger(join(folder, 'gateway.db'));
    return outcome;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export type Phases = {
  begin(): void;
  /** Advances the time to `until` and checks every step. */
  pass(until: number): Promise<void>;
  /** Ends all faults. */
  heal(): void;
  /** Whether no work is left. */
  isSettled(): boolean;
  /** Checks the final state. */
  settle(): void;
  /** The time between two questions whether work is left; one hour by default. */
  settleStepMs?: number;
  /** Stops the programs. */
  end(): Promise<void>;
};

/** Plays a scene to its end: first with faults, then without, until no work is left. */
export async function playOut({ plan, scheduler, history, play }: Scene, phases: Phases): Promise<void> {
  const { pass, settleStepMs = hour } = phases;
  await play(async () => {
    phases.begin();
    await pass(start + plan.hours * hour);
    phases.heal();
    history.record('faults', 'end');
    const isOver = () => scheduler.now() >= start + (plan.hours + settleHours) * hour;
    do {
      do await pass(scheduler.now() + settleStepMs);
      while (!phases.isSettled() && !isOver());
      // A machine that stopped at the very end restarts within a minute. Meanwhile a person can make new work.
      await pass(scheduler.now() + 2 * minute);
    } while (!phases.isSettled() && !isOver());
    phases.settle();
    await phases.end();
  });
}
