import type { Command } from 'commander';
import { reviewPage } from '../../contract/service/admin.ts';
import { formatCedis } from '../../shared/money.ts';
import type { CommandKit } from './command-kit.ts';
import { formatTime } from './format.ts';

/** `dialtill service reviews` and `refunds`. */
export function registerReviews(service: Command, kit: CommandKit): void {
  const open = 'list the open reviews of money that does not fit its session, oldest first';
  kit.list(kit.command(service, 'reviews', open, 'reviews'), {
    page: reviewPage,
    path: () => '/reviews',
    empty: 'no open reviews',
    columns: ['session', 'merchant', 'reason', 'charged', 'opened (UTC)'],
    row: (row) => [
      row.session_id,
      row.merchant_id,
      row.reason,
      formatCedis(row.paid_minor),
      formatTime(row.opened_at),
    ],
    hint: 'decide: dialtill service sessions review <session> accept|reject',
  });

  const due =
    'list the refunds that are due: rejected money that was not returned yet, the oldest decision first';
  kit.list(kit.command(service, 'refunds', due, 'refunds'), {
    page: reviewPage,
    path: () => '/refunds',
    empty: 'no refunds are due',
    columns: ['session', 'merchant', 'mode', 'reason', 'due', 'rejected (UTC)'],
    row: (row) => [
      row.session_id,
      row.merchant_id,
      row.livemode ? 'live' : 'test',
      row.reason,
      formatCedis(row.refund?.amount_minor ?? row.paid_minor),
      formatTime(row.resolved_at),
    ],
    hint: 'settle: dialtill service sessions refund <session> --reference <transfer> --by <name>',
  });
}
