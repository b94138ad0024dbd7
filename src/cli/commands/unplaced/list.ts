import { listUnplaced } from '../../../gateway/unplaced/list-query.ts';
import { UserError } from '../../../shared/errors.ts';
import { formatCedis } from '../../../shared/money.ts';
import { printJson } from '../../terminal/output.ts';
import { paintFor } from '../../terminal/terminal.ts';
import { readPageRequest } from '../ledger/page-options.ts';
import { pageFooter } from '../ledger/page-text.ts';
import { readLedger } from '../ledger/read-ledger.ts';
import { paymentTable } from './payment-table.ts';
import { readViews } from './read-views.ts';
import type { ListUnplacedOptions, UnplacedDeps } from './types.ts';

/** Prints unplaced payments, newest first. @throws UserError when the cursor is unknown. */
export function listCommand(deps: UnplacedDeps, options: ListUnplacedOptions): Promise<void> {
  const { stdout, noColor } = deps;
  const { state, merchant: merchantId } = options;
  const filter = { state: state === 'all' ? undefined : state, merchantId };
  return readLedger(deps.database(options), async (store) => {
    const page = await listUnplaced(store, filter, readPageRequest(options));
    if (page === 'unknown_cursor')
      throw new UserError(
        `--after: the ledger has no unplaced payment ${options.after}. Use the cursor that the previous page printed`,
      );
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
