import type { Command } from 'commander';
import { addFilterOptions } from './filter-options.ts';
import { addPageOptions } from './page-options.ts';
import type { AuditOptions, CommandHelp, LedgerDeps, ListOptions, PagedOptions } from './types.ts';

export const fullHelp = 'with --json: print idempotency keys and bodies of requests and events, too';

/** Adds the commands that print lists with pages: `find`, `list`, `reviews` and `audit`. */
export function registerLists(addCommand: (help: CommandHelp) => Command, deps: LedgerDeps): void {
  const addList = (help: CommandHelp) => addPageOptions(addCommand(help)).option('--full', fullHelp);

  addList({
    usage: 'find <term...>',
    description:
      'find collections by phone number or its last digits, reference or a part of it, short reference, amount, collection id or payment session id, and unplaced payments by phone number, reference or id; the start of an id is enough',
    examples: [
      'find 0244123456',
      'find 3456',
      'find KA1024',
      'find 4821 7362',
      'find 20.50',
      'find pay_01k8n2rm',
    ],
  }).action(async (words: string[], options: PagedOptions) =>
    (await import('./print-collections.ts')).findCommand(deps, words.join(' '), options),
  );

  addFilterOptions(
    addList({
      usage: 'list',
      description:
        'list the collections that match every filter, newest first, with their count and the sum of their prices',
      examples: [
        'list --status review --from 2026-03-01',
        'list --from 2026-03-06T09:00 --to 2026-03-06T10:30 --min 20 --max 25',
        'list --status failed --reason declined --network mtn --limit 20',
        'list --merchant demo-shop --last4 3456 --json',
      ],
    }),
  ).action(async (options: ListOptions) =>
    (await import('./print-collections.ts')).listCommand(deps, options),
  );

  addList({
    usage: 'reviews',
    description: 'list the collections in review, newest first: a person must decide about them',
    examples: ['reviews', 'reviews --limit 20'],
  }).action(async (options: PagedOptions) =>
    (await import('./print-collections.ts')).reviewsCommand(deps, options),
  );

  addList({
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
    .action(async (options: AuditOptions) => (await import('./staff/audit.ts')).auditCommand(deps, options));
}
