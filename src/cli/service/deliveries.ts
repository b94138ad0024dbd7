import { type Command, Option } from 'commander';
import type { z } from 'zod';
import { type delivery, deliveryLog, deliveryPage, deliveryStates } from '../../contract/service/admin.ts';
import type { Tolerant } from '../../contract/tolerant.ts';
import type { Environment } from '../../gateway/config/secrets.ts';
import { type Paint, table } from '../terminal/output.ts';
import { pathSegment } from './admin-client.ts';
import { addServicePageOptions, type ServicePageOptions, servicePageQuery } from './arguments.ts';
import {
  type CommandKit,
  type CommonOptions,
  type MerchantOptions,
  merchantOption,
  merchantPath,
} from './command-kit.ts';
import { readServiceKey } from './developer/merchant-api.ts';
import { formatFields, formatTime, nextPageHint } from './format.ts';

type Delivery = Tolerant<z.infer<typeof delivery>>;
type DeliveryLog = Tolerant<z.infer<typeof deliveryLog>>;
type ListOptions = MerchantOptions & ServicePageOptions & { live?: true; platform?: string; state?: string };

/** Characters of an answer in the table; `--json` prints all that is stored. */
const maxShownAnswer = 80;

const keyHelp = `
With a merchant's key in DIALTILL_SERVICE_KEY (or DIALTILL_SERVICE_KEY_FILE), the deliveries commands use that merchant's own
API, in the mode of the key. Otherwise they use the admin API.`;

/** `dialtill service deliveries`. */
export function registerDeliveries(service: Command, kit: CommandKit, { env }: { env: Environment }): void {
  const group = service.command('deliveries').description('list, show and resend webhook events');

  const list = kit
    .command(group, 'list', "list a merchant's events, newest first", 'list --state given_up')
    .addOption(merchantOption())
    .option('--live', 'events of live sessions (default: of test sessions)')
    .option('--platform <id>', 'events of this platform')
    .addOption(new Option('--state <state>', 'events in this state').choices(deliveryStates))
    .addHelpText('after', keyHelp);
  addServicePageOptions(list).action(async (options: ListOptions) => {
    const client = kit.client(options);
    const key = readServiceKey(env);
    const query = { platform_id: options.platform, state: options.state, ...servicePageQuery(options) };
    const page =
      key === undefined
        ? await client.get(`${await merchantPath(client, options)}/deliveries`, deliveryPage, {
            livemode: options.live ? 'true' : 'false',
            ...query,
          })
        : await client.withKey(key).get('/v1/deliveries', deliveryPage, query);
    kit.print(options, page, ({ data, next_cursor }) =>
      data.length === 0
        ? 'no events\n'
        : deliveryTable(kit.paint, data) + nextPageHint(kit.paint, next_cursor),
    );
  });

  kit
    .command(group, 'show <event>', 'show an event and its delivery attempts', 'show evt_01k…')
    .action(async (id: string, options: CommonOptions) => {
      const client = kit.client(options);
      const key = readServiceKey(env);
      const log =
        key === undefined
          ? await client.get(`/events/${pathSegment(id)}`, deliveryLog)
          : await client.withKey(key).get(`/v1/events/${pathSegment(id)}/delivery`, deliveryLog);
      kit.print(options, log, (shown) => formatLog(kit.paint, shown));
    });

  kit
    .command(group, 'resend <event>', 'send an event again, whatever its state', 'resend evt_01k…')
    .action(async (id: string, options: CommonOptions) => {
      const client = kit.client(options);
      const key = readServiceKey(env);
      const path = `/events/${pathSegment(id)}/resend`;
      const resent =
        key === undefined
          ? await client.send('POST', path, deliveryLog)
          : await client.withKey(key).post(`/v1${path}`, deliveryLog, undefined);
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
    (attempt.response_body ?? '-').slice(0, maxShownAnswer),
  ]);
  const fields = formatFields([
    ['event', log.event_id],
    ['type', log.type],
    ['session', log.session_id],
    ['state', log.state],
    ['next attempt', formatTime(log.next_attempt_at)],
    ['body', log.request_body],
  ]);
  const head = ['#', 'started (UTC)', 'duration', 'response', 'url', 'answer'];
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
