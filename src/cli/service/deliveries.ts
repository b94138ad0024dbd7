import { type Command, Option } from 'commander';
import { table } from '../terminal/output.ts';
import type { Paint } from '../terminal/terminal.ts';
import { part } from './admin-client.ts';
import { type CommandKit, type CommonOptions, merchantOf, merchantOption } from './command-kit.ts';
import { type DeliveryAnswer, deliveries, deliveryLog } from './responses.ts';
import { fields, fullList, shownTime } from './show.ts';

type ListOptions = CommonOptions & {
  merchant?: string;
  live?: true;
  platform?: string;
  state?: string;
  before?: string;
};

const states = ['waiting', 'delivered', 'given_up', 'no_endpoint', 'endpoint_disabled'];

/** `dialtill service deliveries`. */
export function registerDeliveries(service: Command, desk: CommandKit): void {
  const group = service.command('deliveries').description('events and how their delivery stands');

  desk
    .command(group, 'list', "list a merchant's newest 100 events", 'list --state given_up')
    .addOption(merchantOption())
    .option('--live', 'of live sessions (default: of test sessions)')
    .option('--platform <id>', 'of this platform')
    .addOption(new Option('--state <state>', 'in this state').choices(states))
    .option('--before <id>', 'those before this event')
    .action(async (options: ListOptions) => {
      const office = desk.office(options);
      const path = `/merchants/${part(await merchantOf(office, options.merchant))}/deliveries`;
      const found = await office.get(path, deliveries, {
        livemode: options.live ? 'true' : 'false',
        platform_id: options.platform,
        state: options.state,
        before: options.before,
      });
      desk.show(options, found, ({ deliveries: all }) =>
        all.length === 0
          ? 'no events\n'
          : deliveryTable(desk.paint, all) +
            fullList(
              desk.paint,
              '--before',
              all.map((one) => one.event_id),
            ),
      );
    });

  desk
    .command(group, 'show <event>', 'show the attempts to deliver an event', 'show evt_01k…')
    .action(async (id: string, options: CommonOptions) => {
      const found = await desk.office(options).get(`/events/${part(id)}`, deliveryLog);
      desk.show(options, found, (one) => {
        const attempts = one.attempts_log.map((attempt) => [
          String(attempt.number),
          shownTime(attempt.started_at),
          `${attempt.duration_ms} ms`,
          String(attempt.status ?? attempt.error ?? '-'),
          attempt.url,
        ]);
        return [
          fields([
            ['event', one.event_id],
            ['type', one.type],
            ['session', one.session_id],
            ['state', one.state],
            ['next attempt', shownTime(one.next_attempt_at)],
          ]),
          '\n',
          attempts.length === 0
            ? 'no attempts yet\n'
            : table(desk.paint, [['#', 'started (UTC)', 'took', 'answer', 'url'], ...attempts]),
        ].join('');
      });
    });

  desk
    .command(group, 'resend <event>', 'send an event once more, whatever became of it', 'resend evt_01k…')
    .action(async (id: string, options: CommonOptions) => {
      const resent = await desk.office(options).send('POST', `/events/${part(id)}/resend`, deliveryLog);
      desk.show(
        options,
        resent,
        (one) => `${one.event_id}: ${one.state}, next attempt ${shownTime(one.next_attempt_at)}\n`,
      );
    });
}

/** Events, one a line. */
export function deliveryTable(paint: Paint, all: readonly DeliveryAnswer[]): string {
  return table(paint, [
    ['event', 'type', 'session', 'state', 'created (UTC)', 'attempts', 'last answer', 'next attempt (UTC)'],
    ...all.map((one) => [
      one.event_id,
      one.type,
      one.session_id,
      one.state,
      shownTime(one.created_at),
      String(one.attempts),
      String(one.last_status ?? one.last_error ?? '-'),
      shownTime(one.next_attempt_at),
    ]),
  ]);
}
