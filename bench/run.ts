import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpus } from 'node:os';
import { fileURLToPath } from 'node:url';
import {
  type Collections,
  type Figure,
  figuresOf,
  type Outputs,
  type Scale,
  type Sessions,
  type TurnLatency,
  type Turns,
} from './figures.ts';

export type Results = { machine: { cores: number; node: string }; figures: Figure[]; outputs: Outputs };

/** The sizes of the run: `quick` is for `bench:check`. */
export type Sizes = { rounds: number; collections: number; dialogues: number };

/** Runs a benchmark in a process of its own, and returns the JSON that it prints. */
async function run(program: string, args: readonly string[]): Promise<unknown> {
  process.stderr.write(`${program} ${args.join(' ')}\n`);
  const file = fileURLToPath(new URL(program, import.meta.url));
  const child = spawn(process.execPath, ['--import', 'tsx', file, ...args, '--json'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let out = '';
  child.stdout.on('data', (chunk) => {
    out += chunk;
  });
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`${program} ended with ${code}`);
  return JSON.parse(out.slice(out.indexOf('{')));
}

/** Runs all benchmarks, one after another. */
export async function runAll({ rounds, collections, dialogues }: Sizes): Promise<Results> {
  const of = ['--rounds', String(rounds)];
  const ussd = (await run('./ussd/main.ts', [...of, '--only', 'africastalking'])) as {
    lanes: (Turns & { name: string })[];
  };
  const turns = ussd.lanes.find(({ name }) => name === 'africastalking');
  if (!turns) throw new Error('bench/ussd measured no turns of africastalking');
  const outputs: Outputs = {
    turns,
    collections: (await run('./collection/main.ts', of)) as Collections,
    latency: (await run('./latency/main.ts', of)) as TurnLatency,
    sessions: ((await run('./service/main.ts', [...of, '--ways', 'magic'])) as { magic: Sessions }).magic,
    scale: (await run('./scale/main.ts', [
      ...['--collections', String(collections), '--dialogues', String(dialogues)],
      ...['--runs', String(rounds)],
    ])) as Scale,
  };
  const machine = { cores: cpus().length, node: process.version };
  return { machine, figures: figuresOf(outputs), outputs };
}
