import type { Command } from 'commander';
import { readSecret } from '../../gateway/config/secrets.ts';
import { UserError } from '../../shared/errors.ts';
import { table } from '../terminal/output.ts';
import { type AdminClient, part } from './admin-client.ts';
import { type CommandKit, type CommonOptions, merchantOf, merchantOption } from './command-kit.ts';
import { signingSecret, webhook, webhooks } from './responses.ts';
import { secretOnce, shownTime } from './show.ts';

type Options = CommonOptions & { merchant?: string };
type PlaceOptions = Options & { live?: true; platform?: string; quiet?: true };

/** `dialtill service webhook`. */
export function registerWebhook(service: Command, desk: CommandKit): void {
  const group = service.command('webhook').description("where a merchant's events go, and what signs them");
  const pathOf = async (office: AdminClient, options: Options) =>
    `/merchants/${part(await merchantOf(office, options.merchant))}`;
  const placeOf = (options: PlaceOptions) => ({
    livemode: options.live ?? false,
    ...(options.platform === undefined ? {} : { platform_id: options.platform }),
  });
  const onPlace = (usage: string, description: string, example: string) =>
    desk
      .command(group, usage, description, example)
      .addOption(merchantOption())
      .option('--live', 'for live sessions (default: for test sessions)')
      .option('--platform <id>', "the platform (default: the merchant's first)")
      .option('--quiet', 'print the signing secret alone');

  desk
    .command(group, 'show', 'show where events go, of all platforms and both modes', 'show')
    .addOption(merchantOption())
    .action(async (options: Options) => {
      const office = desk.office(options);
      const path = `${await pathOf(office, options)}/webhooks`;
      desk.show(options, await office.get(path, webhooks), (found) =>
        found.webhooks.length === 0
          ? 'no webhook URL is set. Set one: dialtill service webhook set http://127.0.0.1:8080/hook\n'
          : table(desk.paint, [
              ['platform', 'mode', 'url', 'state', 'older secret signs until (UTC)'],
              ...found.webhooks.map((one) => [
                one.platform_id,
                one.livemode ? 'live' : 'test',
                one.url,
                one.disabled_at
                  ? `disabled ${shownTime(one.disabled_at)}: set it again to go on`
                  : one.failing_since
                    ? `failing since ${shownTime(one.failing_since)}`
                    : 'ok',
                shownTime(one.secret_overlap_until),
              ]),
            ]),
      );
    });

  onPlace('set <url>', 'set where events go; prints the signing secret', 'set http://127.0.0.1:8080/hook')
    .option(
      '--secret-file <file>',
      'sign with the secret in this file (default: the current one, else a new one)',
    )
    .action(async (url: string, options: PlaceOptions & { secretFile?: string }) => {
      const secret = options.secretFile === undefined ? {} : { secret: secretOf(options.secretFile) };
      const office = desk.office(options);
      const path = `${await pathOf(office, options)}/webhook`;
      const set = await office.send('PUT', path, webhook, { ...placeOf(options), url, ...secret });
      desk.show(options, set, (one) => {
        const about = `${one.livemode ? 'Live' : 'Test'} events go to ${one.url}, signed with:`;
        return secretOnce(desk.paint, about, one.secret, options.quiet);
      });
    });

  onPlace(
    'rotate',
    'put a new signing secret in place; for a time deliveries carry both signatures',
    'rotate --quiet',
  ).action(async (options: PlaceOptions) => {
    const office = desk.office(options);
    const path = `${await pathOf(office, options)}/webhook/rotate`;
    const made = await office.send('POST', path, signingSecret, placeOf(options));
    const about = 'The new signing secret; the old one signs beside it for a time:';
    desk.show(options, made, (one) => secretOnce(desk.paint, about, one.secret, options.quiet));
  });
}

/** Never a flag, which other users of the machine could read. */
function secretOf(file: string): string {
  const secret = readSecret(file);
  if (!secret) throw new UserError(`${file} holds no secret that can be read.`);
  return secret;
}
