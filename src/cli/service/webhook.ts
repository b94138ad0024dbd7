import type { Command } from 'commander';
import type { z } from 'zod';
import { signingSecret, webhook, webhookEndpointPage } from '../../contract/service/admin.ts';
import type { Tolerant } from '../../contract/tolerant.ts';
import { readSecret } from '../../gateway/config/secrets.ts';
import { UserError } from '../../shared/errors.ts';
import { type CommandKit, type MerchantOptions, merchantOption, merchantPath } from './command-kit.ts';
import { formatSecret, formatTime } from './format.ts';

type Endpoint = Tolerant<z.infer<typeof webhookEndpointPage>>['data'][number];
type EndpointOptions = MerchantOptions & { live?: true; platform?: string; quiet?: true };

/** `dialtill service webhook`. */
export function registerWebhook(service: Command, kit: CommandKit): void {
  const group = service
    .command('webhook')
    .description('show and set webhook URLs, and rotate signing secrets');

  const show = kit.command(group, 'show', 'show the webhook URLs of all platforms, in both modes', 'show');
  kit.list(show.addOption(merchantOption()), {
    page: webhookEndpointPage,
    path: async (client, options) => `${await merchantPath(client, options)}/webhooks`,
    empty: 'no webhook URL. Set one: dialtill service webhook set http://127.0.0.1:8080/hook',
    columns: ['platform', 'mode', 'url', 'state', 'previous secret signs until (UTC)'],
    row: endpointRow,
  });

  const endpointCommand = (usage: string, description: string, example: string) =>
    kit
      .command(group, usage, description, example)
      .addOption(merchantOption())
      .option('--live', 'for live sessions (default: for test sessions)')
      .option('--platform <id>', "the platform (default: the merchant's first)")
      .option('--quiet', 'print only the signing secret');

  endpointCommand(
    'set <url>',
    'set the webhook URL; prints the signing secret',
    'set http://127.0.0.1:8080/hook',
  )
    .option(
      '--secret-file <file>',
      'sign with the secret in this file (default: the current secret, else a new one)',
    )
    .action(async (url: string, options: EndpointOptions & { secretFile?: string }) => {
      const secret = options.secretFile === undefined ? {} : { secret: readSecretFile(options.secretFile) };
      const client = kit.client(options);
      const path = `${await merchantPath(client, options)}/webhook`;
      const set = await client.send('PUT', path, webhook, { ...endpointKey(options), url, ...secret });
      kit.print(options, set, ({ livemode, url, secret }) => {
        const title = `${livemode ? 'Live' : 'Test'} events go to ${url}, signed with:`;
        return formatSecret(kit.paint, { title, secret, quiet: options.quiet });
      });
    });

  endpointCommand(
    'rotate',
    'replace the signing secret; during an overlap, deliveries carry both signatures',
    'rotate --quiet',
  ).action(async (options: EndpointOptions) => {
    const client = kit.client(options);
    const path = `${await merchantPath(client, options)}/webhook/rotate`;
    const rotated = await client.send('POST', path, signingSecret, endpointKey(options));
    const title = 'New signing secret. During the overlap, the previous secret also signs:';
    kit.print(options, rotated, ({ secret }) =>
      formatSecret(kit.paint, { title, secret, quiet: options.quiet }),
    );
  });
}

function endpointKey({ live, platform }: EndpointOptions) {
  return { livemode: live ?? false, ...(platform === undefined ? {} : { platform_id: platform }) };
}

function endpointRow(endpoint: Endpoint): string[] {
  return [
    endpoint.platform_id,
    endpoint.livemode ? 'live' : 'test',
    endpoint.url,
    getState(endpoint),
    formatTime(endpoint.secret_overlap_until),
  ];
}

function getState({ disabled_at, failing_since }: Endpoint): string {
  if (disabled_at) return `disabled ${formatTime(disabled_at)}: set the URL again to enable it`;
  return failing_since ? `failing since ${formatTime(failing_since)}` : 'ok';
}

/** A secret is read from a file: other users of the machine can read the options of a running process. */
function readSecretFile(file: string): string {
  const secret = readSecret(file);
  if (!secret)
    throw new UserError(`cannot read a secret from ${file}. Check that the file exists and is not empty.`);
  return secret;
}
