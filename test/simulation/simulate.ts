import { availableParallelism } from 'node:os';
import { parseArgs, styleText } from 'node:util';
import { explainLedger } from './explain.ts';
import { peerNames, type World, worldOf } from './peer/peers.ts';
import { readProgram, saveResult } from './results.ts';
import { runSeeds } from './run-seeds.ts';
import type { Played } from './seed-process.ts';
import { shrink } from './shrink.ts';

const help = `Plays seeds of the simulation: the real gateway with random faults, against an oracle or the project's own
service.

  npm run simulate -- [options]

  --seeds <n>      number of seeds (100)
  --from <n>       first seed (1)
  --days <n>       duration of the faults in days, fractions allowed (1)
  --peer <name>    what responds to the gateway: oracle or service (oracle)
  --gateways <n>   number of gateways on one database, against the oracle (1)
  --processes <n>  number of processes (one per core)
  --seed <n>       play one seed and print its history
  --explain        with --seed: print what happened, payer by payer, as the console shows a payment
  --shrink         reduce a failing seed to the shortest failing history
  --json           print counts as JSON
  --save <file>    add the seeds, hours, collections, charges and violations to a file of results
  --help

Examples:
  npm run simulate -- --seeds 1000 --days 1
  npm run simulate -- --seed 4711 --days 1 --shrink
  npm run simulate -- --seed 4711 --days 0.25 --explain
  npm run simulate -- --peer service --seeds 300
  npm run simulate -- --gateways 3 --seeds 1000 --days 0.1
  npm run simulate -- --seeds 500 --from 501 --days 0.25 --save docs/reliability/seeds.json

Exit code: 0 if every invariant held, 1 if one broke, 2 for wrong options.`;

type Options = World & {
  seeds: number;
  from: number;
  days: number;
  processes: number;
  seed?: number;
  explain: boolean;
  shrink: boolean;
  json: boolean;
  save?: string;
};

function readOptions(): Options | string {
  try {
    const { values } = parseArgs({
      options: {
        seeds: { type: 'string', default: '100' },
        from: { type: 'string', default: '1' },
        days: { type: 'string', default: '1' },
        peer: { type: 'string', default: 'oracle' },
        gateways: { type: 'string', default: '1' },
        processes: { type: 'string', default: String(availableParallelism()) },
        seed: { type: 'string' },
        explain: { type: 'boolean', default: false },
        shrink: { type: 'boolean', default: false },
        json: { type: 'boolean', default: false },
        save: { type: 'string' },
        help: { type: 'boolean', default: false },
      },
    });
    if (values.help) return help;
    const count = (name: string, text: string) => {
      if (!/^\d{1,9}$/.test(text)) throw new Error(`--${name}: expected a whole number, got ${text}`);
      return Number(text);
    };
    const days = Number(values.days);
    if (!(days > 0 && days <= 31)) throw new Error(`--days: expected days from 0 to 31, got ${values.days}`);
    const peer = peerNames.find((name) => name === values.peer);
    if (!peer) throw new Error(`--peer: expected ${peerNames.join(' or ')}, got ${values.peer}`);
    const gateways = Math.max(1, count('gateways', values.gateways));
    if (gateways > 1 && peer !== 'oracle')
      throw new Error('--gateways: several gateways have the peer oracle');
    if (values.explain && (values.seed === undefined || gateways > 1 || values.json))
      throw new Error('--explain: needs --seed, and one gateway, and no --json');
    return {
      seeds: count('seeds', values.seeds),
      from: count('from', values.from),
      days,
      ...{ peer, gateways },
      processes: Math.max(1, count('processes', values.processes)),
      ...(values.seed === undefined ? {} : { seed: count('seed', values.seed) }),
      explain: values.explain,
      shrink: values.shrink,
      json: values.json,
      ...(values.save === undefined ? {} : { save: values.save }),
    };
  } catch (fault) {
    process.stderr.write(`${fault instanceof Error ? fault.message : fault}\nTry --help.\n`);
    process.exit(2);
  }
}

const paint = (style: 'red' | 'green' | 'bold', text: string) =>
  process.stdout.isTTY ? styleText(style, text) : text;

function showFailure(
  played: Pick<Played, 'plan' | 'violations' | 'history'>,
  { days, peer, gateways }: Pick<Options, 'days' | 'peer' | 'gateways'>,
): void {
  const { plan, violations, history = [] } = played;
  process.stdout.write(`\n${history.join('\n')}\n\n`);
  process.stdout.write(
    paint('red', `seed ${plan.seed} broke ${violations[0]?.rule}: ${violations[0]?.what}\n`),
  );
  process.stdout.write(
    `features: ${plan.features.join(', ') || 'none'}; ${plan.visits} visits of ${plan.payers} payers in ${plan.hours} h\n` +
      `replay: npm run simulate -- --peer ${peer}${gateways > 1 ? ` --gateways ${gateways}` : ''} --seed ${plan.seed} --days ${days}\n`,
  );
}

async function playOne(options: Options): Promise<boolean> {
  const { seed = 0, days, shrink: isShrinking, json, ...world } = options;
  const { planOf, run } = worldOf(world);
  const played = await run(planOf(seed, days));
  const outcome = isShrinking && played.violations.length > 0 ? await shrink(played, run) : played;
  if (options.explain) {
    // The same plan has the same history.
    const { violations, hash } = await run(outcome.plan, async (file) => {
      process.stdout.write(await explainLedger(file));
    });
    const broken = violations.map(({ rule, what }) => `\nseed ${seed} broke ${rule}: ${what}`);
    process.stdout.write(`${broken.join('') || `\nseed ${seed}: every invariant held (${hash})`}\n`);
    return violations.length === 0;
  }
  if (outcome.violations.length > 0) showFailure(outcome, { days, ...world });
  else if (json) process.stdout.write(`${JSON.stringify({ ...outcome, history: undefined })}\n`);
  else
    process.stdout.write(
      `${outcome.history.join('\n')}\n\nseed ${seed}: every invariant held (${outcome.hash})\n`,
    );
  return outcome.violations.length === 0;
}

async function playMany(options: Options): Promise<boolean> {
  const { seeds, from, days, peer, gateways, processes, json, save } = options;
  const counts = new Map<string, number>();
  const startedAt = performance.now();
  // Before the run: the folder can change during it.
  const program = save === undefined ? undefined : readProgram();
  let played = 0;
  let failed: Played | undefined;
  let shownAt = startedAt;
  const line = () => `${played} of ${seeds} seeds, ${Math.round((performance.now() - startedAt) / 1000)} s`;
  await runSeeds({
    seeds: Array.from({ length: seeds }, (_, index) => from + index),
    ...{ days, peer, gateways, processes },
    onPlayed(one) {
      played += 1;
      for (const [what, n] of Object.entries(one.counts)) counts.set(what, (counts.get(what) ?? 0) + n);
      for (const feature of one.plan.features) {
        const what = `with ${feature}`;
        counts.set(what, (counts.get(what) ?? 0) + 1);
      }
      if (one.violations.length > 0) failed ??= one;
      const now = performance.now();
      if (!json && now - shownAt > (process.stderr.isTTY ? 500 : 10_000)) {
        shownAt = now;
        process.stderr.write(process.stderr.isTTY ? `\r${line()}` : `${line()}\n`);
      }
      return failed === undefined;
    },
  });
  if (!json && process.stderr.isTTY) process.stderr.write('\r');
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  const sorted = Object.fromEntries([...counts].sort(([a], [b]) => a.localeCompare(b)));
  if (failed && !json) showFailure(failed, { days, peer, gateways });
  const violations = failed?.violations.length ?? 0;
  if (save !== undefined) {
    const total = (what: string) => counts.get(what) ?? 0;
    const collections = [...counts].filter(([what]) => what.startsWith('collection '));
    saveResult(save, {
      ...{ peer, gateways, days, from, to: from + played - 1, hours: total('hours') },
      collections: collections.reduce((sum, [, n]) => sum + n, 0),
      ...{ prompts: total('prompts'), charges: total('charges'), violations, node: process.version },
      ...(program !== undefined && { program }),
    });
  }
  if (json) {
    const seed = failed?.plan.seed ?? null;
    const rule = failed?.violations[0]?.rule ?? null;
    process.stdout.write(
      `${JSON.stringify({ seeds: played, seconds, violations, seed, rule, counts: sorted })}\n`,
    );
  } else {
    for (const [what, n] of Object.entries(sorted))
      process.stdout.write(`${String(n).padStart(10)}  ${what}\n`);
    const held =
      violations === 0 ? paint('green', 'every invariant held') : paint('red', 'an invariant broke');
    process.stdout.write(`${paint('bold', `${played} seeds of ${days} days in ${seconds} s:`)} ${held}\n`);
  }
  return violations === 0;
}

const options = readOptions();
if (typeof options === 'string') {
  process.stdout.write(`${options}\n`);
} else {
  const held = await (options.seed === undefined ? playMany(options) : playOne(options));
  process.exitCode = held ? 0 : 1;
}
