import type { Command } from 'commander';
import {
  type DeliveryView,
  deliveryList,
  type EndpointView,
  endpointList,
  endpointSecret,
  endpointView,
  replayAnswer,
  testAnswer,
} from '../../../contract/staff/endpoint.ts';
import type { Tolerant } from '../../../contract/tolerant.ts';
import { readDay, type TimeSpan } from '../../../gateway/ledger/day.ts';
import { UserError } from '../../../shared/errors.ts';
import { addGroup, configurationHelp } from '../../command-options.ts';
import { pathSegment } from '../../service/admin-client.ts';
import { wholeNumber } from '../../service/arguments.ts';
import type { ConnectStaff, StaffFlags } from '../../staff/staff-client.ts';
import {
  type Output,
  oneLine,
  plural,
  printAnswer,
  printable,
  printJson,
  printRows,
  showTime,
} from '../../terminal/output.ts';

export type MerchantDeps = { stdout: Output; noColor: boolean; staffClient: ConnectStaff };

type AddOptions = StaffFlags & { wholeNumbers?: boolean };
type LogOptions = StaffFlags & { limit: number; after?: string };

/** Adds the commands for the endpoints that get a merchant's notifications. */
export function registerEndpoints(merchant: Command, deps: MerchantDeps): void {
  const { addAction } = addGroup(merchant, {
    path: 'merchant endpoints',
    description: "addresses of merchants' own systems that get notifications",
    examples: ['add demo-shop https://shop.example/hooks'],
  });
  const add = (usage: string, description: string, example: string) =>
    addAction({ usage, description, examples: [example], more: `\n${configurationHelp}` });
  const at = (id: string, action: string) => `/endpoints/${pathSegment(id)}/${action}`;

  add(
    'add <merchant> <url>',
    'add an endpoint and print its signing secret, once',
    'add demo-shop https://shop.example/hooks',
  )
    .option('--whole-numbers', 'notifications contain whole phone numbers')
    .action((merchantId: string, url: string, options: AddOptions) =>
      printSecret(deps, options, '/endpoints', {
        ...{ merchantId, url },
        wholePayer: options.wholeNumbers === true,
      }),
    );

  add('list', 'list the endpoints of all merchants', 'list').action((options: StaffFlags) =>
    listEndpoints(deps, options),
  );

  add(
    'rotate <id>',
    'replace the signing secret; the one before signs too for 24 hours',
    'rotate ep_01example',
  ).action((id: string, options: StaffFlags) => printSecret(deps, options, at(id, 'rotate'), {}));

  add('test <id>', 'send a notification of the type endpoint.test', 'test ep_01example').action(
    async (id: string, options: StaffFlags) => {
      const answer = await (await deps.staffClient(options)).post(at(id, 'test'), testAnswer);
      const next = `See the answer with "dialtill merchant endpoints log ${answer.endpointId}".`;
      printAnswer(deps.stdout, options, answer, `sending ${answer.eventId}. ${next}`);
    },
  );

  for (const [action, description] of [
    ['remove', 'remove an endpoint; notifications that wait are cancelled'],
    ['disable', 'disable an endpoint; notifications that wait are cancelled'],
    ['enable', 'enable an endpoint that was disabled'],
  ] as const) {
    add(`${action} <id>`, description, `${action} ep_01example`).action(
      async (id: string, options: StaffFlags) => {
        const answer = await (await deps.staffClient(options)).post(at(id, action), endpointView);
        printAnswer(deps.stdout, options, answer, `${action}d ${answer.url} of ${answer.merchantId}`);
      },
    );
  }

  add(
    'resend <id> <event>',
    'send a notification again, with the same bytes',
    'resend ep_01example evt_01example_1_0_m1',
  ).action(async (id: string, eventId: string, options: StaffFlags) => {
    const answer = await (await deps.staffClient(options)).post(at(id, 'resend'), testAnswer, { eventId });
    printAnswer(deps.stdout, options, answer, `sending ${answer.eventId} again`);
  });

  add(
    'replay <id>',
    'send the notifications of payments again, by the days on which they were opened',
    'replay ep_01example --from 2026-03-06 --to 2026-03-08 --undelivered',
  )
    .requiredOption('--from <day>', 'first day, in UTC')
    .requiredOption('--to <day>', 'last day, in UTC')
    .option('--undelivered', 'only what the endpoint has not accepted')
    .action((id: string, options: ReplayOptions) => replay(deps, id, options));

  add('log <id>', 'show what was sent to an endpoint, newest first, with the answers', 'log ep_01example')
    .option('--limit <count>', 'notifications of the page, 1 to 100', wholeNumber(1, 100), 20)
    .option('--after <event>', 'start after the page that ended with this event')
    .action((id: string, options: LogOptions) => showLog(deps, id, options));
}

async function printSecret(deps: MerchantDeps, options: StaffFlags, path: string, body: object) {
  const answer = await (await deps.staffClient(options)).post(path, endpointSecret, body);
  const { endpoint, secret } = answer;
  const lines = [
    `endpoint  ${endpoint.id}  ${endpoint.url}`,
    `secret    ${secret}`,
    'The secret is not shown again. Verify each notification with it: docs/notifications.md',
  ];
  printAnswer(deps.stdout, options, answer, lines.join('\n'));
}

async function listEndpoints(deps: MerchantDeps, options: StaffFlags): Promise<void> {
  const answer = await (await deps.staffClient(options)).get('/endpoints', endpointList);
  if (options.json) return printJson(deps.stdout, answer);
  printRows(deps, answer, {
    none: 'no endpoints',
    head: ['id', 'merchant', 'url', 'state', 'since (UTC)', 'numbers'],
    cells,
  });
}

function cells(one: Tolerant<EndpointView>): string[] {
  const { id, merchantId, url, state, disabledReason, disabledAt, failingSince, createdAt, wholePayer } = one;
  const since = showTime(Date.parse(disabledAt ?? failingSince ?? createdAt));
  const shown = disabledReason === null ? state : `${state}: ${disabledReason}`;
  return [id, merchantId, printable(url), shown, since, wholePayer ? 'whole' : 'masked'];
}

async function showLog(deps: MerchantDeps, id: string, { limit, after, ...options }: LogOptions) {
  const query = `limit=${limit}${after === undefined ? '' : `&after=${encodeURIComponent(after)}`}`;
  const path = `/endpoints/${pathSegment(id)}/deliveries?${query}`;
  const page = await (await deps.staffClient(options)).get(path, deliveryList);
  if (options.json) return printJson(deps.stdout, page);
  if (page.data.length === 0) return deps.stdout.write('nothing was sent\n');
  const more = page.next === null ? '' : `more: --after ${page.next}\n`;
  deps.stdout.write(page.data.map(deliveryText).join('') + more);
}

type ReplayOptions = StaffFlags & { from: string; to: string; undelivered?: boolean };

/** Replays a range page by page, so that no call of the gateway is long. */
async function replay(deps: MerchantDeps, id: string, { from, to, undelivered, ...options }: ReplayOptions) {
  const client = await deps.staffClient(options);
  const range = { from: getStart(from).from, to: getStart(to).to };
  const body = {
    from: new Date(range.from).toISOString(),
    to: new Date(range.to).toISOString(),
    undelivered: undelivered === true,
  };
  let payments = 0;
  let next: string | null = null;
  do {
    const input: object = { ...body, ...(next === null ? {} : { after: next }) };
    const page = await client.post(`/endpoints/${pathSegment(id)}/replay`, replayAnswer, input);
    payments += page.payments;
    next = page.next;
  } while (next !== null);
  printAnswer(
    deps.stdout,
    options,
    { payments },
    `sending the notifications of ${plural(payments, 'payment')}`,
  );
}

function getStart(text: string): TimeSpan {
  const day = readDay(text);
  if (day) return day;
  throw new UserError(`expected a day such as 2026-03-06, found ${text}`);
}

/** Characters of an answer in one line of the log. */
const maxAnswerLength = 120;

/** Returns the lines of one notification: what was sent, and the answers to the last attempts. */
function deliveryText({ at, type, eventId, state, nextAt, attempts }: Tolerant<DeliveryView>): string {
  const next = nextAt === null ? '' : `, next ${showTime(Date.parse(nextAt))}`;
  const head = `${showTime(Date.parse(at))}  ${type}  ${eventId}  ${state}${next}`;
  const lines = attempts.map(({ number, at: startedAt, durationMs, status, error, answer }) => {
    const result = status === null ? error : `HTTP ${status}`;
    const text = answer === null ? '' : `  ${oneLine(answer).slice(0, maxAnswerLength)}`;
    return `  ${number}. ${showTime(Date.parse(startedAt))}  ${durationMs} ms  ${result}${text}`;
  });
  return printable(`${[head, ...lines].join('\n')}\n`);
}
