import type { Command } from 'commander';
import { smsPage } from '../../contract/simulated-phone.ts';
import { msisdn } from './arguments.ts';
import type { CommandKit, CommonOptions } from './command-kit.ts';
import { formatTime, nextPageHint } from './format.ts';
import { addPageOptions, type PageOptions, pageQuery } from './page-options.ts';

/** `dialtill service messages`. */
export function registerMessages(service: Command, kit: CommandKit): void {
  const command = kit
    .command(
      service,
      'messages',
      'show the SMS of a simulated phone, including one-time codes, newest first',
      'messages 0244123456',
    )
    .argument('<msisdn>', 'number of the phone, such as 0244123456', msisdn);
  addPageOptions(command).action(async (msisdn: string, options: CommonOptions & PageOptions) => {
    const query = { msisdn, ...pageQuery(options) };
    const page = await kit.client(options).getPublic('/handset/messages', smsPage, query);
    kit.print(options, page, ({ data, next_cursor }) =>
      data.length === 0
        ? `no messages to 0${msisdn.slice(3)}\n`
        : data
            .map(({ sent_at, sender, text }) => {
              return `${kit.paint('dim', `${formatTime(sent_at)}  ${sender}`)}\n${text}\n`;
            })
            .join('\n') + nextPageHint(kit.paint, next_cursor),
    );
  });
}
