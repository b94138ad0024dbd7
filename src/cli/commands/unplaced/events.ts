import { listUnplacedEvents, type UnplacedEvent } from '../../../gateway/support/unplaced-events-query.ts';
import { formatCedis } from '../../../shared/money.ts';
import { showTime, table } from '../../terminal/output.ts';
import { printable } from '../../terminal/protected-output.ts';
import { type Paint, paintFor } from '../../terminal/terminal.ts';
import { readPageRequest } from '../ledger/page-options.ts';
import { knownPage, pageFooter } from '../ledger/page-text.ts';
import { printLedgerJson } from '../ledger/print-json.ts';
import { readLedger } from '../ledger/read-ledger.ts';
import type { EventsOptions, UnplacedDeps } from './types.ts';

/** Prints the events that no collection explains, newest first. @throws UserError when the cursor is unknown. */
export function eventsCommand(deps: UnplacedDeps, options: EventsOptions): Promise<void> {
  const { stdout, noColor } = deps;
  return readLedger(deps.database(options), async (store) => {
    const page = knownPage(await listUnplacedEvents(store, readPageRequest(options)), options, 'event');
    if (options.json) printLedgerJson(stdout, page, options);
    else if (page.total > 0)
      stdout.write(eventTable(paintFor(stdout, noColor), page.data) + pageFooter(page, 'event'));
    else stdout.write('no events without a collection\n');
  });
}

function eventTable(paint: Paint, rows: readonly UnplacedEvent[]): string {
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
