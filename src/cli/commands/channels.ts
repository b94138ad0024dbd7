import type { Command } from 'commander';
import { aggregatorNames, aggregators } from '../../aggregators/registry.ts';
import { getGatewayUrl } from '../../gateway/config/addresses.ts';
import { UsageError } from '../../shared/errors.ts';
import type { CommandContext } from '../context.ts';
import { readUrl } from '../gateway-url.ts';
import { printListJson, table } from '../terminal/output.ts';

export type ChannelsDeps = Pick<CommandContext, 'stdout' | 'loadConfig' | 'loadWithoutSecrets'>;

type Flags = { config?: string; base?: string; secrets?: true; json?: true };

/** Returns the URL that a merchant enters at the aggregator. */
export function callbackUrl(base: string, channel: string, secret: string): string {
  return `${base}/ussd/${encodeURIComponent(channel)}/${secret}`;
}

export function registerChannels(program: Command, deps: ChannelsDeps): void {
  program
    .command('channels')
    .option('--config <file>', 'configuration file of the gateway')
    .option('--base <url>', 'public URL of the gateway (default: its local address)')
    .option('--secrets', 'show the secrets in the callback URLs')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `
Examples:
  $ dialtill channels
  $ dialtill channels --base https://pay.example.com --secrets`,
    )
    .action((flags: Flags) => listChannels(deps, flags));
}

function listChannels(deps: ChannelsDeps, flags: Flags): void {
  const config = flags.secrets ? deps.loadConfig(flags.config) : deps.loadWithoutSecrets(flags.config);
  const base = readUrl(flags.base ?? getGatewayUrl(config));
  if (base === undefined)
    throw new UsageError(`--base: expected a URL such as https://pay.example.com, found ${flags.base}`);
  const rows = config.channels.map(({ id, aggregator, serviceCode, merchant, secret }) => {
    const title = aggregators[aggregator]?.title ?? aggregator;
    const url = callbackUrl(base, id, flags.secrets ? secret : '***');
    return { id, aggregator, title, serviceCode, merchant, url };
  });
  if (flags.json) {
    printListJson(deps.stdout, rows);
    return;
  }
  const lines = rows.map((row) => [row.id, row.title, row.serviceCode, row.merchant, row.url]);
  const head = ['channel', 'aggregator', 'service code', 'merchant', 'callback URL'];
  deps.stdout.write(table(deps.stdout.paint, [head, ...lines]));
  if (!flags.secrets)
    deps.stdout.write('*** stands for the secret of the channel. To show it, add --secrets.\n');
}

export type AggregatorsDeps = Pick<ChannelsDeps, 'stdout'>;

const second = 1000;

export function registerAggregators(program: Command, { stdout }: AggregatorsDeps): void {
  program
    .command('aggregators')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  $ dialtill aggregators')
    .action(({ json }: { json?: true }) => {
      const rows = aggregatorNames.flatMap((name) => describe(name) ?? []);
      if (json) return printListJson(stdout, rows);
      const lines = rows.map((row) => [
        row.name,
        row.title,
        row.method,
        `${row.textLimit} septets`,
        `${row.replyWithinSeconds} s`,
        row.sequenced ? 'request' : 'time and input',
        row.promptDelaySeconds > 0 ? `${row.promptDelaySeconds} s` : '-',
      ]);
      const head = ['name', 'title', 'method', 'text', 'reply within', 'repeats detected by', 'prompt delay'];
      stdout.write(table(stdout.paint, [head, ...lines]));
      stdout.write('These are defaults. A channel can set other values.\n');
    });
}

function describe(name: string) {
  const aggregator = aggregators[name];
  return (
    aggregator && {
      name,
      title: aggregator.title,
      method: aggregator.method,
      textLimit: aggregator.style.limit,
      replyWithinSeconds: aggregator.replyWithinMs / second,
      sequenced: aggregator.sequenced,
      promptDelaySeconds: aggregator.promptDelayMs / second,
    }
  );
}
