import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpus } from 'node:os';
import { fileURLToPath } from 'node:url';
import { errorMessage } from '../src/shared/errors.ts';
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

export type Results = {
  machine: { cores: number; node: string };
  figures: Figure[];
  outputs: Partial<Outputs>;
  /** The benchmarks that have failed, by name. */
  failed: (keyof Outputs)[];
};

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

/** The program of each benchmark, with its options and the part of its output that has the figures. */
const benchmarks: { [Name in keyof Outputs]: (sizes: Sizes) => Promise<Outputs[Name]> } = {
  async turns({ rounds }) {
    const options = ['--rounds', String(rounds), '--only', 'africastalking'];
    const { lanes } = (await run('./ussd/main.ts', options)) as { lanes: (Turns & { name: string })[] };
    const turns = lanes.find(({ name }) => name === 'africastalking');
    if (!turns) throw new Error('bench/ussd measured no turns of africastalking');
    return turns;
  },
  async collections({ rounds }) {
    return (await run('./collection/main.ts', ['--rounds', String(rounds)])) as Collections;
  },
  async latency({ rounds }) {
    return (await run('./latency/main.ts', ['--rounds', String(rounds)])) as TurnLatency;
  },
  async sessions({ rounds }) {
    const options = ['--rounds', String(rounds), '--ways', 'magic'];
    return ((await run('./service/main.ts', options)) as { magic: Sessions }).magic;
  },
  async scale({ rounds, collections, dialogues }) {
    const sizes = ['--collections', String(collections), '--dialogues', String(dialogues)];
    return (await run('./scale/main.ts', [...sizes, '--runs', String(rounds)])) as Scale;
  },
};

/**
 * Runs all benchmarks, one after another. One that fails prints its fault, and the others are run all the same.
 *
 * @param onFigures called with the figures of each benchmark as soon as it has ended.
 */
export async function runAll(
  sizes: Sizes,
  onFigures: (figures: readonly Figure[]) => void,
): Promise<Results> {
  const figures: Figure[] = [];
  const outputs: Partial<Outputs> = {};
  const failed: (keyof Outputs)[] = [];
  async function measure<Name extends keyof Outputs>(name: Name): Promise<void> {
    try {
      const output = await benchmarks[name](sizes);
      outputs[name] = output;
      const found = figuresOf[name](output);
      figures.push(...found);
      onFigures(found);
    } catch (fault) {
      failed.push(name);
      process.stderr.write(`${name} could not be measured: ${errorMessage(fault)}\n`);
    }
  }
  for (const name of Object.keys(benchmarks) as (keyof Outputs)[]) await measure(name);
  const machine = { cores: cpus().length, node: process.version };
  return { machine, figures, outputs, failed };
}
