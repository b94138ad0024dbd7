import type { Command } from 'commander';
import { aggregators } from '../../aggregators/registry.ts';
import type { Config } from '../../gateway/config/schema.ts';
import { gatewayUrlOf } from '../gateway-url.ts';
import { printJson, table } from '../terminal/output.ts';
import { type Output, paintFor } from '../terminal/terminal.ts';

export type ChannelsDeps = {
  stdout: Output;
  stderr: Output;
  noColor: boolean;
  /** @throws UserError when there is no configuration to read. */
  loadConfig(path?: string): Config;
  /** Takes the command's exit code. */
  exit(code: number): void;
};

type Flags = { config?: string; base?: string; secrets?: true; json?: true };

/** An http or https address without the slashes at its end; `undefined` when the text is none. */
export function readAddress(text: string): string | undefined {
  return /^https?:\/\/[^/]/.test(text) && URL.canParse(text) ? text.replace(/\/+$/, '') : undefined;
}

/** What a merchant enters at the aggregator. */
export function callbackUrl(base: string, channel: string, secret: string): string {
  return `${base}/ussd/${encodeURIComponent(channel)}/${secret}`;
}

/** `dialtill channels`: the channels of a configuration, and the callback URL of each. */
export function registerChannels(program: Command, deps: ChannelsDeps): void {
  program
    .command('channels')
    .option('--config <file>', "the gateway's configuration file")
    .option('--base <url>', 'the public address of the gateway (default: where it listens)')
    .option('--secrets', 'show the secrets that the callback URLs hold')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `
Examples:
  $ dialtill channels
  $ dialtill channels --base https://pay.example.com --secrets`,
    )
    .action((flags: Flags) => deps.exit(listChannels(deps, flags)));
}

function listChannels(deps: ChannelsDeps, flags: Flags): number {
  const config = deps.loadConfig(flags.config);
  const base = readAddress(flags.base ?? gatewayUrlOf(config));
  if (base === undefined) {
    deps.stderr.write('--base takes a URL, such as https://pay.example.com\n');
    return 2;
  }
  const rows = config.channels.map(({ id, aggregator, serviceCode, merchant, secret }) => {
    const title = aggregators[aggregator]?.title ?? aggregator;
    const url = callbackUrl(base, id, flags.secrets ? secret : '***');
    return { id, aggregator, title, serviceCode, merchant, url };
  });
  if (flags.json) {
    printJson(deps.stdout, rows);
    return 0;
  }
  const lines = rows.map((row) => [row.id, row.title, row.serviceCode, row.merchant, row.url]);
  const head = ['channel', 'aggregator', 'code', 'merchant', 'callback URL'];
  deps.stdout.write(table(paintFor(deps.stdout, deps.noColor), [head, ...lines]));
  if (!flags.secrets) deps.stdout.write('*** is the secret of the channel: --secrets shows it\n');
  return 0;
}
