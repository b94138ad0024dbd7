import type { Command } from 'commander';
import { merchant, merchantList, platformList } from '../../contract/admin.ts';
import { table } from '../terminal/output.ts';
import { pathSegment } from './admin-client.ts';
import type { CommandKit, CommonOptions } from './command-kit.ts';
import { formatFields, formatTime, moreRowsHint } from './format.ts';

/** `dialtill service merchants`. */
export function registerMerchants(service: Command, kit: CommandKit): void {
  const group = service.command('merchants').description('list, create and approve merchants');

  kit
    .command(group, 'list', 'list up to 100 merchants, by id', 'list')
    .option('--after <id>', 'merchants after this id')
    .action(async (options: CommonOptions & { after?: string }) => {
      const list = await kit.client(options).get('/merchants', merchantList, { after: options.after });
      kit.print(options, list, ({ merchants }) => {
        if (merchants.length === 0) {
          return 'no merchants. Create one: dialtill service merchants create "Abena Stores"\n';
        }
        const rows = merchants.map((row) => [
          row.id,
          row.name,
          formatApproval(row.offline_approved_at),
          formatTime(row.created_at),
        ]);
        const ids = merchants.map(({ id }) => id);
        return (
          table(kit.paint, [['merchant', 'name', 'offline collections', 'created (UTC)'], ...rows]) +
          moreRowsHint(kit.paint, '--after', ids)
        );
      });
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
      const { platforms } = await client.get(`${path}/platforms`, platformList);
      kit.print(options, { ...found, platforms }, (shown) =>
        formatFields([
          ['merchant', shown.id],
          ['name', shown.name],
          ['offline', formatApproval(shown.offline_approved_at)],
          ['created', formatTime(shown.created_at)],
          ...shown.platforms.map((platform) => ['platform', `${platform.id} ${platform.name}`] as const),
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
