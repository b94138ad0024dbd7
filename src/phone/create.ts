import { aggregators, simulatedAggregators } from '../aggregators/registry.ts';
import type { Config } from '../gateway/config/schema.ts';
import { readTranscriptHead } from '../gateway/support/transcript/read-head.ts';
import type { TranscriptHead } from '../gateway/support/transcript/transcript.ts';
import type { GatewayOverrides } from '../gateway/wiring/context.ts';
import { createPrompts } from '../simulator/prompts.ts';
import type { PhoneChannel } from './browser-phone.ts';
import { createRecords } from './ledger-entry.ts';
import { phoneRoute } from './route.tsx';
import { createWireLog } from './wire-log.ts';

export type BrowserPhonesOptions = {
  /** The address at which a browser opens the gateway. */
  publicUrl: string;
  /** The service, which has simulated phones. */
  serviceUrl: string;
  /** Returns the address at which this process reaches the gateway. It is called after the gateway listens. */
  gatewayUrl(): string;
  fetch: typeof fetch;
  consoleUrl?: string | undefined;
  /** Returns the settings of a channel and its merchant, for a transcript. */
  transcriptHead(channelId: string): TranscriptHead;
};

/** The overrides of a gateway with the browser phone: its pages, and the calls that its wire log shows. */
type PhoneOverrides = Pick<GatewayOverrides, 'createPages' | 'onServiceExchange'>;

/** Returns the overrides that add the browser phone to a gateway of a test environment. */
export function browserPhones(options: BrowserPhonesOptions): PhoneOverrides {
  const { publicUrl, serviceUrl, gatewayUrl, fetch, transcriptHead, consoleUrl } = options;
  const wireLog = createWireLog();
  const createPages: NonNullable<PhoneOverrides['createPages']>[number] = ({ livemode, ...parts }) => {
    if (livemode === 1) throw new Error('a live gateway has no browser phone');
    const { store, clock, ids, channels } = parts;
    const closing = new AbortController();
    const app = phoneRoute({
      ...{ fetch, clock, ids, gatewayUrl, wireLog, closing: closing.signal, publicUrl: new URL(publicUrl) },
      prompts: createPrompts({ fetch, clock, serviceUrl }),
      records: createRecords(store, livemode, transcriptHead),
      channels: () => listChannels(channels()),
      consoleUrl,
    });
    return { area: 'phone', app, close: () => closing.abort() };
  };
  return { createPages: [createPages], onServiceExchange: wireLog.addService };
}

/**
 * Returns the overrides that add the browser phone to a gateway, when its configuration has one.
 *
 * @param configFile the file of the configuration, which transcripts read.
 * @param gatewayUrl returns the address at which this process reaches the gateway.
 */
export function phoneOverrides(
  { phone, service, console: pages }: Pick<Config, 'phone' | 'service' | 'console'>,
  configFile: string,
  gatewayUrl: () => string,
): PhoneOverrides {
  if (!phone) return {};
  const transcriptHead = (channelId: string) => readTranscriptHead(configFile, channelId);
  const { publicUrl } = phone;
  return browserPhones({
    ...{ publicUrl, serviceUrl: service.url, gatewayUrl, fetch, transcriptHead },
    consoleUrl: pages?.publicUrl,
  });
}

/** Returns the channels that can be dialled, by their ids. */
function listChannels(settings: readonly Config['channels'][number][]): ReadonlyMap<string, PhoneChannel> {
  return new Map(
    settings.flatMap((channel) => {
      const aggregator = aggregators[channel.aggregator];
      const simulated = simulatedAggregators[channel.aggregator];
      return aggregator && simulated ? [[channel.id, { ...channel, aggregator, simulated }] as const] : [];
    }),
  );
}
