import type { Command } from 'commander';
import {
  merchant,
  merchantPage,
  platform,
  platformPage,
  removedSender,
  sender,
  senderPage,
} from '../../contract/service/admin.ts';
import { type AdminClient, pathSegment } from './admin-client.ts';
import {
  type CommandKit,
  type CommonOptions,
  type MerchantOptions,
  merchantOption,
  merchantPath,
} from './command-kit.ts';
import { formatFields, formatTime } from './format.ts';

/** `dialtill service merchants`. */
export function registerMerchants(service: Command, kit: CommandKit): void {
  const group = service.command('merchants').description('list, create and approve merchants');

  kit.list(kit.command(group, 'list', 'list merchants, newest first', 'list'), {
    page: merchantPage,
    path: () => '/merchants',
    empty: 'no merchants. Create one: dialtill service merchants create "Abena Stores"',
    columns: ['merchant', 'name', 'offline collections', 'created (UTC)'],
    row: (row) => [row.id, row.name, formatApproval(row.offline_approved_at), formatTime(row.created_at)],
  });

  kit
    .command(group, 'create <name>', 'create a merchant with a first platform', 'create "Abena Stores"')
    .action(async (name: string, options: CommonOptions) => {
      const created = await kit.client(options).send('POST', '/merchants', merchant, { name });
      kit.print(
        options,
        created,
        ({ id, name }) =>
          `Created ${id}, ${name}. It is not approved for offline collections.\n` +
          `Next: dialtill service merchants approve ${id}\n` +
          `      dialtill service keys create --merchant ${id}\n`,
      );
    });

  kit
    .command(group, 'show <id>', 'show a merchant and its platforms', 'show mch_01k…')
    .action(async (id: string, options: CommonOptions) => {
      const client = kit.client(options);
      const path = `/merchants/${pathSegment(id)}`;
      const found = await client.get(path, merchant);
      const platforms = await client.get(`${path}/platforms`, platformPage, { limit: '100' });
      kit.print(options, { ...found, platforms }, (shown) =>
        formatFields([
          ['merchant', shown.id],
          ['name', shown.name],
          ['offline', formatApproval(shown.offline_approved_at)],
          ['created', formatTime(shown.created_at)],
          ...shown.platforms.data.map((platform) => ['platform', `${platform.id} ${platform.name}`] as const),
        ]),
      );
    });

  const registerApproval = (verb: 'approve' | 'withdraw', description: string) =>
    kit
      .command(group, `${verb} <id>`, description, `${verb} mch_01k…`)
      .action(async (id: string, options: CommonOptions) => {
        const path = `/merchants/${pathSegment(id)}/${verb}-offline`;
        const changed = await kit.client(options).send('POST', path, merchant);
        kit.print(options, changed, (row) => `${row.name}: ${formatApproval(row.offline_approved_at)}\n`);
      });
  registerApproval('approve', 'approve a merchant for offline collections');
  registerApproval('withdraw', 'withdraw the approval; open sessions continue');
}

function formatApproval(approvedAt: string | null): string {
  return approvedAt === null ? 'not approved' : `approved ${formatTime(approvedAt)}`;
}

/** `dialtill service platforms`. */
export function registerPlatforms(service: Command, kit: CommandKit): void {
  const group = service
    .command('platforms')
    .description("list and create a merchant's platforms: its sites, apps and tills");

  const list = kit.command(group, 'list', 'list platforms, oldest first', 'list --merchant mch_01k…');
  kit.list(list.addOption(merchantOption()), {
    page: platformPage,
    path: async (client, options) => `${await merchantPath(client, options)}/platforms`,
    empty: 'no platforms',
    columns: ['platform', 'name', 'created (UTC)'],
    row: ({ id, name, created_at }) => [id, name, formatTime(created_at)],
  });

  kit
    .command(group, 'create <name>', 'create another platform', 'create "Till at Osu"')
    .addOption(merchantOption())
    .action(async (name: string, options: MerchantOptions) => {
      const client = kit.client(options);
      const path = `${await merchantPath(client, options)}/platforms`;
      const created = await client.send('POST', path, platform, { name });
      kit.print(options, created, (shown) => `Created ${shown.id}, ${shown.name}\n`);
    });
}

/** `dialtill service senders`. */
export function registerSenders(service: Command, kit: CommandKit): void {
  const group = service
    .command('senders')
    .description('list, approve and remove the sender names of a merchant');
  const readPath = async (client: AdminClient, options: MerchantOptions) =>
    `${await merchantPath(client, options)}/senders`;

  const list = kit.command(group, 'list', 'list the approved sender names', 'list');
  kit.list(list.addOption(merchantOption()), {
    page: senderPage,
    path: readPath,
    empty: 'no senders. Approve one: dialtill service senders approve ABENA',
    columns: ['sender', 'approved (UTC)'],
    row: ({ name, approved_at }) => [name, formatTime(approved_at)],
  });

  kit
    .command(group, 'approve <name>', 'allow a merchant to send SMS under a name', 'approve ABENA')
    .addOption(merchantOption())
    .action(async (name: string, options: MerchantOptions) => {
      const client = kit.client(options);
      const path = `${await readPath(client, options)}/${pathSegment(name)}`;
      const approved = await client.send('PUT', path, sender);
      kit.print(options, approved, (row) => `${row.name} approved ${formatTime(row.approved_at)}\n`);
    });

  kit
    .command(group, 'remove <name>', 'remove a sender name of a merchant', 'remove ABENA')
    .addOption(merchantOption())
    .action(async (name: string, options: MerchantOptions) => {
      const client = kit.client(options);
      const path = await readPath(client, options);
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
