import { writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { describeMissed, type Figure, formatFound, formatTarget, isReached } from './figures.ts';
import { parseOptions } from './kit/options.ts';
import { runAll } from './run.ts';

/**
 * Runs all benchmarks and prints one table with the targets F0 to F8. Each line is printed as soon as it is measured, and
 * missed targets follow at the end, one sentence each. The benchmarks are, each with its own command:
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

/** The columns of the table: heads and widths. Lines are printed before the following ones are known. */
const columns = [
  ['', 2],
  ['', 39],
  ['found', 14],
  ['target', 10],
  ['', 7],
  ['beside', 18],
  ['CPU ms', 6],
  ['p50 ms', 6],
  ['p99 ms', 6],
] as const;

function printLine(cells: readonly string[]): void {
  print(
    cells
      .map((cell, column) => cell.padEnd(columns[column]?.[1] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}

function printFigure(figure: Figure): void {
  const { id, what, beside, cpuMs, p50Ms, p99Ms } = figure;
  const verdict = isReached(figure) ? 'reached' : '';
  printLine([
    ...[id, what, formatFound(figure), formatTarget(figure), verdict, beside ?? ''],
    ...[ms(cpuMs), ms(p50Ms), ms(p99Ms)],
  ]);
}

if (!values.json) {
  print(`${cpus().length} cores, node ${process.version}; medians of ${values.rounds} rounds\n`);
  printLine(columns.map(([head]) => head));
}
const sizes = {
  rounds: Math.min(9, Number(values.rounds)),
  collections: Number(values.collections),
  dialogues: Number(values.dialogues),
};
const startedAt = performance.now();
const results = await runAll(sizes, (figures) => {
  if (!values.json) figures.forEach(printFigure);
});
const { machine, figures, failed } = results;
// A part of the figures must not replace all of them.
if (values.save !== undefined && failed.length === 0) {
  const saved = JSON.stringify({ machine, sizes: values, figures }, null, 2);
  writeFileSync(values.save, `${saved}\n`);
}
if (values.json) print(JSON.stringify(results, null, 2));
else {
  const missed = describeMissed(figures);
  print(
    `\n${figures.length - missed.length} of ${figures.length} targets reached in ${minutesSince(startedAt)} min`,
  );
  missed.forEach(print);
}

function minutesSince(start: number): string {
  return ((performance.now() - start) / 60_000).toFixed(1);
}
if (failed.length > 0) {
  process.stderr.write(
    `not measured: ${failed.join(', ')}${values.save ? `; ${values.save} stays as it was` : ''}\n`,
  );
  process.exitCode = 1;
}
