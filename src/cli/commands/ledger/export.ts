import { type Command, Option } from 'commander';
import { closedStatuses, openStatuses } from '../../../gateway/collection/collection.ts';
import type { ExportOptions, LedgerDeps } from './types.ts';

/** Adds `dialtill ledger export`. */
export function registerExport(ledger: Command, deps: LedgerDeps): void {
  ledger
    .command('export')
    .description("write collections as CSV, with the payers' full phone numbers; times are UTC")
    .requiredOption('--csv', 'CSV in UTF-8 (RFC 4180); a cell that starts with a single quote is text')
    .option('--from <day>', 'only collections opened on or after this day, such as 2026-03-01')
    .option('--to <day>', 'only collections opened on or before this day')
    .addOption(
      new Option('--status <status>', 'only collections with this status').choices([
        ...openStatuses,
        ...closedStatuses,
      ]),
    )
    .option('--config <file>', 'configuration file that names the database')
    .option('--db <file>', 'database file')
    .addHelpText('after', '\nExample:\n  $ dialtill ledger export --csv --from 2026-03-01 > march.csv')
    .action(async (options: ExportOptions) => (await import('./export-csv.ts')).exportCommand(deps, options));
}
