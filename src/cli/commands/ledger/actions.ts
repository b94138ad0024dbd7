import type { ActionRow } from '../../../gateway/support/action-query.ts';
import { describeDetail } from '../../../gateway/support/timeline.ts';
import { localForm, type Msisdn, parseMsisdn } from '../../../shared/msisdn.ts';
import { showTime } from '../../../shared/time-text.ts';
import { type ActionDeps, act, type CommandGroup, readPageRequest } from '../../command-options.ts';
import { printLedgerJson, type ReadDeps, readPage } from '../../open-reads.ts';
import type { StaffFlags } from '../../staff/staff-client.ts';
import { pageFooter, printable, printRows } from '../../terminal/output.ts';
import { addList, type PagedOptions } from './collections.ts';
import { type FilterOptions, readTimes } from './filter-options.ts';

export function registerActions(ledger: CommandGroup, deps: ActionDeps): void {
  /** The answers of operations. Only a command that runs loads them. */
  const answers = () => import('../../../contract/staff/staff.ts');

  ledger
    .addAction({
      usage: 'check-now <id>',
      description: 'poll the service about a collection now, instead of at the next time of its plan',
      examples: ['check-now col_01k…'],
    })
    .action(async (id: string, options: StaffFlags) => {
      const { checkNowAnswer: schema } = await answers();
      await act(deps, options, { path: ['collections', id, 'check'], schema }, ({ collectionId, status }) => {
        const next = `the gateway polls it now. Read the result with "dialtill ledger show ${collectionId}"`;
        return `${collectionId} is ${status}; ${next}`;
      });
    });

  ledger
    .addAction({
      usage: 'assign <id> <name>',
      description: 'hand a collection over to a person of support staff; the name none ends the assignment',
      examples: ['assign col_01k… kofi'],
    })
    .action(async (id: string, name: string, options: StaffFlags) => {
      const { assignAnswer: schema } = await answers();
      const body = { to: name === 'none' ? null : name };
      const change = { path: ['collections', id, 'assign'], schema, body };
      await act(deps, options, change, ({ collectionId, to, actor }) => {
        const done = to === null ? `unassigned ${collectionId}` : `assigned ${collectionId} to ${to}`;
        return `${done} by ${actor}`;
      });
    });

  ledger
    .addAction({
      usage: 'note <id> <text>',
      description: 'record a note about a collection; notes are never deleted, so do not write personal data',
      examples: ['note col_01k… "the payer called, and sends the receipt"'],
    })
    .action(async (id: string, text: string, options: StaffFlags) => {
      const { noteAnswer: schema } = await answers();
      const change = { path: ['collections', id, 'notes'], schema, body: { text } };
      await act(deps, options, change, ({ collectionId, actor }) => `noted on ${collectionId} by ${actor}`);
    });

  ledger
    .addAction({
      usage: 'reveal <id>',
      description: 'show the whole numbers of a collection, and record who saw them and why',
      examples: ['reveal col_01k… --reason "the payer never asked for it"'],
    })
    .requiredOption('--reason <text>', 'why; it is recorded and never deleted')
    .action(async (id: string, { reason, ...options }: StaffFlags & { reason: string }) => {
      const { revealAnswer: schema } = await answers();
      const { describeAnswer } = await import('../../../gateway/collection/answers.ts');
      const change = { path: ['collections', id, 'reveal'], schema, body: { reason } };
      await act(deps, options, change, (answer) =>
        [
          `payer       ${localForm(answer.payer as Msisdn)}`,
          `dialled by  ${localForm(answer.dialler as Msisdn)}`,
          ...answer.answers.map((one) => `answer      ${describeAnswer(one)}`),
          `Until ${showTime(Date.parse(answer.until))} UTC, "dialtill ledger show ${answer.collectionId}" shows them too.`,
        ].join('\n'),
      );
    });
}

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
  const { actor, action, merchant: merchantId } = options;
  const subject =
    options.subject === undefined ? undefined : (parseMsisdn(options.subject) ?? options.subject);
  const filter = { actor, action, subject, merchantId, ...readTimes(options) };
  const input = { filter, ...readPageRequest(options) };
  const page = await readPage(deps, options, ['actions', input], 'action');
  if (options.json) {
    const data = page.data.map((row) => ({ ...row, detail: JSON.parse(row.detail) }));
    return printLedgerJson(deps.stdout, { ...page, data });
  }
  const head = ['at (UTC)', 'who', 'action', 'result', 'subject', 'merchant', 'detail'];
  printRows(deps.stdout, page, { none: 'no actions', head, cells, footer: pageFooter(page, 'action') });
}

function cells({ at, actor, action, result, subjectId, merchantId, detail }: ActionRow): string[] {
  return [
    ...[showTime(at), actor, action, result, printable(subjectId), merchantId ?? 'all'],
    printable(describeDetail(JSON.parse(detail))),
  ];
}
