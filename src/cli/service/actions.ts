import type { Command } from 'commander';
import { table } from '../terminal/output.ts';
import { type CommandKit, type CommonOptions, wholeNumber } from './command-kit.ts';
import { actions } from './responses.ts';
import { nextPage, shownTime } from './show.ts';

type Options = CommonOptions & { limit?: number; cursor?: string };

/** `dialtill service actions`. */
export function registerActions(service: Command, desk: CommandKit): void {
  desk
    .command(service, 'actions', 'what was done in the back office, newest first', 'actions --limit 50')
    .option('--limit <count>', 'how many, 1 to 100 (default: 20)', wholeNumber(1, 100))
    .option('--cursor <id>', 'the page after')
    .action(async (options: Options) => {
      const { limit, cursor } = options;
      const found = await desk
        .office(options)
        .get('/actions', actions, { limit: limit === undefined ? undefined : String(limit), cursor });
      desk.show(options, found, ({ data, next_cursor }) =>
        data.length === 0
          ? 'nothing was done yet\n'
          : table(desk.paint, [
              ['at (UTC)', 'action', 'subject', 'request'],
              ...data.map((one) => [shownTime(one.at), one.action, one.subject, one.request_id]),
            ]) + nextPage(desk.paint, next_cursor),
      );
    });
}
