import { sumUnconfirmed } from '../../../gateway/collection/store/unconfirmed-query.ts';
import { readDay } from '../../../gateway/ledger/day.ts';
import { ledgerStore } from '../../../gateway/ledger/ledger-store.ts';
import { sumAllUnplaced } from '../../../gateway/unplaced/summary-query.ts';
import { UserError } from '../../../shared/errors.ts';
import { formatCedis } from '../../../shared/money.ts';
import { plural, showTime, table } from '../../terminal/output.ts';
import { paintFor } from '../../terminal/terminal.ts';
import { printLedgerJson, readLedger } from './read-ledger.ts';
import type { BalancesOptions, LedgerDeps } from './types.ts';

/** Prints the balance of every account, of all time or of one day. @throws UserError when the day is invalid. */
export function balancesCommand(deps: LedgerDeps, options: BalancesOptions): Promise<void> {
  const { stdout, noColor } = deps;
  const day = options.day === undefined ? undefined : readDay(options.day);
  if (options.day !== undefined && !day)
    throw new UserError(`--day: expected a date such as 2026-03-06, found ${options.day}`);
  return readLedger(deps.database(options), async (store) => {
    const balances = await ledgerStore(store).balances(day);
    const unconfirmed = await sumUnconfirmed(store);
    const unplaced = await sumAllUnplaced(store);
    if (options.json) return printLedgerJson(stdout, { balances, unconfirmed, unplaced });
    const rows = balances.map((one) => [
      one.account,
      modeOf(one),
      formatCedis(one.amountMinor).padStart(16),
      String(one.postings),
    ]);
    const sum = balances.reduce((total, one) => total + one.amountMinor, 0);
    const head = ['account', 'mode', 'balance'.padStart(16), 'postings'];
    stdout.write(table(paintFor(stdout, noColor), [head, ...rows]));
    stdout.write(`sum of all accounts: ${formatCedis(sum)}\n`);
    for (const one of unconfirmed) {
      const amount = `${formatCedis(one.amountMinor)} in ${plural(one.count, 'payment')}`;
      stdout.write(`unconfirmed now (${modeOf(one)}, ${one.merchantId}): ${amount}\n`);
    }
    for (const one of unplaced) {
      const amount = `${formatCedis(one.suspendedMinor)} in ${plural(one.count, 'payment')}`;
      const since = showTime(one.oldestAt);
      stdout.write(`unplaced now (${modeOf(one)}, ${one.merchantId}): ${amount}, oldest of ${since}\n`);
    }
  });
}

function modeOf({ livemode }: { livemode: number }): string {
  return livemode ? 'live' : 'test';
}
