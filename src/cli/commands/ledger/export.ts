import { type Command, Option } from 'commander';
import { type ExportTime, exportTimes } from '../../../gateway/support/export/export-times.ts';
import { addFilterOptions } from './filter-options.ts';
import type { ExportOptions, LedgerDeps } from './types.ts';

const helpText = `
Examples:
  $ dialtill ledger export --from 2026-03-01 > opened.csv
  $ dialtill ledger export --by booked --from 2026-03-06 --to 2026-03-06 > received.csv

The received amounts of an export by booking time add up to ledger balances of the same day. Unplaced payments have lines of their own.`;

/** Adds `dialtill ledger export`. */
export function registerExport(ledger: Command, deps: LedgerDeps): void {
  const command = ledger
    .command('export')
    .description(
      "write the collections that ledger list selects as CSV, with the payers' full phone numbers; times are UTC",
    )
    .option(
      '--csv',
      'CSV in UTF-8 (RFC 4180): the only format; a cell that starts with a single quote is text',
    )
    .addOption(
      new Option(
        '--by <time>',
        'what --from and --to mean: when a collection was opened, or when money was booked (one line per booking)',
      )
        .choices(exportTimes)
        .default('opened' satisfies ExportTime),
    )
    .option('--config <file>', 'configuration file that names the database')
    .option('--db <database>', 'a file, a postgres:// URL, or $NAME for the URL in a variable')
    .addHelpText('after', helpText);
  addFilterOptions(command).action(async (options: ExportOptions) =>
    (await import('./export-csv.ts')).exportCommand(deps, options),
  );
}
