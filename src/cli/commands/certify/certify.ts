import type { Command } from 'commander';
import type { Aggregator } from '../../../aggregators/aggregator.ts';
import { aggregators, simulatedAggregators } from '../../../aggregators/registry.ts';
import { type Certification, isCertified, type Problem } from '../../../certify/certification.ts';
import { type CertifiedChannel, certifyChannel } from '../../../certify/certify-channel.ts';
import { replayFixtures } from '../../../certify/fixture.ts';
import { getGatewayUrl } from '../../../gateway/config/addresses.ts';
import type { Config } from '../../../gateway/config/schema.ts';
import { createChannel } from '../../../gateway/dialogue/channel.ts';
import { UsageError, UserError } from '../../../shared/errors.ts';
import { exchange } from '../../../shared/http/exchange.ts';
import { type Msisdn, operatorByPrefix, parseMsisdn } from '../../../shared/msisdn.ts';
import type { CommandContext } from '../../context.ts';
import { readGateway } from '../../gateway-url.ts';
import { type CommandOutput, printJson } from '../../terminal/output.ts';
import { callbackUrl } from '../channels.ts';
import { noGateway, recoveryAt, reportCertified, toSummary } from './certify-report.ts';
import { demoConfig, serveTrial } from './trial-gateway.ts';

export type CertifyDeps = Pick<
  CommandContext,
  keyof CommandOutput | 'loadConfig' | 'loadWithoutSecrets' | 'clock' | 'ids' | 'fetch'
> & {
  /** The folder of wire fixtures (default: the folder of this package). */
  fixtures?: string;
};

type Channel = Config['channels'][number];

/** The exit codes; the help text lists them. */
const exitCode = { certified: 0, failed: 1 } as const;

const help = `
The command replays the wire fixtures of the aggregator through its dialect. Then it plays a session to the gateway: a dial,
a repeated dial, an unexpected input, an end notice, a broken body, an oversized body, and a wrong secret. It confirms no
payment, so that no money is collected.

Examples:
  $ dialtill certify shop-nalo
  $ dialtill certify shop-nalo --gateway https://pay.example.com
  $ dialtill certify shop-nalo --offline
  $ dialtill certify --all

Exit codes:
  0  every reply is as the aggregator expects
  1  a reply deviates, or the gateway is not reachable
  2  wrong usage`;

export function registerCertify(program: Command, deps: CertifyDeps): void {
  program
    .command('certify')
    .argument('[channel]', 'id of a configured channel')
    .option('--all', 'certify every supported and every described aggregator, on a temporary gateway')
    .option('--config <file>', 'configuration file of the gateway')
    .option('--gateway <url>', 'URL of the gateway (default: from the configuration)')
    .option('--offline', 'certify the configuration of the channel on a temporary gateway')
    .option('--msisdn <number>', 'number of the phone that dials', testNumber)
    .option('--verbose', 'with --all, print every exchange')
    .option('--json', 'print one JSON object: ok, certified with fixtures and exchanges')
    .addHelpText('after', help)
    .action(async (channel: string | undefined, flags: CertifyFlags) =>
      deps.exit(await certify(deps, channel, flags)),
    );
}

async function certify(deps: CertifyDeps, channel: string | undefined, flags: CertifyFlags): Promise<number> {
  const { stdout } = deps;
  const request = readCertifyRequest(channel, flags);
  const certified =
    request.channel === undefined
      ? await certifyAll(deps, request.msisdn)
      : await certifyOne(deps, request, flags.config);
  if (flags.json) {
    printJson(stdout, toSummary(certified));
  } else {
    const isVerbose = flags.verbose === true || !flags.all;
    stdout.write(reportCertified(stdout.paint, certified, isVerbose));
  }
  return certified.every(isCertified) ? exitCode.certified : exitCode.failed;
}

async function certifyAll(deps: CertifyDeps, msisdn: Msisdn): Promise<Certification[]> {
  const config = demoConfig(deps.ids);
  const trial = await serveTrial(config);
  try {
    const certified: Certification[] = [];
    // The demo's channels have the names of their aggregators; the described ones follow.
    for (const channel of config.channels) {
      const { id: name, aggregator: aggregatorName } = channel;
      const target = { config, aggregatorName, channels: [channel], gatewayUrl: trial.url, msisdn };
      const one = await certifyChannels(deps, name, target);
      const isOwn = ({ file }: { file: string }) =>
        name === aggregatorName || file.startsWith(`generic/${name}-`);
      certified.push({ ...one, fixtures: one.fixtures.filter(isOwn) });
    }
    return certified;
  } finally {
    await trial.stop();
  }
}

async function certifyOne(
  deps: CertifyDeps,
  request: CertifyRequest,
  file: string | undefined,
): Promise<Certification[]> {
  const config = request.offline ? deps.loadWithoutSecrets(file) : deps.loadConfig(file);
  const channel = config.channels.find(({ id }) => id === request.channel);
  if (!channel) {
    const ids = config.channels.map(({ id }) => id).join(', ');
    throw new UsageError(`no channel ${request.channel}; the configured channels are ${ids}`);
  }
  const certifyAt = async (url: string) => {
    const { id, aggregator: aggregatorName } = channel;
    const target = { config, aggregatorName, channels: [channel], gatewayUrl: url, msisdn: request.msisdn };
    return [await certifyChannels(deps, id, target)];
  };
  if (request.offline) {
    const trial = await serveTrial({ ...config, channels: [channel] });
    try {
      return await certifyAt(trial.url);
    } finally {
      await trial.stop();
    }
  }
  const url = request.gatewayUrl ?? getGatewayUrl(config);
  const state = await exchange(deps, `${url}/readyz`, { method: 'GET' });
  const fault = state.ok ? recoveryAt(url, state.body) : noGateway(url, state.detail, channel.id, file);
  if (fault !== undefined) throw new UserError(fault);
  return certifyAt(url);
}

/** Channels of one aggregator, and the gateway that serves them. */
type Target = {
  config: Config;
  aggregatorName: string;
  channels: readonly Channel[];
  gatewayUrl: string;
  msisdn: Msisdn;
};

/** @param name the name of the result: of a channel or of an aggregator. */
async function certifyChannels(deps: CertifyDeps, name: string, target: Target): Promise<Certification> {
  const { aggregatorName, channels, gatewayUrl } = target;
  const aggregator = aggregators[aggregatorName];
  if (!aggregator) throw new Error(`no aggregator ${aggregatorName}`);
  const { fixtures, problems } = replayFixtures(aggregator, deps.fixtures);
  if (channels.length === 0)
    problems.push({ field: 'channels', message: 'expected one in the demo, got none' });
  const exchanges = [];
  for (const channel of channels) {
    const certified = certifiedChannel(target, aggregator, channel);
    const played = certified && (await certifyChannel(deps, certified));
    if (played?.[0]?.answer?.status === 404) problems.push(unknownChannel(channel, gatewayUrl));
    if (played) exchanges.push(...played);
    else
      problems.push({ field: 'aggregator', message: `expected a simulated ${aggregator.title}, got none` });
  }
  return { name, aggregator: aggregator.name, title: aggregator.title, fixtures, exchanges, problems };
}

function unknownChannel({ allowFrom }: Channel, gatewayUrl: string): Problem {
  const reason = allowFrom
    ? 'if its allowFrom excludes this machine, use --offline'
    : 'check that it runs with the same configuration';
  const message = `expected a channel of the gateway at ${gatewayUrl}, got 404: ${reason}`;
  return { field: 'channel', message };
}

/** Returns `undefined` when the aggregator has no simulation. */
function certifiedChannel(
  { config, gatewayUrl, msisdn }: Target,
  aggregator: Aggregator,
  channel: Channel,
): CertifiedChannel | undefined {
  const simulated = simulatedAggregators[aggregator.name];
  const merchant = config.merchants.find(({ id }) => id === channel.merchant);
  if (!simulated || !merchant) return undefined;
  const { serviceCode, settings, id, secret } = channel;
  return {
    title: aggregator.title,
    aggregator: simulated,
    callback: (secret) => callbackUrl(gatewayUrl, id, secret),
    secret,
    // The delays complete the channel; a certification sends no prompts.
    channel: createChannel(
      aggregator,
      channel,
      { ...merchant, attendants: new Set(), livemode: 0 },
      config.timings.promptDelayMs,
    ),
    dialler: { msisdn, operator: operatorByPrefix(msisdn), serviceCode, settings },
  };
}

type CertifyFlags = {
  all?: true;
  config?: string;
  gateway?: string;
  offline?: true;
  msisdn?: string;
  verbose?: true;
  json?: true;
};

/** The validated options. Without a channel, every supported aggregator is certified. */
type CertifyRequest = {
  msisdn: Msisdn;
  channel?: string;
  offline?: boolean | undefined;
  gatewayUrl?: string | undefined;
};

/** A number that is not in use. */
const testNumber = '0240000000';

/** Validates the command line. @throws UsageError that describes the expected value. */
function readCertifyRequest(channel: string | undefined, flags: CertifyFlags): CertifyRequest {
  const { all, config, gateway, offline } = flags;
  const msisdn = parseMsisdn(flags.msisdn ?? testNumber);
  if (!msisdn)
    throw new UsageError(
      `--msisdn: expected a Ghanaian mobile number such as ${testNumber}, found ${flags.msisdn}`,
    );
  if (all) {
    const isAlone = channel === undefined && config === undefined && gateway === undefined && !offline;
    if (!isAlone)
      throw new UsageError(
        '--all certifies every supported aggregator: remove the channel, --config, --gateway and --offline',
      );
    return { msisdn };
  }
  if (channel === undefined) throw new UsageError('expected the id of a configured channel, or --all');
  if (offline && gateway !== undefined) throw new UsageError('choose one of --offline and --gateway');
  const gatewayUrl = gateway === undefined ? undefined : readGateway(gateway);
  return { channel, offline, gatewayUrl, msisdn };
}
