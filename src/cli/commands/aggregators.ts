import type { Command } from 'commander';
import { aggregatorNames, aggregators } from '../../aggregators/registry.ts';
import { printJson, table } from '../terminal/output.ts';
import { type Output, paintFor } from '../terminal/terminal.ts';

export type AggregatorsDeps = { stdout: Output; noColor: boolean };

const second = 1000;

/** `dialtill aggregators`: what ships, and what each is taken to allow. */
export function registerAggregators(program: Command, { stdout, noColor }: AggregatorsDeps): void {
  program
    .command('aggregators')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  $ dialtill aggregators')
    .action(({ json }: { json?: true }) => {
      const rows = aggregatorNames.flatMap((name) => describeOne(name) ?? []);
      if (json) return printJson(stdout, rows);
      const lines = rows.map((row) => [
        row.name,
        row.title,
        row.method,
        `${row.textLimit} septets`,
        `${row.replyWithinSeconds} s`,
        row.sequenced ? 'the request' : 'time and menu',
        row.promptDelaySeconds > 0 ? `${row.promptDelaySeconds} s` : '-',
      ]);
      const head = ['name', 'title', 'method', 'text', 'reply within', 'repeats told by', 'prompt delay'];
      stdout.write(table(paintFor(stdout, noColor), [head, ...lines]));
      stdout.write('Each is a default: a channel may set it otherwise.\n');
    });
}

function describeOne(name: string) {
  const one = aggregators[name];
  return (
    one && {
      name,
      title: one.title,
      method: one.method,
      textLimit: one.style.limit,
      replyWithinSeconds: one.replyWithinMs / second,
      sequenced: one.sequenced,
      promptDelaySeconds: one.promptDelayMs / second,
    }
  );
}
