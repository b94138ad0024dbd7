import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { plural } from '../../src/shared/plural.ts';

/** The seeds of one run of the simulation, and what happened in them. */
export type SeedResult = {
  peer: string;
  gateways: number;
  /** The duration of the faults of each seed. */
  days: number;
  from: number;
  to: number;
  /** Simulated hours of all seeds, with the time after the faults. */
  hours: number;
  collections: number;
  prompts: number;
  charges: number;
  violations: number;
  node: string;
  /** The commit of the program, with `+` when its files differed from it. The oldest results have none. */
  program?: string;
};

type World = Pick<SeedResult, 'peer' | 'gateways' | 'days'>;

const worldOf = ({ peer, gateways, days }: World) => `${peer} ${gateways} ${days}`;
const isBefore = (a: SeedResult, b: SeedResult) =>
  worldOf(a).localeCompare(worldOf(b), 'en') || a.from - b.from;

/** Returns the results of a file; none without the file. */
export function readResults(file: string): SeedResult[] {
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : [];
}

/** Adds a run to a file of results. It replaces the earlier runs of the same seeds. */
export function saveResult(file: string, result: SeedResult): void {
  const others = readResults(file).filter(
    (one) => worldOf(one) !== worldOf(result) || one.to < result.from || one.from > result.to,
  );
  const lines = [...others, result].sort(isBefore).map((one) => `  ${JSON.stringify(one)}`);
  writeFileSync(file, `[\n${lines.join(',\n')}\n]\n`);
}

/** Returns the commit of the program and its simulation, with `+` when their files differ from it. */
export function readProgram(): string {
  const git = (...words: string[]) => execFileSync('git', words, { encoding: 'utf8' }).trim();
  const changed = git('status', '--porcelain', '--', 'src', 'drizzle', 'test/simulation');
  return `${git('rev-parse', '--short=8', 'HEAD')}${changed === '' ? '' : '+'}`;
}

const grouped = new Intl.NumberFormat('en-US');

/** Describes results for the notes of a release: a sentence for each kind of world. */
export function describeSeeds(results: readonly SeedResult[]): string {
  const worlds = Map.groupBy(results, ({ peer, gateways }) =>
    gateways > 1 ? `${gateways} gateways on PostgreSQL` : `one gateway beside the ${peer}`,
  );
  const lines = [...worlds].map(([world, runs]) => {
    const sum = (of: (run: SeedResult) => number) => runs.reduce((all, run) => all + of(run), 0);
    const total = (of: (run: SeedResult) => number) => grouped.format(sum(of));
    const programs = [...new Set(runs.flatMap(({ program }) => program ?? []))].join(', ');
    return (
      `- ${world}: ${total(({ from, to }) => to - from + 1)} seeds, ${total(({ hours }) => hours)} hours, ` +
      `${total(({ collections }) => collections)} collections, ${total(({ charges }) => charges)} charges, ` +
      plural(
        sum(({ violations }) => violations),
        'violation',
      ) +
      (programs === '' ? '' : ` (program ${programs})`)
    );
  });
  return ['Simulated with faults:', '', ...lines].join('\n');
}
