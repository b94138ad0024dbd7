import { type Command, InvalidArgumentError } from 'commander';
import { createBackup } from '../../../gateway/backup/create-backup.ts';
import { backupSource } from '../../../gateway/backup-source.ts';
import type { DatabaseLocation } from '../../../gateway/config/database-location.ts';
import type { Clock } from '../../../shared/clock.ts';
import type { ReadExpectation } from '../../chain-options.ts';
import { printJson } from '../../terminal/output.ts';
import type { Output } from '../../terminal/protected-output.ts';
import { paintFor } from '../../terminal/terminal.ts';
import { copyReport } from './copy-report.ts';

export type CopyCliDeps = {
  clock: Clock;
  stdout: Output;
  noColor: boolean;
  /** Returns the database that the options name, or else the one of the configuration. */
  database(options: { config?: string; db?: string }): DatabaseLocation;
  /** Returns what is known about the hash chain from outside of the file; nothing by default. */
  readExpectation?: ReadExpectation;
  /** Sets the exit code of the command. */
  exit(code: number): void;
};

type Options = { to: string; config?: string; db?: string; keep?: number; json?: boolean };

/** Adds `dialtill backup`: a verified copy of the database in a file. Gateways may be running. */
export function registerBackup(
  program: Command,
  { clock, stdout, noColor, database, readExpectation }: CopyCliDeps,
): void {
  const paint = paintFor(stdout, noColor);
  program
    .command('backup')
    .requiredOption('--to <path>', 'folder for the backup, or its file name')
    .option('--keep <count>', 'number of backups to keep in the folder; older ones are deleted', parseCount)
    .option('--json', 'print JSON')
    .option('--config <file>', 'configuration file that names the database')
    .option('--db <database>', 'a file, a postgres:// URL, or $NAME for the URL in a variable')
    .addHelpText(
      'after',
      `
Example:
  $ dialtill backup --to /var/backups/dialtill/ --keep 48

Exit codes:
  0  the backup is complete and verified
  1  there is no backup
  2  wrong usage`,
    )
    .action(async ({ to, keep, json, ...where }: Options) => {
      const startedAt = clock.now();
      const request = {
        source: backupSource(database(where), clock),
        to,
        now: startedAt,
        expectation: readExpectation?.(where),
        ...(keep !== undefined && { keep }),
      };
      const done = await createBackup(request);
      const ms = clock.now() - startedAt;
      if (json) return printJson(stdout, { ...done, ms });
      stdout.write(copyReport(paint, done, clock.now()));
      for (const file of done.madePrivate)
        stdout.write(
          `${paint('yellow', 'warning')}            other users could read ${file}; its mode is now 600\n`,
        );
      if (!done.isRecorded)
        stdout.write(
          `${paint('yellow', 'warning')}            the database cannot record the backup: the metrics do not know this backup\n`,
        );
      for (const file of done.removed) stdout.write(`deleted            ${file}\n`);
      stdout.write(`${paint('green', 'backup ok')}: ${done.file}, copied and verified in ${ms} ms\n`);
    });
}

function parseCount(text: string): number {
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('expected a whole number from 1');
}
