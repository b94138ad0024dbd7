import type { Command } from 'commander';
import { table } from '../terminal/output.ts';
import { part } from './admin-client.ts';
import { type CommandKit, type CommonOptions, merchantOf, merchantOption } from './command-kit.ts';
import { durationUpTo } from './duration.ts';
import { keys, madeKey, revokedKey, rotatedKey } from './responses.ts';
import { secretOnce, shownTime } from './show.ts';

type Options = CommonOptions & { merchant?: string };
type CreateOptions = Options & { live?: true; scopes?: string[]; platform?: string; quiet?: true };

/** As the service knows them. */
const scopes = 'collections:offline, collections:web, sessions:read, events:read';

const words = (text: string) => text.split(',').map((word) => word.trim());

/** `dialtill service keys`. */
export function registerKeys(service: Command, desk: CommandKit): void {
  const group = service.command('keys').description("a merchant's secret keys");

  desk
    .command(group, 'list', 'list the newest 100 keys, never the keys themselves', 'list')
    .addOption(merchantOption())
    .action(async (options: Options) => {
      const office = desk.office(options);
      const path = `/merchants/${part(await merchantOf(office, options.merchant))}/keys`;
      desk.show(options, await office.get(path, keys), (found) =>
        found.keys.length === 0
          ? 'no keys. Make one: dialtill service keys create\n'
          : table(desk.paint, [
              ['key', 'mode', 'ends in', 'scopes', 'last used (UTC)', 'state'],
              ...found.keys.map((one) => [
                one.id,
                one.livemode ? 'live' : 'test',
                one.ending,
                one.scopes.join(',') || 'none',
                shownTime(one.last_used_at),
                one.revoked_at
                  ? `revoked ${shownTime(one.revoked_at)}`
                  : one.expires_at
                    ? `replaced, ends ${shownTime(one.expires_at)}`
                    : 'in use',
              ]),
            ]),
      );
    });

  desk
    .command(
      group,
      'create',
      'create a key, a test key unless --live; it is shown this once',
      'create --quiet',
    )
    .addOption(merchantOption())
    .option('--live', 'a key for live sessions')
    .option('--scopes <list>', `scopes, separated by commas, of ${scopes} (default: all)`, words)
    .option('--platform <id>', "the platform (default: the merchant's first)")
    .option('--quiet', 'print the key alone')
    .action(async (options: CreateOptions) => {
      const office = desk.office(options);
      const merchant = await merchantOf(office, options.merchant);
      const made = await office.send('POST', `/merchants/${part(merchant)}/keys`, madeKey, {
        livemode: options.live ?? false,
        ...(options.scopes === undefined ? {} : { scopes: options.scopes }),
        ...(options.platform === undefined ? {} : { platform_id: options.platform }),
      });
      const about = `${options.live ? 'Live' : 'Test'} key ${made.id} of ${merchant}, shown this once:`;
      desk.show(options, made, ({ key }) => secretOnce(desk.paint, about, key, options.quiet));
    });

  desk
    .command(group, 'rotate <id>', 'put a new key in the place of one', 'rotate key_01k… --overlap 2h')
    .option('--overlap <time>', 'how long the old key goes on working: 0s to 7d (default: 24h)', overlap)
    .option('--quiet', 'print the key alone')
    .action(async (id: string, options: CommonOptions & { overlap?: number; quiet?: true }) => {
      const body = options.overlap === undefined ? {} : { overlap_seconds: options.overlap / 1_000 };
      const made = await desk.office(options).send('POST', `/keys/${part(id)}/rotate`, rotatedKey, body);
      desk.show(options, made, (one) => {
        const end = shownTime(one.old_key_expires_at);
        const about = `Key ${one.id}, shown this once; ${id} ends at ${end} UTC:`;
        return secretOnce(desk.paint, about, one.key, options.quiet);
      });
    });

  desk
    .command(group, 'revoke <id>', 'revoke a key at once', 'revoke key_01k…')
    .action(async (id: string, options: CommonOptions) => {
      const done = await desk.office(options).send('POST', `/keys/${part(id)}/revoke`, revokedKey);
      desk.show(options, done, (one) => `${one.id} is refused from now on\n`);
    });
}

/** No overlap at all may be asked for here, and nowhere else. */
function overlap(text: string): number {
  return /^0[smhd]?$/.test(text) ? 0 : durationUpTo('7d')(text);
}
