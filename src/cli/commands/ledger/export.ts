import type { Command } from 'commander';
import { addFilterOptions } from './filter-options.ts';
import type { ExportOptions, LedgerDeps } from './types.ts';

/** Adds `dialtill ledger export`. */
export function registerExport(ledger: Command, deps: LedgerDeps): void {
  const command = ledger
    .command('export')
    .description(
      "write the collections that ledger list selects as CSV, with the payers' full phone numbers; times are UTC",
    )
    .requiredOption('--csv', 'CSV in UTF-8 (RFC 4180); a cell that starts with a single quote is text')
    .option('--config <file>', 'configuration file that names the database')
    .option('--db <file>', 'database file')
    .addHelpText('after', '\nExample:\n  $ dialtill ledger export --csv --from 2026-03-01 > march.csv');
  addFilterOptions(command).action(async (options: ExportOptions) =>
    (await import('./export-csv.ts')).exportCommand(deps, options),
  );
}
