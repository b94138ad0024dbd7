import { type Command, InvalidArgumentError } from 'commander';
import { requireFile } from '../../gateway/database/database-location.ts';
import { backupSource } from '../../gateway/upkeep/backup-source.ts';
import { createBackup } from '../../gateway/upkeep/create-backup.ts';
import { restoreCopy } from '../../gateway/upkeep/restore-copy.ts';
import { type CopyReport, verifyCopy } from '../../gateway/upkeep/verify-copy.ts';
import type { EpochMs } from '../../shared/clock.ts';
import { plural } from '../../shared/plural.ts';
import { formatDuration, showTime } from '../../shared/time-text.ts';
import {
  addChainOptions,
  type ChainFlags,
  describeLateBlocks,
  describeNotedHead,
  describeSignatures,
} from '../chain.ts';
import { addDatabaseOptions } from '../command-options.ts';
import type { CommandContext } from '../context.ts';
import { type Paint, printJson } from '../terminal/output.ts';
import type { VerifyDeps } from './ledger/verify.ts';

type CopyCliDeps = Pick<VerifyDeps, 'stdout' | 'database' | 'readExpectation' | 'exit'> &
  Pick<CommandContext, 'clock'>;

type BackupOptions = { to: string; config?: string; db?: string; keep?: number; json?: boolean };

export function registerBackup(
  program: Command,
  { clock, stdout, database, readExpectation }: CopyCliDeps,
): void {
  const { paint } = stdout;
  addDatabaseOptions(
    program
      .command('backup')
      .requiredOption('--to <path>', 'folder for the backup, or its file name')
      .option('--keep <count>', 'number of backups to keep in the folder; older ones are deleted', parseCount)
      .option('--json', 'print JSON'),
  )
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
    .action(async ({ to, keep, json, ...where }: BackupOptions) => {
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

type RestoreOptions = ChainFlags & { check?: boolean; json?: boolean };

export function registerRestore(
  program: Command,
  { clock, stdout, database, readExpectation, exit }: CopyCliDeps,
): void {
  const { paint } = stdout;
  addChainOptions(
    program.command('restore <backup>').option('--check', 'only verify the backup and describe its content'),
    'the backup must contain it',
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
    .action(async (backup: string, { check, json, ...where }: RestoreOptions) => {
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

function copyReport(paint: Paint, report: CopyReport, now: EpochMs): string {
  const { bytes, takenAt, schema, contents, ledger, head, faults } = report;
  const lines: [name: string, value: string][] = [
    ['created', takenAt === null ? 'unknown' : formatTime(takenAt, now)],
  ];
  if (contents) {
    const { facts, postings, turns, events } = contents;
    lines.push(
      ['newest entry', formatTime(contents.newestAt, now)],
      ['newest collection', formatTime(contents.newestCollectionAt, now)],
      ['mode', contents.modes.join(' and ') || 'none'],
      ['collections', `${contents.collections}, ${contents.open} open, ${contents.reviews} in review`],
      ['rows', `${facts} facts, ${postings} postings, ${turns} turns, ${events} events`],
    );
  }
  const version = schema.isNewer ? ' (of a newer version)' : '';
  lines.push(['schema', `${schema.migrations} of ${schema.known} migrations${version}`]);
  lines.push(['size', `${bytes} bytes`]);
  if (ledger) {
    const { signatures, unsealed, lateBlocks, notedHead } = ledger;
    lines.push(['signatures', describeSignatures(signatures)], ['not sealed', plural(unsealed, 'row')]);
    for (const late of describeLateBlocks(lateBlocks)) lines.push(['warning', late]);
    if (notedHead) lines.push(['noted head', describeNotedHead(notedHead)]);
  }
  if (head !== null) lines.push(['head of the chain', head]);
  const text = lines.map(([name, value]) => `${name.padEnd(18)} ${value}\n`).join('');
  const faultLines = faults.map((fault) => `${paint('red', 'fault')}              ${fault}\n`).join('');
  return text + faultLines;
}

function formatTime(at: EpochMs | null, now: EpochMs): string {
  return at === null ? 'none' : `${showTime(at)} (${formatDuration(now - at, 2)} ago)`;
}
