import type { Command } from 'commander';
import { actionPage } from '../../contract/service/admin.ts';
import { table } from '../terminal/output.ts';
import { addServicePageOptions, type ServicePageOptions, servicePageQuery } from './arguments.ts';
import type { CommandKit, CommonOptions } from './command-kit.ts';
import { formatTime, nextPageHint } from './format.ts';

/** `dialtill service actions`. */
export function registerActions(service: Command, kit: CommandKit): void {
  const command = kit.command(
    service,
    'actions',
    'list the actions of the admin API, newest first',
    'actions --limit 50',
  );
  addServicePageOptions(command).action(async (options: CommonOptions & ServicePageOptions) => {
    const page = await kit.client(options).get('/actions', actionPage, servicePageQuery(options));
    kit.print(options, page, ({ data, next_cursor }) =>
      data.length === 0
        ? 'no actions\n'
        : table(kit.paint, [
            ['time (UTC)', 'action', 'subject', 'request'],
            ...data.map((row) => [formatTime(row.at), row.action, row.subject, row.request_id]),
          ]) + nextPageHint(kit.paint, next_cursor),
    );
  });
}
