import type { Command } from 'commander';
import { restoreCopy } from '../../../gateway/backup/restore-copy.ts';
import { verifyCopy } from '../../../gateway/backup/verify-copy.ts';
import { printJson } from '../../terminal/output.ts';
import { paintFor } from '../../terminal/terminal.ts';
import type { CopyCliDeps } from './backup.ts';
import { copyReport } from './copy-report.ts';

type Options = { check?: boolean; config?: string; db?: string; json?: boolean };

/** `dialtill restore`: a copy in the place of the ledger; with `--check`, only what it holds. */
export function registerRestore(
  program: Command,
  { clock, stdout, noColor, databaseFile, exit }: CopyCliDeps,
): void {
  const paint = paintFor(stdout, noColor);
  program
    .command('restore <copy>')
    .option(
      '--check',
      'verify the copy and say what it holds; change nothing, and exit with 1 when it is faulty',
    )
    .option('--json', 'print JSON')
    .option('--config <file>', 'configuration file whose database to replace')
    .option('--db <file>', 'database file to replace')
    .addHelpText(
      'after',
      `
Examples:
  $ dialtill restore /var/backups/dialtill/dialtill-2026-03-06T09-00-00-000Z.db --check
  $ dialtill restore /var/backups/dialtill/dialtill-2026-03-06T09-00-00-000Z.db`,
    )
    .action(async (copy: string, { check, json, ...where }: Options) => {
      if (check) {
        const report = await verifyCopy(copy);
        const isFit = report.ok && !report.schema.isNewer;
        if (!isFit) exit(1);
        if (json) return printJson(stdout, report);
        stdout.write(copyReport(paint, report, clock.now()));
        stdout.write(
          isFit ? `${paint('green', 'copy ok')}\n` : `${paint('red', 'not fit to be restored')}\n`,
        );
        return;
      }
      const done = await restoreCopy(copy, databaseFile(where), clock.now());
      if (json) return printJson(stdout, done);
      stdout.write(copyReport(paint, done, clock.now()));
      for (const file of done.movedTo) stdout.write(`moved aside        ${file}\n`);
      stdout.write(
        `${paint('green', 'restored')}: ${done.database}\n` +
          'Start the gateway: it asks the service for every payment that was open in the copy before it serves new ones.\n' +
          'Then have the events since the copy sent again, and look at: dialtill ledger unmatched\n',
      );
    });
}
