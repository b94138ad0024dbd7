import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type Command, Option } from 'commander';
import { closedStatuses, openStatuses } from '../../../gateway/collection/collection.ts';
import { exportHead, exportLine } from '../../../gateway/support/export-csv.ts';
import { type ExportFilter, exportPages } from '../../../gateway/support/export-query.ts';
import { codeOf, UserError } from '../../../shared/errors.ts';
import type { Store } from '../../../sqlite/store.ts';
import type { Output } from '../../terminal/terminal.ts';

type Options = { config?: string; db?: string; csv?: boolean; from?: string; to?: string; status?: string };

const dayMs = 24 * 60 * 60 * 1000;

/** `dialtill ledger export --csv`: collections for a spreadsheet, of whatever number, in constant memory. */
export function registerExport(
  ledger: Command,
  output: Output,
  reading: (options: Options, work: (store: Store) => Promise<void>) => Promise<void>,
): void {
  ledger
    .command('export')
    .description("write collections for a spreadsheet, with payers' whole numbers; times are UTC")
    .requiredOption('--csv', 'as CSV in UTF-8 (RFC 4180); a cell that begins with a single quote is a text')
    .option('--from <day>', 'opened on this day or later, as 2026-03-01')
    .option('--to <day>', 'opened on this day or earlier')
    .addOption(
      new Option('--status <status>', 'in this state only').choices([...openStatuses, ...closedStatuses]),
    )
    .option('--config <file>', 'configuration file whose database to read')
    .option('--db <file>', 'database file to read')
    .addHelpText('after', '\nExample:\n  $ dialtill ledger export --csv --from 2026-03-01 > march.csv')
    .action((options: Options) => {
      const filter = filterOf(options);
      return reading(options, async (store) => {
        try {
          await pipeline(Readable.from(lines(store, filter)), output, { end: false });
        } catch (fault) {
          // Whoever reads has read enough: `… | head`.
          if (codeOf(fault) !== 'EPIPE') throw fault;
        }
      });
    });
}

async function* lines(store: Store, filter: ExportFilter): AsyncGenerator<string> {
  yield exportHead();
  for await (const page of exportPages(store, filter)) yield page.map(exportLine).join('');
}

/** @throws UserError when a day is none, or the last is before the first. */
function filterOf({ from, to, status }: Options): ExportFilter {
  const first = from === undefined ? undefined : startOf(from, '--from');
  const last = to === undefined ? undefined : startOf(to, '--to');
  if (first !== undefined && last !== undefined && last < first)
    throw new UserError('--to is a day before --from');
  return { from: first, before: last === undefined ? undefined : last + dayMs, status };
}

/** The first millisecond of a day in Ghana, which keeps UTC all year. */
function startOf(day: string, option: string): number {
  const at = /^\d{4}-\d\d-\d\d$/.test(day) ? Date.parse(`${day}T00:00:00Z`) : Number.NaN;
  if (Number.isNaN(at) || !new Date(at).toISOString().startsWith(day))
    throw new UserError(`${option} must be a day such as 2026-03-01, not ${day}`);
  return at;
}
