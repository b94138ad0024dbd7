import type { Command } from 'commander';
import { platform, platformList } from '../../contract/admin.ts';
import { table } from '../terminal/output.ts';
import { type CommandKit, type MerchantOptions, merchantOption, merchantPath } from './command-kit.ts';
import { formatTime } from './format.ts';

/** `dialtill service platforms`. */
export function registerPlatforms(service: Command, kit: CommandKit): void {
  const group = service
    .command('platforms')
    .description("list and create a merchant's platforms: its sites, apps and tills");

  kit
    .command(group, 'list', 'list platforms, oldest first', 'list --merchant mch_01k…')
    .addOption(merchantOption())
    .action(async (options: MerchantOptions) => {
      const client = kit.client(options);
      const list = await client.get(`${await merchantPath(client, options)}/platforms`, platformList);
      kit.print(options, list, ({ platforms }) =>
        table(kit.paint, [
          ['platform', 'name', 'created (UTC)'],
          ...platforms.map(({ id, name, created_at }) => [id, name, formatTime(created_at)]),
        ]),
      );
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
