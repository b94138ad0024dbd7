import { findUnmatched, type UnmatchedEvent } from '../../../gateway/support/unmatched-query.ts';
import { formatCedis } from '../../../shared/money.ts';
import { printJson, showTime, table } from '../../terminal/output.ts';
import { printable } from '../../terminal/protected-output.ts';
import { type Paint, paintFor } from '../../terminal/terminal.ts';
import { readLedger } from './read-ledger.ts';
import type { LedgerDeps, LedgerOptions } from './types.ts';

/** Prints the newest events that no collection explains. */
export function unmatchedCommand(deps: LedgerDeps, options: LedgerOptions): Promise<void> {
  const { stdout, noColor } = deps;
  return readLedger(deps.databaseFile(options), async (store) => {
    const rows = await findUnmatched(store);
    if (options.json) printJson(stdout, rows);
    else if (rows.length > 0) stdout.write(eventTable(paintFor(stdout, noColor), rows));
    else stdout.write('no unmatched events\n');
  });
}

function eventTable(paint: Paint, rows: readonly UnmatchedEvent[]): string {
  const lines = rows.map((row) => [
    printable(row.eventId),
    printable(row.type),
    row.amountMinor === null ? '-' : formatCedis(row.amountMinor),
    printable(row.sessionId ?? '-'),
    row.merchantId,
    row.state,
    showTime(row.receivedAt),
  ]);
  const head = ['event', 'type', 'amount', 'payment session', 'merchant', 'state', 'received (UTC)'];
  return table(paint, [head, ...lines]);
}
