import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type Command, Option } from 'commander';
import { readDay } from '../../../gateway/ledger/day.ts';
import { type ExportTime, exportTimes } from '../../../gateway/support/export/csv.ts';
import type { CollectionFilter } from '../../../gateway/support/selection-query.ts';
import { errorCode, UserError } from '../../../shared/errors.ts';
import { formatCedis } from '../../../shared/money.ts';
import { plural } from '../../../shared/plural.ts';
import { showTime } from '../../../shared/time-text.ts';
import type { Snapshots } from '../../../sqlite/store.ts';
import { addDatabaseOptions, addGroup, type CommandGroup } from '../../command-options.ts';
import {
  type DatabaseOptions,
  printLedgerJson,
  type ReadDeps,
  type ReadOptions,
  readByName,
  readLedgerInParts,
} from '../../open-reads.ts';
import type { ConnectStaff } from '../../staff/staff-client.ts';
import { table } from '../../terminal/output.ts';
import { registerActions, registerAudit } from './actions.ts';
import { registerCaller } from './caller.ts';
import { registerCollections } from './collections.ts';
import { addFilterOptions, type FilterOptions, readFilterOptions } from './filter-options.ts';
import { registerShow, type ShowDeps } from './show.ts';
import { registerSealKey, registerVerify, type SealKeyDeps, type VerifyDeps } from './verify.ts';

type BalancesOptions = ReadOptions & { day?: string };

function registerBalances({ addRead }: CommandGroup, deps: ReadDeps): void {
  addRead({
    usage: 'balances',
    description: 'print the balance of every account',
    examples: ['balances', 'balances --day 2026-03-06'],
  })
    .option('--day <date>', 'only the postings of this day in Accra, from midnight to midnight')
    .action((options: BalancesOptions) => printBalances(deps, options));
}

/** Prints the balance of every account, of all time or of one day. @throws UserError when the day is invalid. */
async function printBalances(deps: ReadDeps, options: BalancesOptions): Promise<void> {
  const { stdout } = deps;
  const day = options.day === undefined ? undefined : readDay(options.day);
  if (options.day !== undefined && !day)
    throw new UserError(`--day: expected a date such as 2026-03-06, found ${options.day}`);
  const found = await readByName(deps, options, 'balances', { day });
  if (options.json) return printLedgerJson(stdout, found);
  const { balances, unconfirmed, unplaced } = found;
  const rows = balances.map((one) => [
    one.account,
    getMode(one),
    formatCedis(one.amountMinor).padStart(16),
    String(one.postings),
  ]);
  const sum = balances.reduce((total, one) => total + one.amountMinor, 0);
  const head = ['account', 'mode', 'balance'.padStart(16), 'postings'];
  stdout.write(table(stdout.paint, [head, ...rows]));
  stdout.write(`sum of all accounts: ${formatCedis(sum)}\n`);
  for (const one of unconfirmed) {
    const amount = `${formatCedis(one.amountMinor)} in ${plural(one.count, 'payment')}`;
    stdout.write(`unconfirmed now (${getMode(one)}, ${one.merchantId}): ${amount}\n`);
  }
  for (const one of unplaced) {
    const amount = `${formatCedis(one.suspendedMinor)} in ${plural(one.count, 'payment')}`;
    const since = showTime(one.oldestAt);
    stdout.write(`unplaced now (${getMode(one)}, ${one.merchantId}): ${amount}, oldest of ${since}\n`);
  }
}

function getMode({ livemode }: { livemode: number }): string {
  return livemode ? 'live' : 'test';
}

type ExportOptions = DatabaseOptions & FilterOptions & { csv?: boolean; by: ExportTime };

const help = `
Examples:
  $ dialtill ledger export --from 2026-03-01 > opened.csv
  $ dialtill ledger export --by booked --from 2026-03-06 --to 2026-03-06 > received.csv

The received amounts of an export by booking time add up to ledger balances of the same day. Unplaced payments have lines of their own.`;

function registerExport({ command: ledger }: CommandGroup, deps: ReadDeps): void {
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

/** Writes collections as CSV, in constant memory. @throws UserError when a filter has a value that no collection can have. */
async function exportCsv(deps: ReadDeps, options: ExportOptions): Promise<void> {
  const { database, now, stdout } = deps;
  const zones = options.merchant === undefined ? undefined : await deps.timeZones?.(options);
  const filter = readFilterOptions(options, now?.(), zones?.[options.merchant ?? '']);
  await readLedgerInParts(database(options), async (snapshots) => {
    const { resolveFilter } = await import('../../../gateway/support/known-values-query.ts');
    const resolved = await snapshots.read((store) => resolveFilter(store, filter));
    if (!resolved.ok) throw new UserError(resolved.message);
    try {
      await pipeline(Readable.from(lines(snapshots, resolved.filter, options.by)), stdout.data, {
        end: false,
      });
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

export type LedgerDeps = ReadDeps &
  ShowDeps &
  VerifyDeps &
  SealKeyDeps & {
    /** Without it, the group has no command that a running gateway carries out. */
    staffClient?: ConnectStaff;
  };

/** Adds `dialtill ledger`. Each command imports what it works with when it runs: a search loads neither the audit nor the transcripts. */
export function registerLedger(program: Command, { staffClient, ...deps }: LedgerDeps): void {
  const ledger = addGroup(program, { path: 'ledger', examples: ['find 0244123456'] });
  registerCollections(ledger, deps);
  registerCaller(ledger, deps);
  registerAudit(ledger, deps);
  registerShow(ledger, deps);
  registerBalances(ledger, deps);
  registerVerify(ledger, deps);
  registerSealKey(ledger, deps);
  registerExport(ledger, deps);
  if (staffClient) registerActions(ledger, { stdout: deps.stdout, staffClient });
}
