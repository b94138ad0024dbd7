import { isDeepStrictEqual } from 'node:util';
import { aggregatorNames, aggregators } from '../../../aggregators/registry.ts';
import { type Config, configSchema } from '../../../gateway/config/schema.ts';
import { maxMerchant, type ProvenChannel } from '../../../menu/prove/channel.ts';
import type { ProofSettings } from '../../../menu/prove/prove.ts';
import type { Menu } from '../../../menu/schema.ts';
import type { EpochMs } from '../../../shared/clock.ts';
import { UsageError } from '../../../shared/errors.ts';
import { defaultTimeZone, localTimeAt } from '../../../shared/time-text.ts';

export type CheckFlags = {
  config?: string;
  limit?: string;
  maxInputs?: string;
  json?: true;
  graph?: true;
};

export const defaultMaxInputs = '8';

/**
 * Validates the options.
 *
 * @returns the channels and limits that a menu must satisfy.
 * @throws UsageError that states what to write instead.
 */
export function readCheck(
  flags: CheckFlags,
  loadConfig: (file: string) => Config,
  now: EpochMs,
): (menu: Menu) => ProofSettings {
  const { config: file, limit, maxInputs = defaultMaxInputs } = flags;
  if (file !== undefined && limit !== undefined) throw new UsageError('choose one of --config and --limit');
  if (!/^[1-9]\d?$/.test(maxInputs))
    throw new UsageError('--max-inputs takes a number from 1 to 99, such as 8');
  if (flags.graph && flags.json) throw new UsageError('choose one of --graph and --json');
  const septets = limit === undefined ? undefined : readLimit(limit);
  if (limit !== undefined && septets === undefined) {
    throw new UsageError('--limit takes septets from 60 to 182, such as 120');
  }
  const config = file === undefined ? undefined : loadConfig(file);
  const approvals = config?.approvals ?? configSchema.shape.approvals.parse({});
  const defaultChannels = septets === undefined ? includedChannels() : channelsWithLimit(septets);
  return (menu) => ({
    channels: config ? channelsWith(config, menu) : defaultChannels,
    approvals,
    maxInputs: Number(maxInputs),
    today: localTimeAt(now, getTimeZone(config, menu)).slice(0, 10),
  });
}

function readLimit(text: string): number | undefined {
  const limit = /^\d{2,3}$/.test(text) ? Number(text) : 0;
  return limit >= 60 && limit <= 182 ? limit : undefined;
}

/** One channel for each included aggregator. */
function includedChannels(): ProvenChannel[] {
  return aggregatorNames.flatMap((name) => {
    const aggregator = aggregators[name];
    const { sequenced = false, style } = aggregator ?? {};
    if (style === undefined) return [];
    const { limit, alphabet, lineBreak } = style;
    return [{ name, limit, alphabet, lineBreak, sequenced, merchant: maxMerchant }];
  });
}

/** One channel with sequence numbers and one without, both with this limit. */
function channelsWithLimit(limit: number): ProvenChannel[] {
  return [true, false].map((sequenced) => ({
    name: '--limit',
    limit,
    alphabet: 'gsm',
    sequenced,
    merchant: maxMerchant,
  }));
}

/** The time zone of the first merchant that uses an equal menu. */
function getTimeZone(config: Config | undefined, menu: Menu): string {
  const merchant = config?.merchants.find((one) => isDeepStrictEqual(one.menu, menu));
  return merchant?.timeZone ?? defaultTimeZone;
}

/** The configured channels whose merchant has an equal menu, whatever its file. */
function channelsWith(config: Config, menu: Menu): ProvenChannel[] {
  return config.channels.flatMap((channel) => {
    const found = findProvenChannel(config, channel);
    return found && isDeepStrictEqual(found.merchant.menu, menu) ? [found.proven] : [];
  });
}

/** Returns the merchant of a configured channel, and what its screens depend on; `undefined` without a merchant or an aggregator. */
export function findProvenChannel({ merchants }: Config, channel: Config['channels'][number]) {
  const merchant = merchants.find(({ id }) => id === channel.merchant);
  const aggregator = aggregators[channel.aggregator];
  if (!merchant || !aggregator) return undefined;
  const { style, sequenced } = aggregator;
  const proven: ProvenChannel = {
    name: channel.id,
    limit: channel.textLimit ?? style.limit,
    alphabet: channel.alphabet ?? style.alphabet,
    lineBreak: channel.lineBreak ?? style.lineBreak,
    sequenced: channel.sequenced ?? sequenced,
    merchant: merchant.name,
  };
  return { merchant, proven };
}
