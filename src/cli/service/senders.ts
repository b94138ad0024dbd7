import type { Command } from 'commander';
import { removedSender, sender, senderPage } from '../../contract/admin.ts';
import { table } from '../terminal/output.ts';
import { type AdminClient, pathSegment } from './admin-client.ts';
import { addPageOptions, type PageOptions, pageQuery } from './arguments.ts';
import { type CommandKit, type MerchantOptions, merchantOption, merchantPath } from './command-kit.ts';
import { formatTime, nextPageHint } from './format.ts';

/** `dialtill service senders`. */
export function registerSenders(service: Command, kit: CommandKit): void {
  const group = service
    .command('senders')
    .description('list, approve and remove the sender names of a merchant');
  const pathOf = async (client: AdminClient, options: MerchantOptions) =>
    `${await merchantPath(client, options)}/senders`;

  const list = kit
    .command(group, 'list', 'list the approved sender names', 'list')
    .addOption(merchantOption());
  addPageOptions(list).action(async (options: MerchantOptions & PageOptions) => {
    const client = kit.client(options);
    const page = await client.get(await pathOf(client, options), senderPage, pageQuery(options));
    kit.print(options, page, ({ data, next_cursor }) =>
      data.length === 0
        ? 'no senders. Approve one: dialtill service senders approve ABENA\n'
        : table(kit.paint, [
            ['sender', 'approved (UTC)'],
            ...data.map(({ name, approved_at }) => [name, formatTime(approved_at)]),
          ]) + nextPageHint(kit.paint, next_cursor),
    );
  });

  kit
    .command(group, 'approve <name>', 'allow a merchant to send SMS under a name', 'approve ABENA')
    .addOption(merchantOption())
    .action(async (name: string, options: MerchantOptions) => {
      const client = kit.client(options);
      const path = `${await pathOf(client, options)}/${pathSegment(name)}`;
      const approved = await client.send('PUT', path, sender);
      kit.print(options, approved, (row) => `${row.name} approved ${formatTime(row.approved_at)}\n`);
    });

  kit
    .command(group, 'remove <name>', 'remove a sender name of a merchant', 'remove ABENA')
    .addOption(merchantOption())
    .action(async (name: string, options: MerchantOptions) => {
      const client = kit.client(options);
      const path = await pathOf(client, options);
      const { data, has_more } = await client.get(path, senderPage, { limit: '100' });
      // The name may be on a further page.
      const wasApproved = has_more || data.some((row) => row.name === name);
      const removed = await client.send('DELETE', `${path}/${pathSegment(name)}`, removedSender);
      kit.print(options, removed, (row) =>
        wasApproved
          ? `${row.name} is removed\n`
          : `${row.name} was not an approved sender of this merchant: nothing to remove\n`,
      );
    });
}
