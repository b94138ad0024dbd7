import type { Command } from 'commander';
import { restoreCopy } from '../../../gateway/backup/restore-copy.ts';
import { verifyCopy } from '../../../gateway/backup/verify-copy.ts';
import { requireFile } from '../../../gateway/config/database-location.ts';
import { type ChainFlags, parseHead, parsePublicKey } from '../../chain-options.ts';
import { printJson } from '../../terminal/output.ts';
import { paintFor } from '../../terminal/terminal.ts';
import type { CopyCliDeps } from './backup.ts';
import { copyReport } from './copy-report.ts';

type Options = ChainFlags & { check?: boolean; json?: boolean };

/** Adds `dialtill restore`: replaces the database with a backup, or only verifies the backup. */
export function registerRestore(
  program: Command,
  { clock, stdout, noColor, database, readExpectation, exit }: CopyCliDeps,
): void {
  const paint = paintFor(stdout, noColor);
  program
    .command('restore <backup>')
    .option('--check', 'only verify the backup and describe its content')
    .option(
      '--head <hash>',
      'a head of the chain that was noted elsewhere: the backup must contain it',
      parseHead,
    )
    .option(
      '--public-key <key>',
      'a key that blocks may be signed with, in addition to those of the configuration; <key>:<block> for a key that signed up to a block; can be repeated',
      parsePublicKey,
    )
    .option('--json', 'print JSON')
    .option('--config <file>', 'configuration file that names the database')
    .option('--db <file>', 'database file')
    .addHelpText(
      'after',
      `
Examples:
  $ dialtill restore /var/backups/dialtill/dialtill-2026-03-06T09-00-00-000Z.db --check
  $ dialtill restore /var/backups/dialtill/dialtill-2026-03-06T09-00-00-000Z.db

Exit codes:
  0  the database was replaced; with --check, the backup can be restored
  1  nothing was changed; with --check, the backup cannot be restored
  2  wrong usage`,
    )
    .action(async (backup: string, { check, json, ...where }: Options) => {
      const expectation = readExpectation?.(where) ?? { notedHead: where.head };
      if (check) {
        const report = await verifyCopy(backup, expectation);
        const isRestorable = report.ok && !report.schema.isNewer;
        if (!isRestorable) exit(1);
        if (json) return printJson(stdout, report);
        stdout.write(copyReport(paint, report, clock.now()));
        stdout.write(
          isRestorable
            ? `${paint('green', 'backup ok')}\n`
            : `${paint('red', 'this backup cannot be restored')}\n`,
        );
        return;
      }
      const done = await restoreCopy(backup, requireFile(database(where)), clock.now(), expectation);
      if (json) return printJson(stdout, done);
      stdout.write(copyReport(paint, done, clock.now()));
      for (const file of done.movedTo) stdout.write(`moved to           ${file}\n`);
      stdout.write(
        `${paint('green', 'restored')}: ${done.database}\n` +
          'Start the gateway. Before it accepts new payments, it polls the service for every payment that was open in the backup.\n' +
          'Then resend the events since the backup, and run: dialtill unplaced list\n',
      );
    });
}
