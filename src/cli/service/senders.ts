import type { Command } from 'commander';
import { removedSender, sender, senderList } from '../../contract/admin.ts';
import { table } from '../terminal/output.ts';
import { type AdminClient, pathSegment } from './admin-client.ts';
import { type CommandKit, type MerchantOptions, merchantOption, merchantPath } from './command-kit.ts';
import { formatTime, isFullList } from './format.ts';

/** `dialtill service senders`. */
export function registerSenders(service: Command, kit: CommandKit): void {
  const group = service
    .command('senders')
    .description('list, approve and remove the sender names of a merchant');
  const pathOf = async (client: AdminClient, options: MerchantOptions) =>
    `${await merchantPath(client, options)}/senders`;

  kit
    .command(group, 'list', 'list the approved sender names', 'list')
    .addOption(merchantOption())
    .action(async (options: MerchantOptions) => {
      const client = kit.client(options);
      kit.print(options, await client.get(await pathOf(client, options), senderList), ({ senders }) =>
        senders.length === 0
          ? 'no senders. Approve one: dialtill service senders approve ABENA\n'
          : table(kit.paint, [
              ['sender', 'approved (UTC)'],
              ...senders.map(({ name, approved_at }) => [name, formatTime(approved_at)]),
            ]),
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
      const { senders } = await client.get(path, senderList);
      // A full list may leave the name out.
      const wasApproved = isFullList(senders) || senders.some((row) => row.name === name);
      const removed = await client.send('DELETE', `${path}/${pathSegment(name)}`, removedSender);
      kit.print(options, removed, (row) =>
        wasApproved
          ? `${row.name} is removed\n`
          : `${row.name} was not an approved sender of this merchant: nothing to remove\n`,
      );
    });
}
