import type { Command } from 'commander';
import { platform, platformPage } from '../../contract/admin.ts';
import { table } from '../terminal/output.ts';
import { type CommandKit, type MerchantOptions, merchantOption, merchantPath } from './command-kit.ts';
import { formatTime, nextPageHint } from './format.ts';
import { addPageOptions, type PageOptions, pageQuery } from './page-options.ts';

/** `dialtill service platforms`. */
export function registerPlatforms(service: Command, kit: CommandKit): void {
  const group = service
    .command('platforms')
    .description("list and create a merchant's platforms: its sites, apps and tills");

  const list = kit
    .command(group, 'list', 'list platforms, oldest first', 'list --merchant mch_01k…')
    .addOption(merchantOption());
  addPageOptions(list).action(async (options: MerchantOptions & PageOptions) => {
    const client = kit.client(options);
    const path = `${await merchantPath(client, options)}/platforms`;
    const page = await client.get(path, platformPage, pageQuery(options));
    kit.print(options, page, ({ data, next_cursor }) => {
      const rows = data.map(({ id, name, created_at }) => [id, name, formatTime(created_at)]);
      return (
        table(kit.paint, [['platform', 'name', 'created (UTC)'], ...rows]) +
        nextPageHint(kit.paint, next_cursor)
      );
    });
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
