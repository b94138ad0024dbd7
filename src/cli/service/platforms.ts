import type { Command } from 'commander';
import { table } from '../terminal/output.ts';
import { part } from './admin-client.ts';
import { type CommandKit, type CommonOptions, merchantOf, merchantOption } from './command-kit.ts';
import { platform, platforms } from './responses.ts';
import { shownTime } from './show.ts';

type Options = CommonOptions & { merchant?: string };

/** `dialtill service platforms`. */
export function registerPlatforms(service: Command, desk: CommandKit): void {
  const group = service
    .command('platforms')
    .description("a merchant's sites, apps and tills: keys and webhooks are set for each");

  desk
    .command(group, 'list', 'list platforms, the first one first', 'list --merchant mch_01k…')
    .addOption(merchantOption())
    .action(async (options: Options) => {
      const office = desk.office(options);
      const merchant = await merchantOf(office, options.merchant);
      desk.show(options, await office.get(`/merchants/${part(merchant)}/platforms`, platforms), (found) =>
        table(desk.paint, [
          ['platform', 'name', 'created (UTC)'],
          ...found.platforms.map((one) => [one.id, one.name, shownTime(one.created_at)]),
        ]),
      );
    });

  desk
    .command(group, 'create <name>', 'create a further platform', 'create "Till at Osu"')
    .addOption(merchantOption())
    .action(async (name: string, options: Options) => {
      const office = desk.office(options);
      const path = `/merchants/${part(await merchantOf(office, options.merchant))}/platforms`;
      const made = await office.send('POST', path, platform, { name });
      desk.show(options, made, (one) => `${one.id} is ${one.name}\n`);
    });
}
