import { type Command, Option } from 'commander';
import type { z } from 'zod';
import { type delivery, deliveryList, deliveryLog, deliveryStates } from '../../contract/admin.ts';
import type { Tolerant } from '../../contract/tolerant.ts';
import { table } from '../terminal/output.ts';
import type { Paint } from '../terminal/terminal.ts';
import { pathSegment } from './admin-client.ts';
import {
  type CommandKit,
  type CommonOptions,
  type MerchantOptions,
  merchantOption,
  merchantPath,
} from './command-kit.ts';
import { formatFields, formatTime, moreRowsHint } from './format.ts';

type Delivery = Tolerant<z.infer<typeof delivery>>;
type DeliveryLog = Tolerant<z.infer<typeof deliveryLog>>;
type ListOptions = MerchantOptions & { live?: true; platform?: string; state?: string; before?: string };

/** `dialtill service deliveries`. */
export function registerDeliveries(service: Command, kit: CommandKit): void {
  const group = service.command('deliveries').description('list, show and resend webhook events');

  kit
    .command(group, 'list', "list a merchant's newest 100 events", 'list --state given_up')
    .addOption(merchantOption())
    .option('--live', 'events of live sessions (default: of test sessions)')
    .option('--platform <id>', 'events of this platform')
    .addOption(new Option('--state <state>', 'events in this state').choices(deliveryStates))
    .option('--before <id>', 'events older than this one')
    .action(async (options: ListOptions) => {
      const client = kit.client(options);
      const path = `${await merchantPath(client, options)}/deliveries`;
      const list = await client.get(path, deliveryList, {
        livemode: options.live ? 'true' : 'false',
        platform_id: options.platform,
        state: options.state,
        before: options.before,
      });
      kit.print(options, list, ({ deliveries }) => {
        if (deliveries.length === 0) return 'no events\n';
        const ids = deliveries.map(({ event_id }) => event_id);
        return deliveryTable(kit.paint, deliveries) + moreRowsHint(kit.paint, '--before', ids);
      });
    });

  kit
    .command(group, 'show <event>', 'show an event and its delivery attempts', 'show evt_01k…')
    .action(async (id: string, options: CommonOptions) => {
      const log = await kit.client(options).get(`/events/${pathSegment(id)}`, deliveryLog);
      kit.print(options, log, (shown) => formatLog(kit.paint, shown));
    });

  kit
    .command(group, 'resend <event>', 'send an event again, whatever its state', 'resend evt_01k…')
    .action(async (id: string, options: CommonOptions) => {
      const resent = await kit.client(options).send('POST', `/events/${pathSegment(id)}/resend`, deliveryLog);
      kit.print(
        options,
        resent,
        (log) => `${log.event_id}: ${log.state}, next attempt ${formatTime(log.next_attempt_at)}\n`,
      );
    });
}

function formatLog(paint: Paint, log: DeliveryLog): string {
  const attempts = log.attempts_log.map((attempt) => [
    String(attempt.number),
    formatTime(attempt.started_at),
    `${attempt.duration_ms} ms`,
    String(attempt.status ?? attempt.error ?? '-'),
    attempt.url,
  ]);
  const fields = formatFields([
    ['event', log.event_id],
    ['type', log.type],
    ['session', log.session_id],
    ['state', log.state],
    ['next attempt', formatTime(log.next_attempt_at)],
  ]);
  const head = ['#', 'started (UTC)', 'duration', 'response', 'url'];
  return `${fields}\n${attempts.length === 0 ? 'no attempts\n' : table(paint, [head, ...attempts])}`;
}

/** Events, one per line. */
export function deliveryTable(paint: Paint, deliveries: readonly Delivery[]): string {
  return table(paint, [
    ['event', 'type', 'session', 'state', 'created (UTC)', 'attempts', 'last response', 'next attempt (UTC)'],
    ...deliveries.map((row) => [
      row.event_id,
      row.type,
      row.session_id,
      row.state,
      formatTime(row.created_at),
      String(row.attempts),
      String(row.last_status ?? row.last_error ?? '-'),
      formatTime(row.next_attempt_at),
    ]),
  ]);
}
