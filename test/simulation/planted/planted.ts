import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { run } from '../../kit/launch.ts';
import { type RuleBug as Bug, copyProject, plant } from '../../kit/plant.ts';
import { bugs } from './bugs.ts';
import { peerBugs } from './peer-bugs.ts';
import { severalBugs } from './several-bugs.ts';

/*
 * Plants each bug in a copy of the program and plays seeds until the simulation finds it. Prints the number of
 * seeds. Exits with 1 when a bug is not found or cannot be planted, and when the copy breaks an invariant without a bug: every
 * bug would then seem to be found.
 */

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '400' },
    days: { type: 'string', default: '0.25' },
    peer: { type: 'string', default: 'oracle' },
    gateways: { type: 'string', default: '1' },
    only: { type: 'string' },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

const help = `Plants bugs in a copy of the program and lets the simulation find them.

  npm run simulate:planted -- [--seeds <n>] [--days <n>] [--peer oracle|service] [--gateways <n>] [--only <part of a name>] [--json]

The copy without a bug must play its first seeds without a fault. The simulation must find each bug within --seeds (400) seeds of --days (0.25) days. With --peer service the bugs are
in the service, which then replaces the oracle. With --gateways 3 they are between several gateways on one database.`;

const planted: Readonly<Record<string, readonly Bug[]>> = { oracle: bugs, service: peerBugs };
const plantedIn = Number(values.gateways) > 1 ? severalBugs : planted[values.peer];

const root = fileURLToPath(new URL('../../../', import.meta.url));

/** Seeds that the copy without a bug plays. Most bugs are found within a few. */
const soundSeeds = String(Math.min(20, Number(values.seeds)));

type Result = Bug & { seed: number | null; brokenRule: string | null; seconds: number };

type Outcome = { seed: number | null; rule: string | null };

/** Runs the simulation of that copy. Resolves with the first seed that broke an invariant. */
async function simulate(folder: string, seeds = values.seeds): Promise<Outcome> {
  const { days, peer, gateways } = values;
  const options = ['--seeds', seeds, '--days', days, '--peer', peer, '--gateways', gateways];
  const simulation = [process.execPath, '--import', 'tsx', 'test/simulation/simulate.ts'] as const;
  const { code, stdout, stderr } = await run(simulation, ['--json', ...options], folder);
  if (code !== 0 && code !== 1) throw new Error(`the simulation ended with ${code}: ${stderr}`);
  return JSON.parse(stdout) as Outcome;
}

async function findBug(bug: Bug, folder: string): Promise<Result> {
  const startedAt = performance.now();
  const restore = plant(bug, folder);
  try {
    const { seed, rule } = await simulate(folder);
    return { ...bug, seed, brokenRule: rule, seconds: Math.round((performance.now() - startedAt) / 1000) };
  } finally {
    restore();
  }
}

/** @throws Error when the simulation finds something in the copy without a bug. */
async function expectSound(folder: string): Promise<void> {
  const { seed, rule } = await simulate(folder, soundSeeds);
  if (seed !== null) throw new Error(`without a bug, seed ${seed} broke ${rule}: no bug can be found here`);
}

async function findAll(chosen: readonly Bug[]): Promise<Result[]> {
  const { folder, remove } = copyProject(root);
  const results: Result[] = [];
  try {
    await expectSound(folder);
    for (const bug of chosen) {
      const one = await findBug(bug, folder);
      results.push(one);
      const found = one.seed === null ? 'NOT FOUND' : `seed ${one.seed}, by ${one.brokenRule}`;
      if (!values.json) process.stdout.write(`| ${bug.rule} | ${bug.name} | ${found} | ${one.seconds} s |\n`);
    }
    return results;
  } finally {
    remove();
  }
}

if (values.help) {
  process.stdout.write(`${help}\n`);
} else {
  const chosen = (plantedIn ?? []).filter(({ name }) => name.includes(values.only ?? ''));
  const results = await findAll(chosen);
  if (values.json) process.stdout.write(`${JSON.stringify(results)}\n`);
  const missed = results.filter(({ seed }) => seed === null);
  if (!values.json)
    process.stdout.write(`${results.length - missed.length} of ${results.length} bugs were found\n`);
  process.exitCode = missed.length === 0 && results.length > 0 ? 0 : 1;
}
