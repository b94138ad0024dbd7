import { type Command, InvalidArgumentError } from 'commander';
import { createBackup } from '../../../gateway/backup/create-backup.ts';
import type { Clock } from '../../../shared/clock.ts';
import { printJson } from '../../terminal/output.ts';
import { type Output, paintFor } from '../../terminal/terminal.ts';
import { copyReport } from './copy-report.ts';

export type CopyCliDeps = {
  clock: Clock;
  stdout: Output;
  noColor: boolean;
  /** The database file: the one named, or the one of the configuration. */
  databaseFile(options: { config?: string; db?: string }): string;
  /** Takes the command's exit code. */
  exit(code: number): void;
};

type Options = { to: string; config?: string; db?: string; keep?: number; json?: boolean };

/** `dialtill backup`: a verified copy of the ledger, beside a running gateway or without one. */
export function registerBackup(
  program: Command,
  { clock, stdout, noColor, databaseFile }: CopyCliDeps,
): void {
  const paint = paintFor(stdout, noColor);
  program
    .command('backup')
    .requiredOption('--to <path>', 'a folder, or the file that the copy is to be')
    .option('--keep <count>', 'remove the oldest copies in the folder beyond so many', countOf)
    .option('--json', 'print JSON')
    .option('--config <file>', 'configuration file whose database to copy')
    .option('--db <file>', 'database file to copy')
    .addHelpText('after', '\nExample:\n  $ dialtill backup --to /var/backups/dialtill/ --keep 48')
    .action(async ({ to, keep, json, ...where }: Options) => {
      const startedAt = clock.now();
      const request = {
        database: databaseFile(where),
        to,
        now: startedAt,
        ...(keep !== undefined && { keep }),
      };
      const done = await createBackup(request);
      const ms = clock.now() - startedAt;
      if (json) return printJson(stdout, { ...done, ms });
      stdout.write(copyReport(paint, done, clock.now()));
      for (const file of done.removed) stdout.write(`removed            ${file}\n`);
      stdout.write(`${paint('green', 'backup ok')}: ${done.file}, copied and verified in ${ms} ms\n`);
    });
}

function countOf(text: string): number {
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('expected a whole number from 1');
}
