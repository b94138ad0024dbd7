import type { ActionRow } from '../../../gateway/support/action-query.ts';
import { describeDetail } from '../../../gateway/support/describe-detail.ts';
import { parseMsisdn } from '../../../shared/msisdn.ts';
import { type CommandGroup, readPageRequest } from '../../command-options.ts';
import { knownPage, openReads, printLedgerJson, type ReadDeps } from '../../open-reads.ts';
import { pageFooter, showTime, table } from '../../terminal/output.ts';
import { printable } from '../../terminal/protected-output.ts';
import { paintFor } from '../../terminal/terminal.ts';
import { addList, type PagedOptions } from './collections.ts';
import { type FilterOptions, readTimes } from './filter-options.ts';

type AuditOptions = PagedOptions &
  Pick<FilterOptions, 'from' | 'to' | 'merchant'> & { actor?: string; action?: string; subject?: string };

export function registerAudit(ledger: CommandGroup, deps: ReadDeps): void {
  addList(ledger, {
    usage: 'audit',
    description: 'list what support staff did, newest first: who, what, to what, why and when',
    examples: ['audit', 'audit --actor ama --from 2026-03-01', 'audit --subject col_01k… --json'],
  })
    .option('--actor <name>', 'only actions of this person')
    .option('--action <name>', 'only actions of this kind, such as note, assign, check or block')
    .option('--subject <id>', 'only actions about this collection or number')
    .option('--merchant <id>', 'only actions about this merchant')
    .option('--from <time>', 'only actions from this day or minute on')
    .option('--to <time>', 'only actions up to the end of this day or minute')
    .action((options: AuditOptions) => audit(deps, options));
}

/** Prints who did what, to what, why and when, newest first. @throws UserError when an option is invalid. */
async function audit(deps: ReadDeps, options: AuditOptions): Promise<void> {
  const { stdout, noColor } = deps;
  const { actor, action, merchant: merchantId } = options;
  const subject =
    options.subject === undefined ? undefined : (parseMsisdn(options.subject) ?? options.subject);
  const filter = { actor, action, subject, merchantId, ...readTimes(options) };
  const input = { filter, ...readPageRequest(options) };
  const found = await openReads(deps, options, (read) => read('actions', input));
  const page = knownPage(found, options, 'action');
  if (options.json) {
    const data = page.data.map((row) => ({ ...row, detail: JSON.parse(row.detail) }));
    return printLedgerJson(stdout, { ...page, data });
  }
  if (page.total === 0) return stdout.write('no actions\n');
  const head = ['at (UTC)', 'who', 'action', 'result', 'subject', 'merchant', 'detail'];
  const rows = [head, ...page.data.map(cells)];
  stdout.write(table(paintFor(stdout, noColor), rows) + pageFooter(page, 'action'));
}

function cells({ at, actor, action, result, subjectId, merchantId, detail }: ActionRow): string[] {
  return [
    ...[showTime(at), actor, action, result, printable(subjectId), merchantId ?? 'all'],
    printable(describeDetail(JSON.parse(detail))),
  ];
}
