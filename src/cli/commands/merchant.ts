import { type Command, Option } from 'commander';
import { merchantScopes } from '../../contract/merchant/merchant-api.ts';
import {
  type DeliveryView,
  deliveryList,
  type EndpointView,
  endpointList,
  endpointSecret,
  endpointView,
  type MerchantKeyView,
  merchantKeyList,
  merchantKeySecret,
  merchantKeyView,
  replayAnswer,
  testAnswer,
} from '../../contract/staff/merchant-system.ts';
import type { Tolerant } from '../../contract/tolerant.ts';
import { readDay, type TimeSpan } from '../../gateway/ledger/day.ts';
import { UsageError } from '../../shared/errors.ts';
import { plural } from '../../shared/plural.ts';
import { showTime } from '../../shared/time-text.ts';
import { type ActionDeps, act, addGroup, configurationHelp, printList, toPath } from '../command-options.ts';
import { wholeNumber } from '../service/arguments.ts';
import type { StaffFlags } from '../staff/staff-client.ts';
import { oneLine, printAnswer, printable, printJson } from '../terminal/output.ts';

type CreateOptions = StaffFlags & { scope: string[] };

/** Adds a group whose commands the key of the configuration may run, and returns the function that adds one. */
function addSubgroup(merchant: Command, group: Parameters<typeof addGroup>[1]) {
  const { addAction } = addGroup(merchant, group);
  return (usage: string, description: string, example: string) =>
    addAction({ usage, description, examples: [example], more: `\n${configurationHelp}` });
}

function registerKeys(merchant: Command, deps: MerchantDeps): void {
  const add = addSubgroup(merchant, {
    path: 'merchant keys',
    description: "keys of merchants' own systems for the API /merchant/v1",
    examples: ['create demo-shop'],
  });

  add(
    'create <merchant>',
    'create a key and print it, once',
    'create demo-shop --scope payments:read events:read',
  )
    .addOption(
      new Option('--scope <scope...>', 'what the key may do; payers:read shows whole phone numbers')
        .choices(merchantScopes)
        .default(['payments:read', 'events:read']),
    )
    .action((merchantId: string, options: CreateOptions) => createKey(deps, merchantId, options));

  add('list', 'list the keys of all merchants, with their last use', 'list').action((options: StaffFlags) =>
    printList(deps, options, { path: '/merchant-keys', schema: merchantKeyList }, keyTable),
  );

  add('revoke <id>', 'revoke a key: its next request is refused', 'revoke mk_01example').action(
    (id: string, options: StaffFlags) => {
      const change = { path: ['merchant-keys', id, 'revoke'], schema: merchantKeyView };
      return act(deps, options, change, (key) => `revoked ${key.id} of ${key.merchantId}`);
    },
  );
}

function createKey(deps: MerchantDeps, merchantId: string, options: CreateOptions): Promise<void> {
  const body = { merchantId, scopes: options.scope };
  const change = { path: ['merchant-keys'], schema: merchantKeySecret, body };
  return act(deps, options, change, ({ key, secret }) =>
    [`id   ${key.id}  ${key.scopes.join(' ')}`, `key  ${secret}`, 'The key is not shown again.'].join('\n'),
  );
}

const keyTable = {
  none: 'no keys',
  head: ['id', 'merchant', 'scopes', 'created (UTC)', 'last used (UTC)', 'state'],
  cells: toKeyCells,
};

function toKeyCells({ id, merchantId, scopes, createdAt, lastUsedAt, revokedAt }: MerchantKeyView): string[] {
  const show = (text: string | null) => (text === null ? '-' : showTime(Date.parse(text)));
  const state = revokedAt === null ? 'active' : `revoked ${show(revokedAt)}`;
  return [id, merchantId, scopes.join(' '), show(createdAt), show(lastUsedAt), state];
}

export function registerMerchant(program: Command, deps: MerchantDeps): void {
  const merchant = program.command('merchant');
  registerEndpoints(merchant, deps);
  registerKeys(merchant, deps);
}

type MerchantDeps = ActionDeps;

type AddOptions = StaffFlags & { wholeNumbers?: boolean };
type LogOptions = StaffFlags & { limit: number; after?: string };

function registerEndpoints(merchant: Command, deps: MerchantDeps): void {
  const add = addSubgroup(merchant, {
    path: 'merchant endpoints',
    description: "addresses of merchants' own systems that get notifications",
    examples: ['add demo-shop https://shop.example/hooks'],
  });

  add(
    'add <merchant> <url>',
    'add an endpoint and print its signing secret, once',
    'add demo-shop https://shop.example/hooks',
  )
    .option('--whole-numbers', 'notifications contain whole phone numbers')
    .action((merchantId: string, url: string, options: AddOptions) =>
      printSecret(deps, options, [], { merchantId, url, wholePayer: options.wholeNumbers === true }),
    );

  add('list', 'list the endpoints of all merchants', 'list').action((options: StaffFlags) =>
    printList(deps, options, { path: '/endpoints', schema: endpointList }, endpointTable),
  );

  add(
    'rotate <id>',
    'replace the signing secret; the one before signs too for 24 hours',
    'rotate ep_01example',
  ).action((id: string, options: StaffFlags) => printSecret(deps, options, [id, 'rotate']));

  add('test <id>', 'send a notification of the type endpoint.test', 'test ep_01example').action(
    (id: string, options: StaffFlags) => {
      const change = { path: ['endpoints', id, 'test'], schema: testAnswer };
      return act(deps, options, change, ({ eventId, endpointId }) => {
        return `sending ${eventId}. See the answer with "dialtill merchant endpoints log ${endpointId}".`;
      });
    },
  );

  for (const [action, description] of [
    ['remove', 'remove an endpoint; notifications that wait are cancelled'],
    ['disable', 'disable an endpoint; notifications that wait are cancelled'],
    ['enable', 'enable an endpoint that was disabled'],
  ] as const) {
    add(`${action} <id>`, description, `${action} ep_01example`).action((id: string, options: StaffFlags) => {
      const change = { path: ['endpoints', id, action], schema: endpointView };
      return act(deps, options, change, ({ url, merchantId }) => `${action}d ${url} of ${merchantId}`);
    });
  }

  add(
    'resend <id> <event>',
    'send a notification again, with the same bytes',
    'resend ep_01example evt_01example_1_0_m1',
  ).action((id: string, eventId: string, options: StaffFlags) => {
    const change = { path: ['endpoints', id, 'resend'], schema: testAnswer, body: { eventId } };
    return act(deps, options, change, (sent) => `sending ${sent.eventId} again`);
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

function printSecret(deps: MerchantDeps, options: StaffFlags, path: readonly string[], body?: object) {
  const change = { path: ['endpoints', ...path], schema: endpointSecret, ...(body && { body }) };
  return act(deps, options, change, ({ endpoint, secret }) =>
    [
      `endpoint  ${endpoint.id}  ${endpoint.url}`,
      `secret    ${secret}`,
      'The secret is not shown again. Verify each notification with it: docs/notifications.md',
    ].join('\n'),
  );
}

const endpointTable = {
  none: 'no endpoints',
  head: ['id', 'merchant', 'url', 'state', 'since (UTC)', 'numbers'],
  cells: toEndpointCells,
};

function toEndpointCells(one: Tolerant<EndpointView>): string[] {
  const { id, merchantId, url, state, disabledReason, disabledAt, failingSince, createdAt, wholePayer } = one;
  const since = showTime(Date.parse(disabledAt ?? failingSince ?? createdAt));
  const shown = disabledReason === null ? state : `${state}: ${disabledReason}`;
  return [id, merchantId, printable(url), shown, since, wholePayer ? 'whole' : 'masked'];
}

async function showLog(deps: MerchantDeps, id: string, { limit, after, ...options }: LogOptions) {
  const query = `limit=${limit}${after === undefined ? '' : `&after=${encodeURIComponent(after)}`}`;
  const path = `${toPath(['endpoints', id, 'deliveries'])}?${query}`;
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
    const page = await client.post(toPath(['endpoints', id, 'replay']), replayAnswer, input);
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
  throw new UsageError(`expected a day such as 2026-03-06, found ${text}`);
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
