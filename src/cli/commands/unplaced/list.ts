import { listUnplacedEvents, type UnplacedEvent } from '../../../gateway/support/unplaced-events-query.ts';
import { listUnplaced } from '../../../gateway/unplaced/list-query.ts';
import { formatCedis } from '../../../shared/money.ts';
import { readPageRequest } from '../../command-options.ts';
import { printJson, showTime, table } from '../../terminal/output.ts';
import { printable } from '../../terminal/protected-output.ts';
import { type Paint, paintFor } from '../../terminal/terminal.ts';
import { knownPage, pageFooter } from '../ledger/page-text.ts';
import { printLedgerJson, readLedger } from '../ledger/read-ledger.ts';
import { paymentTable } from './payment-table.ts';
import { readViews } from './read-views.ts';
import type { EventsOptions, ListUnplacedOptions, UnplacedDeps } from './types.ts';

/** Prints unplaced payments, newest first. @throws UserError when the cursor is unknown. */
export function listUnplacedCommand(deps: UnplacedDeps, options: ListUnplacedOptions): Promise<void> {
  const { stdout, noColor } = deps;
  const { state, merchant: merchantId } = options;
  const filter = { state: state === 'all' ? undefined : state, merchantId };
  return readLedger(deps.database(options), async (store) => {
    const found = await listUnplaced(store, filter, readPageRequest(options));
    const page = knownPage(found, options, 'unplaced payment');
    const data = await readViews(store, page.data, { now: deps.now(), suggestions: 1 });
    if (options.json) return printJson(stdout, { ...page, data });
    if (page.total === 0) {
      stdout.write(`no ${state === 'all' ? '' : `${state} `}unplaced payments\n`);
      return;
    }
    const sum = `, in suspense ${formatCedis(page.suspendedMinor)}`;
    stdout.write(
      paymentTable(paintFor(stdout, noColor), data) + pageFooter({ ...page, data }, 'unplaced payment', sum),
    );
  });
}

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
