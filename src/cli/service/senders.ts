import type { Command } from 'commander';
import { table } from '../terminal/output.ts';
import { type AdminClient, part } from './admin-client.ts';
import { type CommandKit, type CommonOptions, merchantOf, merchantOption } from './command-kit.ts';
import { removedSender, sender, senders } from './responses.ts';
import { isFull, shownTime } from './show.ts';

type Options = CommonOptions & { merchant?: string };

/** `dialtill service senders`. */
export function registerSenders(service: Command, desk: CommandKit): void {
  const group = service.command('senders').description('the names under which a merchant may send SMS');
  const pathOf = async (office: AdminClient, options: Options) =>
    `/merchants/${part(await merchantOf(office, options.merchant))}/senders`;

  desk
    .command(group, 'list', 'list the approved names', 'list')
    .addOption(merchantOption())
    .action(async (options: Options) => {
      const office = desk.office(options);
      desk.show(options, await office.get(await pathOf(office, options), senders), (found) =>
        found.senders.length === 0
          ? 'no senders. Approve one: dialtill service senders approve ABENA\n'
          : table(desk.paint, [
              ['sender', 'approved (UTC)'],
              ...found.senders.map((one) => [one.name, shownTime(one.approved_at)]),
            ]),
      );
    });

  desk
    .command(group, 'approve <name>', 'let a merchant send SMS under a name', 'approve ABENA')
    .addOption(merchantOption())
    .action(async (name: string, options: Options) => {
      const office = desk.office(options);
      const path = `${await pathOf(office, options)}/${part(name)}`;
      const approved = await office.send('PUT', path, sender);
      desk.show(options, approved, (one) => `${one.name} approved ${shownTime(one.approved_at)}\n`);
    });

  desk
    .command(group, 'remove <name>', 'take a name back', 'remove ABENA')
    .addOption(merchantOption())
    .action(async (name: string, options: Options) => {
      const office = desk.office(options);
      const path = await pathOf(office, options);
      const { senders: before } = await office.get(path, senders);
      const wasOne = isFull(before) || before.some((one) => one.name === name);
      const removed = await office.send('DELETE', `${path}/${part(name)}`, removedSender);
      desk.show(options, removed, (one) =>
        wasOne
          ? `${one.name} is no sender of this merchant any more\n`
          : `${one.name} was no sender of this merchant: nothing was taken back\n`,
      );
    });
}
