import { readDay } from '../../../gateway/ledger/day.ts';
import { UserError } from '../../../shared/errors.ts';
import { formatCedis } from '../../../shared/money.ts';
import type { CommandGroup } from '../../command-options.ts';
import { openReads, printLedgerJson, type ReadDeps, type ReadOptions } from '../../open-reads.ts';
import { paintFor, plural, showTime, table } from '../../terminal/output.ts';

type BalancesOptions = ReadOptions & { day?: string };

export function registerBalances({ addRead }: CommandGroup, deps: ReadDeps): void {
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
  const { stdout, noColor } = deps;
  const day = options.day === undefined ? undefined : readDay(options.day);
  if (options.day !== undefined && !day)
    throw new UserError(`--day: expected a date such as 2026-03-06, found ${options.day}`);
  const found = await openReads(deps, options, (read) => read('balances', { day }));
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
  stdout.write(table(paintFor(stdout, noColor), [head, ...rows]));
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
