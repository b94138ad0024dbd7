import type { Command } from 'commander';
import type { CommandKit, CommonOptions } from './command-kit.ts';
import { payerNumber } from './number.ts';
import { messages } from './responses.ts';
import { shownTime } from './show.ts';

/** `dialtill service messages`. */
export function registerMessages(service: Command, desk: CommandKit): void {
  desk
    .command(
      service,
      'messages',
      'read the text messages of the simulated phone, codes among them, newest first',
      'messages 0244123456',
    )
    .argument('<msisdn>', 'the number of the phone, such as 0244123456', payerNumber)
    .action(async (msisdn: string, options: CommonOptions) => {
      const found = await desk.office(options).open('/handset/messages', messages, { msisdn });
      desk.show(options, found, ({ messages: all }) =>
        all.length === 0
          ? `no messages to 0${msisdn.slice(3)}\n`
          : all
              .map((one) => `${desk.paint('dim', `${shownTime(one.sent_at)}  ${one.sender}`)}\n${one.text}\n`)
              .join('\n'),
      );
    });
}
