import type { Command } from 'commander';
import { reviewPage } from '../../contract/service/admin.ts';
import { formatCedis } from '../../shared/money.ts';
import { table } from '../terminal/output.ts';
import { addServicePageOptions, type ServicePageOptions, servicePageQuery } from './arguments.ts';
import type { CommandKit, CommonOptions } from './command-kit.ts';
import { formatTime, nextPageHint } from './format.ts';

/** `dialtill service reviews` and `refunds`. */
export function registerReviews(service: Command, kit: CommandKit): void {
  registerOpenReviews(service, kit);
  registerRefundsDue(service, kit);
}

function registerOpenReviews(service: Command, kit: CommandKit): void {
  const command = kit.command(
    service,
    'reviews',
    'list the open reviews of money that does not fit its session, oldest first',
    'reviews',
  );
  addServicePageOptions(command).action(async (options: CommonOptions & ServicePageOptions) => {
    const page = await kit.client(options).get('/reviews', reviewPage, servicePageQuery(options));
    kit.print(options, page, ({ data, next_cursor }) => {
      if (data.length === 0) return 'no open reviews\n';
      const rows = data.map((row) => [
        row.session_id,
        row.merchant_id,
        row.reason,
        formatCedis(row.paid_minor),
        formatTime(row.opened_at),
      ]);
      return (
        table(kit.paint, [['session', 'merchant', 'reason', 'charged', 'opened (UTC)'], ...rows]) +
        nextPageHint(kit.paint, next_cursor) +
        'decide: dialtill service sessions review <session> accept|reject\n'
      );
    });
  });
}

function registerRefundsDue(service: Command, kit: CommandKit): void {
  const command = kit.command(
    service,
    'refunds',
    'list the refunds that are due: rejected money that was not returned yet, the oldest decision first',
    'refunds',
  );
  addServicePageOptions(command).action(async (options: CommonOptions & ServicePageOptions) => {
    const page = await kit.client(options).get('/refunds', reviewPage, servicePageQuery(options));
    kit.print(options, page, ({ data, next_cursor }) => {
      if (data.length === 0) return 'no refunds are due\n';
      const rows = data.map((row) => [
        row.session_id,
        row.merchant_id,
        row.livemode ? 'live' : 'test',
        row.reason,
        formatCedis(row.refund?.amount_minor ?? row.paid_minor),
        formatTime(row.resolved_at),
      ]);
      return (
        table(kit.paint, [['session', 'merchant', 'mode', 'reason', 'due', 'rejected (UTC)'], ...rows]) +
        nextPageHint(kit.paint, next_cursor) +
        'settle: dialtill service sessions refund <session> --reference <transfer> --by <name>\n'
      );
    });
  });
}
