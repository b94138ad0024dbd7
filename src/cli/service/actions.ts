import type { Command } from 'commander';
import { actionPage } from '../../contract/service/admin.ts';
import type { CommandKit } from './command-kit.ts';
import { formatTime } from './format.ts';

/** `dialtill service actions`. */
export function registerActions(service: Command, kit: CommandKit): void {
  kit.list(
    kit.command(service, 'actions', 'list the actions of the admin API, newest first', 'actions --limit 50'),
    {
      page: actionPage,
      path: () => '/actions',
      empty: 'no actions',
      columns: ['time (UTC)', 'action', 'subject', 'request'],
      row: (row) => [formatTime(row.at), row.action, row.subject, row.request_id],
    },
  );
}
