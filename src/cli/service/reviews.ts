import type { Command } from 'commander';
import { formatCedis } from '../../shared/money.ts';
import { table } from '../output.ts';
import { reviews } from './answers.ts';
import type { CommonOptions, Desk } from './desk.ts';
import { shownTime } from './show.ts';

/** `dialtill service reviews`. */
export function registerReviews(service: Command, desk: Desk): void {
  desk
    .command(service, 'reviews', 'list the money that waits for a person, oldest first', 'reviews')
    .action(async (options: CommonOptions) => {
      desk.show(options, await desk.office(options).get('/reviews', reviews), (found) =>
        found.reviews.length === 0
          ? 'nothing waits for a person\n'
          : `${table(desk.paint, [
              ['session', 'merchant', 'why', 'taken', 'opened (UTC)'],
              ...found.reviews.map((one) => [
                one.session_id,
                one.merchant_id,
                one.reason,
                formatCedis(one.paid_minor),
                shownTime(one.opened_at),
              ]),
            ])}decide: dialtill service sessions review <session> accept|reject\n`,
      );
    });
}
