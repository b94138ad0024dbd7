import { readFileSync } from 'node:fs';
import { type Figure, formatFound, regressions } from './figures.ts';
import { parseOptions } from './kit/options.ts';
import { runAll } from './run.ts';

/**
 * Runs all benchmarks and compares the ratios and sizes with those of `docs/performance.json`. Exits with 1 when one of them
 * is more than 25 % worse. Run it on a machine without other load.
 *
 * `npm run bench:check`; `--from <file>` compares the output of `npm run bench -- --json` instead of a new run.
 */
const values = parseOptions('npm run bench:check --', {
  committed: { type: 'string', default: 'docs/performance.json' },
  from: { type: 'string' },
});
type Saved = { figures: Figure[]; sizes: { rounds: string; collections: string; dialogues: string } };
const read = (file: string): Saved => JSON.parse(readFileSync(file, 'utf8'));

const { figures: committed, sizes } = read(values.committed);
const found =
  values.from !== undefined
    ? read(values.from)
    : await runAll(
        {
          rounds: Number(sizes.rounds),
          collections: Number(sizes.collections),
          dialogues: Number(sizes.dialogues),
        },
        (measured) => {
          for (const figure of measured)
            process.stderr.write(`${figure.id} ${figure.what}: ${formatFound(figure)}\n`);
        },
      );
const worse = regressions(committed, found.figures);
for (const line of worse) process.stdout.write(`${line}\n`);
if (worse.length === 0) process.stdout.write('no figure is more than 25 % worse\n');
process.exitCode = worse.length === 0 ? 0 : 1;
