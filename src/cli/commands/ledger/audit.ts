import { type ActionRow, listActions } from '../../../gateway/support/action-query.ts';
import { describeDetail } from '../../../gateway/support/describe-detail.ts';
import { parseMsisdn } from '../../../shared/msisdn.ts';
import { readPageRequest } from '../../command-options.ts';
import { showTime, table } from '../../terminal/output.ts';
import { printable } from '../../terminal/protected-output.ts';
import { type Paint, paintFor } from '../../terminal/terminal.ts';
import { readTimes } from './filter-options.ts';
import { knownPage, pageFooter } from './page-text.ts';
import { printLedgerJson, readLedger } from './read-ledger.ts';
import type { AuditOptions, LedgerDeps } from './types.ts';

/** Prints who did what, to what, why and when, newest first. @throws UserError when an option is invalid. */
export async function auditCommand(deps: LedgerDeps, options: AuditOptions): Promise<void> {
  const { stdout, noColor } = deps;
  const { actor, action, merchant: merchantId } = options;
  const subject =
    options.subject === undefined ? undefined : (parseMsisdn(options.subject) ?? options.subject);
  const filter = { actor, action, subject, merchantId, ...readTimes(options) };
  return readLedger(deps.database(options), async (store) => {
    const page = knownPage(await listActions(store, filter, readPageRequest(options)), options, 'action');
    if (options.json) {
      const data = page.data.map((row) => ({ ...row, detail: JSON.parse(row.detail) }));
      return printLedgerJson(stdout, { ...page, data });
    }
    if (page.total === 0) return stdout.write('no actions\n');
    stdout.write(actionTable(paintFor(stdout, noColor), page.data) + pageFooter(page, 'action'));
  });
}

function actionTable(paint: Paint, rows: readonly ActionRow[]): string {
  const head = ['at (UTC)', 'who', 'action', 'result', 'subject', 'merchant', 'detail'];
  const lines = rows.map(({ at, actor, action, result, subjectId, merchantId, detail }) => [
    ...[showTime(at), actor, action, result, printable(subjectId), merchantId ?? 'all'],
    printable(describeDetail(JSON.parse(detail))),
  ]);
  return table(paint, [head, ...lines]);
}
