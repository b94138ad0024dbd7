import type { Command } from 'commander';
import { printListJson, table } from '../terminal/output.ts';
import type { Output } from '../terminal/protected-output.ts';
import type { Paint } from '../terminal/terminal.ts';

/** The magic numbers, imported when they are needed. */
export async function loadMagicNumbers() {
  const { magicNumbers } = await import('../../service/rail/magic-numbers.ts');
  return magicNumbers;
}

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
    .action(async (options: { json?: true }) => {
      const magicNumbers = await loadMagicNumbers();
      if (options.json) return printListJson(deps.stdout, magicNumbers);
      const rows = magicNumbers.map(({ ending, name, behaviour }) => [`…${ending}`, name, behaviour]);
      deps.stdout.write(
        `${table(deps.paint, [['ends in', 'name', 'outcome'], ...rows])}` +
          'the one-time code of these numbers is always 123456\n' +
          'any other number: a person decides (dialtill dial, or POST /handset/prompts/{id}/approve)\n',
      );
    });
}
