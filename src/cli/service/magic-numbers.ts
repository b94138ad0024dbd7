import type { Command } from 'commander';
import { magicNumbers } from '../../contract/magic-numbers.ts';
import { printListJson, table } from '../terminal/output.ts';
import type { Output } from '../terminal/protected-output.ts';
import type { Paint } from '../terminal/terminal.ts';

/** `dialtill service numbers`. It needs no running service. */
export function registerMagicNumbers(service: Command, deps: { stdout: Output; paint: Paint }): void {
  service
    .command('numbers')
    .description('list the magic numbers of test mode, whose prompts end without a person')
    .option('--json', 'print JSON')
    // The options of every other command of the service: a script passes the same ones to all.
    .option('--url <url>', 'accepted and not used: the list is part of dialtill')
    .option('--data <dir>', 'accepted and not used: the list is part of dialtill')
    .addHelpText('after', '\nExample:\n  $ dialtill service numbers')
    .action((options: { json?: true }) => {
      if (options.json) return printListJson(deps.stdout, magicNumbers);
      const rows = magicNumbers.map(({ ending, name, behaviour }) => [`…${ending}`, name, behaviour]);
      deps.stdout.write(
        `${table(deps.paint, [['ends in', 'name', 'outcome'], ...rows])}` +
          'a name is the reason, the review or the error that it causes: docs/reasons-and-statuses.md\n' +
          'dialtill service trigger <name> creates such a session\n' +
          'the one-time code of these numbers is always 123456\n' +
          'any other number: a person decides (dialtill dial, or POST /handset/prompts/{id}/approve)\n',
      );
    });
}
