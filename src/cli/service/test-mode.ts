import type { Command } from 'commander';
import type { z } from 'zod';
import { testClock } from '../../contract/service/admin.ts';
import { magicNumbers } from '../../contract/service/magic-numbers.ts';
import { smsPage } from '../../contract/service/simulated-phone.ts';
import { formatDuration } from '../../shared/time-text.ts';
import { type Output, type Paint, printListJson, table } from '../terminal/output.ts';
import {
  addServicePageOptions,
  durationUpTo,
  msisdn,
  type ServicePageOptions,
  servicePageQuery,
} from './arguments.ts';
import type { CommandKit, CommonOptions } from './command-kit.ts';
import { formatTime, nextPageHint } from './format.ts';

/** `dialtill service numbers`. It needs no running service. */
export function registerMagicNumbers(service: Command, deps: { stdout: Output; paint: Paint }): void {
  service
    .command('numbers')
    .description('list the magic numbers of test mode, whose prompts end without a person')
    .option('--json', 'print JSON')
    // The options of every other command of the service: a script passes the same ones to all.
    .option('--url <url>', 'accepted and not used: the list is part of dialtill')
    .option('--data <dir>', 'accepted and not used: the list is part of dialtill')
    .addHelpText('after', '\nExample:\n  $ dialtill service numbers')
    .action((options: { json?: true }) => {
      if (options.json) return printListJson(deps.stdout, magicNumbers);
      const rows = magicNumbers.map(({ ending, name, behaviour }) => [`…${ending}`, name, behaviour]);
      deps.stdout.write(
        `${table(deps.paint, [['ends in', 'name', 'outcome'], ...rows])}` +
          'a name is the reason, the review or the error that it causes: docs/reasons-and-statuses.md\n' +
          'dialtill service trigger <name> creates such a session\n' +
          'the one-time code of these numbers is always 123456\n' +
          'any other number: a person decides (dialtill dial, or POST /handset/prompts/{id}/approve)\n',
      );
    });
}

/** `dialtill service clock`. */
export function registerClock(service: Command, kit: CommandKit): void {
  const group = service.command('clock').description("read or advance a sandbox's test clock");

  kit
    .command(group, 'show', 'show the time of the sandbox', 'show')
    .action(async (options: CommonOptions) => {
      kit.print(options, await kit.client(options).get('/clock', testClock), formatReading);
    });

  kit
    .command(
      group,
      'advance',
      'advance the clock; everything that becomes due happens in order',
      'advance 10m',
    )
    .argument('<time>', '90s, 10m, 2h, 3d or 1h30m; at most 30d per call', durationUpTo('30d'))
    .action(async (ms: number, options: CommonOptions) => {
      const reading = await kit.client(options).send('POST', '/clock/advance', testClock, { ms });
      kit.print(options, reading, formatReading);
    });
}

function formatReading({ now, advanced_ms }: z.infer<typeof testClock>): string {
  const advanced = advanced_ms > 0 ? `, advanced by ${formatDuration(advanced_ms)}` : '';
  return `${formatTime(now)} UTC${advanced}\n`;
}

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
  addServicePageOptions(command).action(
    async (msisdn: string, options: CommonOptions & ServicePageOptions) => {
      const query = { msisdn, ...servicePageQuery(options) };
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
    },
  );
}
