import type { Command } from 'commander';
import { smsList } from '../../contract/simulated-phone.ts';
import { msisdn } from './arguments.ts';
import type { CommandKit, CommonOptions } from './command-kit.ts';
import { formatTime } from './format.ts';

/** `dialtill service messages`. */
export function registerMessages(service: Command, kit: CommandKit): void {
  kit
    .command(
      service,
      'messages',
      'show the SMS of a simulated phone, including one-time codes, newest first',
      'messages 0244123456',
    )
    .argument('<msisdn>', 'number of the phone, such as 0244123456', msisdn)
    .action(async (msisdn: string, options: CommonOptions) => {
      const list = await kit.client(options).getPublic('/handset/messages', smsList, { msisdn });
      kit.print(options, list, ({ messages }) =>
        messages.length === 0
          ? `no messages to 0${msisdn.slice(3)}\n`
          : messages
              .map(({ sent_at, sender, text }) => {
                return `${kit.paint('dim', `${formatTime(sent_at)}  ${sender}`)}\n${text}\n`;
              })
              .join('\n'),
      );
    });
}
