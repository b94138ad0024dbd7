import type { Command } from 'commander';
import { magicNumbers } from '../../service/rail/magic-numbers.ts';
import { printJson, table } from '../terminal/output.ts';
import type { Output, Paint } from '../terminal/terminal.ts';

/** `dialtill service numbers`: needs no service. */
export function registerNumbers(service: Command, deps: { stdout: Output; paint: Paint }): void {
  service
    .command('numbers')
    .description('list the numbers whose payers answer by themselves, in test mode')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  $ dialtill service numbers')
    .action((options: { json?: true }) => {
      if (options.json) return printJson(deps.stdout, magicNumbers);
      const rows = magicNumbers.map(({ ending, name, behaviour: what }) => [`…${ending}`, name, what]);
      deps.stdout.write(
        `${table(deps.paint, [['ends in', 'name', 'what happens'], ...rows])}` +
          'any other number: a person answers (dialtill dial, or POST /handset/prompts/{id}/approve)\n',
      );
    });
}
