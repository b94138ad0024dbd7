import type { Command } from 'commander';
import type { Aggregator } from '../../../aggregators/aggregator.ts';
import { type Certified, isCertified, type Wrong } from '../../../aggregators/certify/certified.ts';
import { certifyLine, type Line } from '../../../aggregators/certify/line.ts';
import { playFixtures } from '../../../aggregators/certify/play.ts';
import { aggregatorNames, aggregators, wires } from '../../../aggregators/registry.ts';
import type { Config } from '../../../gateway/config/schema.ts';
import { createChannel } from '../../../gateway/dialogue/channel.ts';
import type { Clock } from '../../../shared/clock.ts';
import type { Ids } from '../../../shared/ids.ts';
import { type Msisdn, operatorByPrefix } from '../../../shared/msisdn.ts';
import { exchange } from '../../../simulator/exchange.ts';
import { gatewayUrlOf } from '../../gateway-url.ts';
import { printJson } from '../../terminal/output.ts';
import { type Output, paintFor } from '../../terminal/terminal.ts';
import { callbackUrl } from '../channels.ts';
import { type AskedCertify, type CertifyFlags, readCertify, testNumber } from './options.ts';
import { reportCertified, summaryOf } from './report.ts';
import { everyChannel, serveTrial } from './trial.ts';

export type CertifyDeps = {
  /** @throws UserError when there is no configuration to read. */
  loadConfig(path?: string): Config;
  clock: Clock;
  ids: Ids;
  fetch: typeof fetch;
  stdout: Output;
  stderr: Output;
  /** The environment has NO_COLOR. */
  noColor: boolean;
  /** The folder of wire fixtures: that which ships, unless given. */
  fixtures?: string;
  /** Takes the command's exit code. */
  exit(code: number): void;
};

type Channel = Config['channels'][number];

/** How the command ends; its help text lists them. */
const exitCode = { well: 0, wrong: 1, usage: 2 } as const;

const help = `
The fixtures of the aggregator are played through its dialect. Then a session is played to the gateway: a dial, the
same dial again, a stray input, the notice of the end, what is broken, what is too large, and a wrong secret. Nothing is
agreed to, so nothing is collected.

Examples:
  $ dialtill certify shop-nalo
  $ dialtill certify shop-nalo --gateway https://pay.example.com
  $ dialtill certify shop-nalo --offline
  $ dialtill certify --all

Exit codes:
  0  all is well
  1  something is wrong, or no gateway answered
  2  wrong usage`;

/** `dialtill certify`: whether a channel, or everything that ships, speaks as its aggregator expects. */
export function registerCertify(program: Command, deps: CertifyDeps): void {
  program
    .command('certify')
    .argument('[channel]', 'the id of a channel of the configuration')
    .option('--all', 'every aggregator that ships, on a gateway of its own')
    .option('--config <file>', "the gateway's configuration file")
    .option('--gateway <url>', 'where the gateway listens (default: from the configuration)')
    .option('--offline', "the channel's definition alone, on a gateway that lives for this command")
    .option('--msisdn <number>', 'the number that dials', testNumber)
    .option('--verbose', 'print every exchange, also with --all')
    .option('--json', 'print one JSON object: ok, certified with fixtures and exchanges')
    .addHelpText('after', help)
    .action(async (channel: string | undefined, flags: CertifyFlags) =>
      deps.exit(await certify(deps, channel, flags)),
    );
}

async function certify(deps: CertifyDeps, channel: string | undefined, flags: CertifyFlags): Promise<number> {
  const { stdout, stderr } = deps;
  const asked = readCertify(channel, flags);
  if (!asked.ok) {
    stderr.write(`${asked.message}\n`);
    return exitCode.usage;
  }
  const done = asked.value.all
    ? { certified: await certifyAll(deps, asked.value.msisdn) }
    : await certifyOne(deps, asked.value, flags.config);
  if ('fault' in done) {
    stderr.write(`${done.fault}\n`);
    return done.exitCode;
  }
  const { certified } = done;
  if (flags.json) {
    printJson(stdout, summaryOf(certified));
  } else {
    const whole = flags.verbose === true || !asked.value.all;
    stdout.write(reportCertified(paintFor(stdout, deps.noColor), certified, whole));
  }
  return certified.every(isCertified) ? exitCode.well : exitCode.wrong;
}

async function certifyAll(deps: CertifyDeps, msisdn: Msisdn): Promise<Certified[]> {
  const config = everyChannel(deps.ids);
  const trial = await serveTrial(config);
  try {
    const certified: Certified[] = [];
    for (const name of aggregatorNames) {
      const channels = config.channels.filter(({ aggregator }) => aggregator === name);
      certified.push(await certifyChannels(deps, config, name, name, channels, trial.url, msisdn));
    }
    return certified;
  } finally {
    await trial.stop();
  }
}

type Done = { certified: Certified[] } | { fault: string; exitCode: number };

async function certifyOne(
  deps: CertifyDeps,
  asked: Extract<AskedCertify, { all: false }>,
  file: string | undefined,
): Promise<Done> {
  const config = deps.loadConfig(file);
  const channel = config.channels.find(({ id }) => id === asked.channel);
  if (!channel) {
    const ids = config.channels.map(({ id }) => id).join(', ');
    return { fault: `no channel "${asked.channel}": there is ${ids}`, exitCode: exitCode.usage };
  }
  const certifyAt = async (url: string) => {
    const { id, aggregator } = channel;
    return [await certifyChannels(deps, config, id, aggregator, [channel], url, asked.msisdn)];
  };
  if (asked.offline) {
    const trial = await serveTrial({ ...config, channels: [channel] });
    try {
      return { certified: await certifyAt(trial.url) };
    } finally {
      await trial.stop();
    }
  }
  const url = asked.gatewayUrl ?? gatewayUrlOf(config);
  const alive = await exchange(deps, `${url}/healthz`, { method: 'GET' });
  return alive.ok
    ? { certified: await certifyAt(url) }
    : { fault: noGateway(url, alive.detail, channel.id, file), exitCode: exitCode.wrong };
}

function noGateway(url: string, detail: string, channel: string, file: string | undefined): string {
  const config = file === undefined ? '' : ` --config ${file}`;
  return (
    `no gateway at ${url} (${detail})\n` +
    `start one with: npx dialtill start${config}\n` +
    `or certify the definition alone: npx dialtill certify ${channel}${config} --offline`
  );
}

/** Certifies the channels of one aggregator at the gateway that serves them. */
async function certifyChannels(
  deps: CertifyDeps,
  config: Config,
  name: string,
  aggregatorName: string,
  channels: readonly Channel[],
  gatewayUrl: string,
  msisdn: Msisdn,
): Promise<Certified> {
  const aggregator = aggregators[aggregatorName];
  if (!aggregator) throw new Error(`no aggregator ${aggregatorName}`);
  const { fixtures, wrong } = playFixtures(aggregator, deps.fixtures);
  if (channels.length === 0) wrong.push({ field: 'channels', message: 'expected one in the demo, got none' });
  const exchanges = [];
  for (const channel of channels) {
    const line = lineOf(config, aggregator, channel, gatewayUrl, msisdn);
    const played = line && (await certifyLine(deps, line));
    if (played?.[0]?.answered?.status === 404) wrong.push(unknownChannel(channel, gatewayUrl));
    if (played) exchanges.push(...played);
    else wrong.push({ field: 'wire', message: `expected a simulated ${aggregator.title}, got none` });
  }
  return { name, aggregator: aggregator.name, title: aggregator.title, fixtures, exchanges, wrong };
}

function unknownChannel({ allowFrom }: Channel, gatewayUrl: string): Wrong {
  const reason = allowFrom
    ? 'its allowFrom may leave out this machine, then certify with --offline'
    : 'does it run with the same configuration?';
  const message = `expected one that the gateway at ${gatewayUrl} knows, got 404 - ${reason}`;
  return { field: 'channel', message };
}

function lineOf(
  config: Config,
  aggregator: Aggregator,
  channel: Channel,
  gatewayUrl: string,
  msisdn: Msisdn,
): Line | undefined {
  const wire = wires[aggregator.name];
  const merchant = config.merchants.find(({ id }) => id === channel.merchant);
  if (!wire || !merchant) return undefined;
  const { serviceCode, settings, id, secret } = channel;
  return {
    title: aggregator.title,
    wire,
    callback: (secret) => callbackUrl(gatewayUrl, id, secret),
    secret,
    // Prompts have no part in this: their delays only complete the channel.
    channel: createChannel(
      aggregator,
      channel,
      { ...merchant, attendants: new Set(), livemode: 0 },
      config.timings.promptDelayMs,
    ),
    dialler: { msisdn, operator: operatorByPrefix(msisdn), serviceCode, settings },
  };
}
