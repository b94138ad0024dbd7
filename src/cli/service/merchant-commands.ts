import { InvalidArgumentError } from 'commander';
import {
  type FeeScheduleBody,
  type Fee as StrictFee,
  type Key as StrictKey,
  scopes,
  type WebhookEndpoint,
} from '../../contract/service/admin.ts';
import { serviceOperations as operations } from '../../contract/service/service-operations.ts';
import { channels } from '../../contract/service/session.ts';
import type { Tolerant } from '../../contract/tolerant.ts';
import { readSecret } from '../../gateway/config/secrets.ts';
import { UserError } from '../../shared/errors.ts';
import { formatCedis, maxAmountMinor } from '../../shared/money.ts';
import { durationUpTo, oneOf, wholeNumber } from './arguments.ts';
import { formatFields, formatIsoTime, formatSecret } from './command-kit.ts';
import { type AddCommand, formatRows, operationCommand } from './operation-command.ts';

type Fee = Tolerant<StrictFee>;
type Key = Tolerant<StrictKey>;
type Endpoint = Tolerant<WebhookEndpoint>;
type Band = NonNullable<FeeScheduleBody['bands']>[number];

const pesewas = wholeNumber(0, maxAmountMinor);
const channel = { description: 'ussd or web', parse: oneOf(channels) };
const platform = ['--platform <id>', "the platform (default: the merchant's first)"] as const;

const approval = (row: { name: string; offline_approved_at: string | null }) =>
  `${row.name}: ${formatApproval(row.offline_approved_at)}\n`;

const merchants: readonly AddCommand[] = [
  operationCommand(operations.listMerchants, {
    usage: 'merchants list',
    summary: 'list merchants, newest first',
    example: 'list',
    empty: 'no merchants. Create one: dialtill service merchants create "Abena Stores"',
    columns: {
      merchant: 'id',
      name: 'name',
      'offline collections': ({ offline_approved_at }) => formatApproval(offline_approved_at),
      'created (UTC)': 'created_at',
    },
  }),
  operationCommand(operations.createMerchant, {
    usage: 'merchants create <name>',
    summary: 'create a merchant with a first platform',
    example: 'create "Abena Stores"',
    show: ({ id, name }) =>
      `Created ${id}, ${name}. It is not approved for offline collections.\n` +
      `Next: dialtill service merchants approve ${id}\n` +
      `      dialtill service keys create --merchant ${id}\n`,
  }),
  operationCommand(operations.getMerchant, {
    usage: 'merchants show <id>',
    summary: 'show a merchant and its platforms',
    example: 'show mch_01k…',
    async extend(found, client, params) {
      const query = { limit: '100' };
      return { ...found, platforms: await client.operate(operations.listPlatforms, { params, query }) };
    },
    show: (shown) =>
      formatFields([
        ['merchant', shown.id],
        ['name', shown.name],
        ['offline', formatApproval(shown.offline_approved_at)],
        ['created', formatIsoTime(shown.created_at)],
        ...shown.platforms.data.map(({ id, name }) => ['platform', `${id} ${name}`] as const),
      ]),
  }),
  operationCommand(operations.approveOffline, {
    usage: 'merchants approve <id>',
    summary: 'approve a merchant for offline collections',
    example: 'approve mch_01k…',
    show: approval,
  }),
  operationCommand(operations.withdrawOffline, {
    usage: 'merchants withdraw <id>',
    summary: 'withdraw the approval; open sessions continue',
    example: 'withdraw mch_01k…',
    show: approval,
  }),
  operationCommand(operations.listPlatforms, {
    usage: 'platforms list',
    summary: 'list platforms, oldest first',
    example: 'list --merchant mch_01k…',
    empty: 'no platforms',
    columns: { platform: 'id', name: 'name', 'created (UTC)': 'created_at' },
  }),
  operationCommand(operations.createPlatform, {
    usage: 'platforms create <name>',
    summary: 'create another platform',
    example: 'create "Till at Osu"',
    show: ({ id, name }) => `Created ${id}, ${name}\n`,
  }),
];

function formatApproval(approvedAt: string | null): string {
  return approvedAt === null ? 'not approved' : `approved ${formatIsoTime(approvedAt)}`;
}

const keys: readonly AddCommand[] = [
  operationCommand(operations.listKeys, {
    usage: 'keys list',
    summary: 'list keys, newest first, without the secrets',
    example: 'list',
    empty: 'no keys. Create one: dialtill service keys create',
    columns: {
      key: 'id',
      mode: ({ livemode }) => (livemode ? 'live' : 'test'),
      'ends in': 'ending',
      scopes: (key) => key.scopes.join(',') || 'none',
      'last used (UTC)': 'last_used_at',
      state: getKeyState,
    },
  }),
  operationCommand(operations.createKey, {
    usage: 'keys create',
    summary: 'create a key, by default a test key; it is shown only once',
    example: 'create --quiet',
    options: {
      livemode: ['--live', 'create a key for live sessions'],
      scopes: [
        '--scopes <list>',
        `comma-separated scopes: ${scopes.join(', ')} (default: collections:offline, and collections:web for a test key)`,
        (text) => text.split(',').map((word) => word.trim()),
      ],
      platform_id: platform,
      quiet: ['--quiet', 'print only the key'],
    },
    show({ id, key }, { paint, params, options: { live, quiet } }) {
      const title = `${live ? 'Live' : 'Test'} key ${id} of ${params.id}, shown only once:`;
      return formatSecret(paint, { title, secret: key, quiet });
    },
  }),
  operationCommand(operations.rotateKey, {
    usage: 'keys rotate <id>',
    summary: 'replace a key; the old key works until the overlap ends',
    example: 'rotate key_01k… --overlap 2h',
    options: {
      overlap_seconds: [
        '--overlap <time>',
        'how long the old key still works: 0s to 7d (default: 24h)',
        // An overlap may be zero, unlike other durations.
        (text) => (/^0[smhd]?$/.test(text) ? 0 : durationUpTo('7d')(text) / 1_000),
      ],
      quiet: ['--quiet', 'print only the key'],
    },
    show({ id, key, old_key_expires_at }, { paint, params, options: { quiet } }) {
      const until = formatIsoTime(old_key_expires_at);
      const title = `Key ${id}, shown only once. ${params.id} works until ${until} UTC:`;
      return formatSecret(paint, { title, secret: key, quiet });
    },
  }),
  operationCommand(operations.revokeKey, {
    usage: 'keys revoke <id>',
    summary: 'revoke a key immediately',
    example: 'revoke key_01k…',
    show: ({ id }) => `${id} is revoked\n`,
  }),
];

function getKeyState({ revoked_at, expires_at }: Key): string {
  if (revoked_at) return `revoked ${formatIsoTime(revoked_at)}`;
  return expires_at ? `replaced, works until ${formatIsoTime(expires_at)}` : 'active';
}

const fees: readonly AddCommand[] = [
  operationCommand(operations.listFees, {
    usage: 'fees show',
    summary: 'show the current schedules',
    example: 'show --merchant mch_01k…',
    show: ({ data }, { paint }) => formatRows(paint, feeColumns, data),
  }),
  operationCommand(operations.setFee, {
    usage: 'fees set <channel>',
    summary: "set a merchant's own schedule for one channel; it applies to new sessions",
    example: 'set ussd --percent 1.5 --floor 10 --cap 1000',
    args: { channel },
    options: {
      basis_points: [
        '--percent <share>',
        "share of the goods' value in percent, 0 to 100: 1.5",
        parsePercent,
      ],
      fixed_minor: ['--fixed <pesewas>', 'amount added to the share', pesewas],
      floor_minor: ['--floor <pesewas>', 'minimum fee', pesewas],
      cap_minor: ['--cap <pesewas>', 'maximum fee', pesewas],
      bands: [
        '--band <up-to:percent[:fixed]>',
        'another rate for goods up to this value in pesewas; repeatable, in ascending order',
        parseBand,
      ],
    },
    show: formatChanged,
  }),
  operationCommand(operations.clearFee, {
    usage: 'fees clear <channel>',
    summary: "return to the service's default schedule",
    example: 'clear ussd',
    args: { channel },
    show: formatChanged,
  }),
];

function formatChanged(changed: Fee): string {
  return `${Object.values(feeColumns)
    .map((cell) => cell(changed))
    .join('  ')}, for new sessions\n`;
}

const feeColumns = {
  channel: (fee: Fee) => fee.channel,
  source: (fee: Fee) => (fee.overridden ? 'merchant' : 'service default'),
  schedule: ({ schedule }: Fee) => formatSchedule(schedule),
};

function formatSchedule(schedule: Fee['schedule']): string {
  const { floor_minor, cap_minor, bands = [] } = schedule;
  const parts = [
    ...bands.map((band) => `up to ${formatCedis(band.up_to_minor)}: ${formatRate(band)}`),
    `${bands.length > 0 ? 'above: ' : ''}${formatRate(schedule)}`,
    ...(floor_minor === undefined ? [] : [`at least ${formatCedis(floor_minor)}`]),
    ...(cap_minor === undefined ? [] : [`at most ${formatCedis(cap_minor)}`]),
  ];
  return parts.join(', ');
}

function formatRate({ basis_points, fixed_minor = 0 }: Omit<Band, 'up_to_minor'>): string {
  const share = `${basis_points / 100} %`;
  return fixed_minor > 0 ? `${share} + ${formatCedis(fixed_minor)}` : share;
}

/** Parses percent with at most two decimals; returns basis points. */
function parsePercent(text: string): number {
  const match = /^(\d{1,3})(?:\.(\d{1,2}))?$/.exec(text);
  const basisPoints = Number(match?.[1]) * 100 + Number((match?.[2] ?? '').padEnd(2, '0'));
  if (match && basisPoints <= 10_000) return basisPoints;
  throw new InvalidArgumentError('Expected percent from 0 to 100, with at most two decimals: 1.5');
}

function parseBand(text: string, previous: readonly Band[] | undefined): Band[] {
  const [upTo, percent, fixed, ...rest] = text.split(':');
  if (upTo === undefined || percent === undefined || rest.length > 0) {
    throw new InvalidArgumentError('Expected up-to:percent or up-to:percent:fixed, such as 5000:0:25');
  }
  const band = { up_to_minor: pesewas(upTo), basis_points: parsePercent(percent) };
  return [...(previous ?? []), fixed === undefined ? band : { ...band, fixed_minor: pesewas(fixed) }];
}

const senders: readonly AddCommand[] = [
  operationCommand(operations.listSenders, {
    usage: 'senders list',
    summary: 'list the approved sender names',
    example: 'list',
    empty: 'no senders. Approve one: dialtill service senders approve ABENA',
    columns: { sender: 'name', 'approved (UTC)': 'approved_at' },
  }),
  operationCommand(operations.approveSender, {
    usage: 'senders approve <name>',
    summary: 'allow a merchant to send SMS under a name',
    example: 'approve ABENA',
    show: (row) => `${row.name} approved ${formatIsoTime(row.approved_at)}\n`,
  }),
  operationCommand(operations.removeSender, {
    usage: 'senders remove <name>',
    summary: 'remove a sender name of a merchant',
    example: 'remove ABENA',
    async before(client, params) {
      const query = { limit: '100' };
      const { data, has_more } = await client.operate(operations.listSenders, { params, query });
      // The name may be on a further page.
      return has_more || data.some(({ name }) => name === params.name);
    },
    show: ({ name }, { before: wasApproved }) =>
      wasApproved
        ? `${name} is removed\n`
        : `${name} was not an approved sender of this merchant: nothing to remove\n`,
  }),
];

const webhook: readonly AddCommand[] = [
  operationCommand(operations.listWebhooks, {
    usage: 'webhook show',
    summary: 'show the webhook URLs of all platforms, in both modes',
    example: 'show',
    empty: 'no webhook URL. Set one: dialtill service webhook set http://127.0.0.1:8080/hook',
    columns: {
      platform: 'platform_id',
      mode: ({ livemode }) => (livemode ? 'live' : 'test'),
      url: 'url',
      state: getEndpointState,
      'previous secret signs until (UTC)': 'secret_overlap_until',
    },
  }),
  operationCommand(operations.setWebhook, {
    usage: 'webhook set <url>',
    summary: 'set the webhook URL; prints the signing secret',
    example: 'set http://127.0.0.1:8080/hook',
    options: {
      livemode: ['--live', 'for live sessions (default: for test sessions)'],
      platform_id: platform,
      quiet: ['--quiet', 'print only the signing secret'],
      secret: [
        '--secret-file <file>',
        'sign with the secret in this file (default: the current secret, else a new one)',
        readSecretFile,
      ],
    },
    show({ livemode, url, secret }, { paint, options: { quiet } }) {
      const title = `${livemode ? 'Live' : 'Test'} events go to ${url}, signed with:`;
      return formatSecret(paint, { title, secret, quiet });
    },
  }),
  operationCommand(operations.rotateSigningSecret, {
    usage: 'webhook rotate',
    summary: 'replace the signing secret; during an overlap, deliveries carry both signatures',
    example: 'rotate --quiet',
    options: {
      livemode: ['--live', 'for live sessions (default: for test sessions)'],
      platform_id: platform,
      quiet: ['--quiet', 'print only the signing secret'],
    },
    show({ secret }, { paint, options: { quiet } }) {
      const title = 'New signing secret. During the overlap, the previous secret also signs:';
      return formatSecret(paint, { title, secret, quiet });
    },
  }),
];

function getEndpointState({ disabled_at, failing_since }: Endpoint): string {
  if (disabled_at) return `disabled ${formatIsoTime(disabled_at)}: set the URL again to enable it`;
  return failing_since ? `failing since ${formatIsoTime(failing_since)}` : 'ok';
}

/** A secret is read from a file: other users of the machine can read the options of a running process. */
function readSecretFile(file: string): string {
  const secret = readSecret(file);
  if (!secret)
    throw new UserError(`cannot read a secret from ${file}. Check that the file exists and is not empty.`);
  return secret;
}

export const merchantCommands: readonly AddCommand[] = [
  ...merchants,
  ...keys,
  ...fees,
  ...senders,
  ...webhook,
];
