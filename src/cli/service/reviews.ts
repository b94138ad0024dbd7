import type { Command } from 'commander';
import { formatCedis } from '../../shared/money.ts';
import { table } from '../terminal/output.ts';
import { type CommandKit, type CommonOptions, wholeNumber } from './command-kit.ts';
import { reviews } from './responses.ts';
import { nextPage, shownTime } from './show.ts';

type ListOptions = CommonOptions & { limit?: number; cursor?: string };

/** `dialtill service reviews`. */
export function registerReviews(service: Command, desk: CommandKit): void {
  desk
    .command(service, 'reviews', 'list the money that waits for a person, oldest first', 'reviews')
    .option('--limit <count>', 'how many, 1 to 100 (default: 20)', wholeNumber(1, 100))
    .option('--cursor <place>', 'the page after')
    .action(async (options: ListOptions) => {
      const { limit, cursor } = options;
      const query = { limit: limit === undefined ? undefined : String(limit), cursor };
      const found = await desk.office(options).get('/reviews', reviews, query);
      desk.show(options, found, ({ data, next_cursor }) =>
        data.length === 0
          ? 'nothing waits for a person\n'
          : `${table(desk.paint, [
              ['session', 'merchant', 'why', 'taken', 'opened (UTC)'],
              ...data.map((one) => [
                one.session_id,
                one.merchant_id,
                one.reason,
                formatCedis(one.paid_minor),
                shownTime(one.opened_at),
              ]),
            ])}${nextPage(desk.paint, next_cursor)}decide: dialtill service sessions review <session> accept|reject\n`,
      );
    });
}
