import type { Command } from 'commander';
import { aggregatorNames, aggregators } from '../../aggregators/registry.ts';
import { printListJson, table } from '../terminal/output.ts';
import type { Output } from '../terminal/protected-output.ts';
import { paintFor } from '../terminal/terminal.ts';

export type AggregatorsDeps = { stdout: Output; noColor: boolean };

const second = 1000;

/** Adds `dialtill aggregators`: the supported aggregators and their default settings. */
export function registerAggregators(program: Command, { stdout, noColor }: AggregatorsDeps): void {
  program
    .command('aggregators')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  $ dialtill aggregators')
    .action(({ json }: { json?: true }) => {
      const rows = aggregatorNames.flatMap((name) => describe(name) ?? []);
      if (json) return printListJson(stdout, rows);
      const lines = rows.map((row) => [
        row.name,
        row.title,
        row.method,
        `${row.textLimit} septets`,
        `${row.replyWithinSeconds} s`,
        row.sequenced ? 'request' : 'time and input',
        row.promptDelaySeconds > 0 ? `${row.promptDelaySeconds} s` : '-',
      ]);
      const head = ['name', 'title', 'method', 'text', 'reply within', 'repeats detected by', 'prompt delay'];
      stdout.write(table(paintFor(stdout, noColor), [head, ...lines]));
      stdout.write('These are defaults. A channel can set other values.\n');
    });
}

function describe(name: string) {
  const aggregator = aggregators[name];
  return (
    aggregator && {
      name,
      title: aggregator.title,
      method: aggregator.method,
      textLimit: aggregator.style.limit,
      replyWithinSeconds: aggregator.replyWithinMs / second,
      sequenced: aggregator.sequenced,
      promptDelaySeconds: aggregator.promptDelayMs / second,
    }
  );
}
