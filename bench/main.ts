import { writeFileSync } from 'node:fs';
import { type Figure, isReached } from './figures.ts';
import { parseOptions } from './kit/options.ts';
import { runAll } from './run.ts';

/**
 * Runs all benchmarks and prints one table with the targets F0 to F8. The benchmarks are, each with its own command:
 *
 * - `bench/ussd`: turns beside the floor and ussd-menu-builder (F0, F1)
 * - `bench/collection`: completed collections, durable webhooks, bytes on disk (F2, F3, F7)
 * - `bench/latency`: the p99 of turns at half of the highest rate, also while other work runs (F4)
 * - `bench/scale`: a large ledger, and memory (F5, F6)
 * - `bench/service`: sessions of the Payment Collection Service (F8)
 *
 * `npm run bench -- --rounds 3 --collections 50000 --dialogues 20000`; `--json` prints every figure as JSON, and
 * `--save docs/performance.json` also writes those that `bench:check` compares.
 */
const values = parseOptions('npm run bench --', {
  rounds: { type: 'string', default: '3' },
  collections: { type: 'string', default: '50000' },
  dialogues: { type: 'string', default: '20000' },
  json: { type: 'boolean', default: false },
  save: { type: 'string' },
});
const print = (line: string) => process.stdout.write(`${line}\n`);

const ms = (value: number | undefined) => value?.toFixed(2) ?? '';

function number(value: number): string {
  return value < 100 ? value.toFixed(2) : Math.round(value).toLocaleString('en');
}

function rowOf(figure: Figure): string[] {
  const { id, what, value, unit, target, better, beside, cpuMs, p50Ms, p99Ms } = figure;
  const bound = `${better === 'less' ? '<=' : '>='} ${number(target)}`;
  const found = `${number(value)} ${unit}`;
  const verdict = isReached(figure) ? 'reached' : '';
  return [id, what, found, bound, verdict, beside ?? '', ms(cpuMs), ms(p50Ms), ms(p99Ms)];
}

const head = ['', '', 'found', 'target', '', 'beside', 'CPU ms', 'p50 ms', 'p99 ms'];

const results = await runAll({
  rounds: Math.min(9, Number(values.rounds)),
  collections: Number(values.collections),
  dialogues: Number(values.dialogues),
});
const { machine, figures } = results;
if (values.save !== undefined) {
  const saved = JSON.stringify({ machine, sizes: values, figures }, null, 2);
  writeFileSync(values.save, `${saved}\n`);
}
if (values.json) print(JSON.stringify(results, null, 2));
else {
  const rows = [head, ...figures.map(rowOf)];
  const widths = head.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  print(`${machine.cores} cores, node ${machine.node}; medians of ${values.rounds} rounds\n`);
  for (const row of rows)
    print(
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    );
}
