import type { Command } from 'commander';
import { table } from '../terminal/output.ts';
import { part } from './admin-client.ts';
import type { CommandKit, CommonOptions } from './command-kit.ts';
import { merchant, merchants, platforms } from './responses.ts';
import { fields, fullList, shownTime } from './show.ts';

const offline = (at: string | null) => (at === null ? 'not approved' : `approved ${shownTime(at)}`);

/** `dialtill service merchants`. */
export function registerMerchants(service: Command, desk: CommandKit): void {
  const group = service.command('merchants').description('create, list and approve merchants');

  desk
    .command(group, 'list', 'list 100 merchants, in the order of their ids', 'list')
    .option('--after <id>', 'those after this one')
    .action(async (options: CommonOptions & { after?: string }) => {
      const found = await desk.office(options).get('/merchants', merchants, { after: options.after });
      desk.show(options, found, ({ merchants: all }) =>
        all.length === 0
          ? 'no merchants. Make one: dialtill service merchants create "Abena Stores"\n'
          : table(desk.paint, [
              ['merchant', 'name', 'offline collections', 'created (UTC)'],
              ...all.map((one) => [
                one.id,
                one.name,
                offline(one.offline_approved_at),
                shownTime(one.created_at),
              ]),
            ]) +
            fullList(
              desk.paint,
              '--after',
              all.map((one) => one.id),
            ),
      );
    });

  desk
    .command(group, 'create <name>', 'create a merchant, with a first platform', 'create "Abena Stores"')
    .action(async (name: string, options: CommonOptions) => {
      const made = await desk.office(options).send('POST', '/merchants', merchant, { name });
      desk.show(
        options,
        made,
        (one) =>
          `${one.id} is ${one.name}, not yet approved for offline collections.\n` +
          `Next: dialtill service merchants approve ${one.id}\n` +
          `      dialtill service keys create --merchant ${one.id}\n`,
      );
    });

  desk
    .command(group, 'show <id>', 'show a merchant and its platforms', 'show mch_01k…')
    .action(async (id: string, options: CommonOptions) => {
      const office = desk.office(options);
      const found = await office.get(`/merchants/${part(id)}`, merchant);
      const { platforms: all } = await office.get(`/merchants/${part(id)}/platforms`, platforms);
      desk.show(options, { ...found, platforms: all }, (one) =>
        fields([
          ['merchant', one.id],
          ['name', one.name],
          ['offline', offline(one.offline_approved_at)],
          ['created', shownTime(one.created_at)],
          ...one.platforms.map((platform) => ['platform', `${platform.id} ${platform.name}`] as const),
        ]),
      );
    });

  const decide = (verb: 'approve' | 'withdraw', description: string) =>
    desk
      .command(group, `${verb} <id>`, description, `${verb} mch_01k…`)
      .action(async (id: string, options: CommonOptions) => {
        const path = `/merchants/${part(id)}/${verb}-offline`;
        const done = await desk.office(options).send('POST', path, merchant);
        desk.show(options, done, (one) => `${one.name}: ${offline(one.offline_approved_at)}\n`);
      });
  decide('approve', 'approve a merchant for offline collections');
  decide('withdraw', 'take the approval back; sessions that exist go on');
}
