import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Option } from 'commander';
import { type ExportTime, exportTimes } from '../../../gateway/support/export/csv.ts';
import type { CollectionFilter } from '../../../gateway/support/selection-query.ts';
import { errorCode } from '../../../shared/errors.ts';
import type { Snapshots } from '../../../sqlite/store.ts';
import { addDatabaseOptions, type CommandGroup } from '../../command-options.ts';
import { type DatabaseOptions, type ReadDeps, readLedgerInParts } from '../../open-reads.ts';
import { addFilterOptions, type FilterOptions, readFilter } from './filter-options.ts';

type ExportOptions = DatabaseOptions & FilterOptions & { csv?: boolean; by: ExportTime };

const help = `
Examples:
  $ dialtill ledger export --from 2026-03-01 > opened.csv
  $ dialtill ledger export --by booked --from 2026-03-06 --to 2026-03-06 > received.csv

The received amounts of an export by booking time add up to ledger balances of the same day. Unplaced payments have lines of their own.`;

export function registerExport({ command: ledger }: CommandGroup, deps: ReadDeps): void {
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
    );
  addFilterOptions(addDatabaseOptions(command).addHelpText('after', help)).action((options: ExportOptions) =>
    exportCsv(deps, options),
  );
}

/**
 * Writes collections as CSV, in constant memory.
 *
 * @throws UserError when a time is invalid, or a span contains nothing.
 */
async function exportCsv({ database, stdout }: ReadDeps, options: ExportOptions): Promise<void> {
  const filter = readFilter(options);
  await readLedgerInParts(database(options), async (snapshots) => {
    try {
      await pipeline(Readable.from(lines(snapshots, filter, options.by)), stdout.data, { end: false });
    } catch (fault) {
      // The reader of a pipe has closed it, as in `… | head`.
      if (errorCode(fault) !== 'EPIPE') throw fault;
    }
  });
}

async function* lines(
  snapshots: Snapshots,
  filter: CollectionFilter,
  by: ExportTime,
): AsyncGenerator<string> {
  const [{ exportPages }, { exportHead, exportLine }] = await Promise.all([
    import('../../../gateway/support/export/export-query.ts'),
    import('../../../gateway/support/export/lines.ts'),
  ]);
  yield exportHead();
  for await (const page of exportPages(snapshots, filter, by)) yield page.map(exportLine).join('');
}
