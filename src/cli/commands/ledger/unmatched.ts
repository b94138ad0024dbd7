import { listUnmatched, type UnmatchedEvent } from '../../../gateway/support/unmatched-query.ts';
import { formatCedis } from '../../../shared/money.ts';
import { showTime, table } from '../../terminal/output.ts';
import { printable } from '../../terminal/protected-output.ts';
import { type Paint, paintFor } from '../../terminal/terminal.ts';
import { readPageRequest } from './page-options.ts';
import { knownPage, pageFooter } from './page-text.ts';
import { printLedgerJson } from './print-json.ts';
import { readLedger } from './read-ledger.ts';
import type { LedgerDeps, PagedOptions } from './types.ts';

/** Prints the events that no collection explains, newest first. @throws UserError when the cursor is unknown. */
export function unmatchedCommand(deps: LedgerDeps, options: PagedOptions): Promise<void> {
  const { stdout, noColor } = deps;
  return readLedger(deps.databaseFile(options), async (store) => {
    const page = knownPage(await listUnmatched(store, readPageRequest(options)), options, 'event');
    if (options.json) printLedgerJson(stdout, page, options);
    else if (page.total > 0)
      stdout.write(eventTable(paintFor(stdout, noColor), page.data) + pageFooter(page, 'events'));
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
