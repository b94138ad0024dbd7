import type { Command } from 'commander';
import type { z } from 'zod';
import { createdKey, keyPage, revokedKey, rotatedKey, scopes } from '../../contract/service/admin.ts';
import type { Tolerant } from '../../contract/tolerant.ts';
import { pathSegment } from './admin-client.ts';
import { durationUpTo } from './arguments.ts';
import {
  type CommandKit,
  type CommonOptions,
  type MerchantOptions,
  merchantOption,
  merchantPath,
  readMerchantId,
} from './command-kit.ts';
import { formatSecret, formatTime } from './format.ts';

type Key = Tolerant<z.infer<typeof keyPage>>['data'][number];
type CreateOptions = MerchantOptions & { live?: true; scopes?: string[]; platform?: string; quiet?: true };
type RotateOptions = CommonOptions & { overlap?: number; quiet?: true };

/** `dialtill service keys`. */
export function registerServiceKeys(service: Command, kit: CommandKit): void {
  const group = service.command('keys').description('list, create, rotate and revoke secret keys');

  const list = kit.command(group, 'list', 'list keys, newest first, without the secrets', 'list');
  kit.list(list.addOption(merchantOption()), {
    page: keyPage,
    path: async (client, options) => `${await merchantPath(client, options)}/keys`,
    empty: 'no keys. Create one: dialtill service keys create',
    columns: ['key', 'mode', 'ends in', 'scopes', 'last used (UTC)', 'state'],
    row: keyRow,
  });

  kit
    .command(group, 'create', 'create a key, by default a test key; it is shown only once', 'create --quiet')
    .addOption(merchantOption())
    .option('--live', 'create a key for live sessions')
    .option(
      '--scopes <list>',
      `comma-separated scopes: ${scopes.join(', ')} (default: collections:offline, and collections:web for a test key)`,
      parseCommaSeparated,
    )
    .option('--platform <id>', "the platform (default: the merchant's first)")
    .option('--quiet', 'print only the key')
    .action(async (options: CreateOptions) => {
      const client = kit.client(options);
      const merchantId = await readMerchantId(client, options.merchant);
      const path = `/merchants/${pathSegment(merchantId)}/keys`;
      const created = await client.send('POST', path, createdKey, {
        livemode: options.live ?? false,
        ...(options.scopes === undefined ? {} : { scopes: options.scopes }),
        ...(options.platform === undefined ? {} : { platform_id: options.platform }),
      });
      const title = `${options.live ? 'Live' : 'Test'} key ${created.id} of ${merchantId}, shown only once:`;
      const { quiet } = options;
      kit.print(options, created, ({ key }) => formatSecret(kit.paint, { title, secret: key, quiet }));
    });

  kit
    .command(
      group,
      'rotate <id>',
      'replace a key; the old key works until the overlap ends',
      'rotate key_01k… --overlap 2h',
    )
    .option('--overlap <time>', 'how long the old key still works: 0s to 7d (default: 24h)', parseOverlap)
    .option('--quiet', 'print only the key')
    .action(async (id: string, options: RotateOptions) => {
      const body = options.overlap === undefined ? {} : { overlap_seconds: options.overlap / 1_000 };
      const path = `/keys/${pathSegment(id)}/rotate`;
      const rotated = await kit.client(options).send('POST', path, rotatedKey, body);
      kit.print(options, rotated, (shown) => {
        const until = formatTime(shown.old_key_expires_at);
        const title = `Key ${shown.id}, shown only once. ${id} works until ${until} UTC:`;
        return formatSecret(kit.paint, { title, secret: shown.key, quiet: options.quiet });
      });
    });

  kit
    .command(group, 'revoke <id>', 'revoke a key immediately', 'revoke key_01k…')
    .action(async (id: string, options: CommonOptions) => {
      const path = `/keys/${pathSegment(id)}/revoke`;
      const revoked = await kit.client(options).send('POST', path, revokedKey);
      kit.print(options, revoked, (key) => `${key.id} is revoked\n`);
    });
}

function keyRow(key: Key): string[] {
  return [
    key.id,
    key.livemode ? 'live' : 'test',
    key.ending,
    key.scopes.join(',') || 'none',
    formatTime(key.last_used_at),
    getState(key),
  ];
}

function getState({ revoked_at, expires_at }: Key): string {
  if (revoked_at) return `revoked ${formatTime(revoked_at)}`;
  return expires_at ? `replaced, works until ${formatTime(expires_at)}` : 'active';
}

function parseCommaSeparated(text: string): string[] {
  return text.split(',').map((word) => word.trim());
}

/** An overlap may be zero, unlike other durations. */
function parseOverlap(text: string): number {
  return /^0[smhd]?$/.test(text) ? 0 : durationUpTo('7d')(text);
}
