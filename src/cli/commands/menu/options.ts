import { isDeepStrictEqual } from 'node:util';
import { aggregatorNames, aggregators } from '../../../aggregators/registry.ts';
import { type Config, configSchema } from '../../../gateway/config/schema.ts';
import { longestMerchant, type ProvenChannel } from '../../../menu/prove/channel.ts';
import type { Circumstances } from '../../../menu/prove/prove.ts';
import type { Menu } from '../../../menu/schema.ts';

/** The options as the command line has them. */
export type CheckFlags = {
  config?: string;
  limit?: string;
  maxHops?: string;
  json?: true;
  /** True for the flag without a format. */
  graph?: string | true;
};

/** What a drawing can be written as. */
export const graphFormats = ['mermaid', 'svg'] as const;
export type GraphFormat = (typeof graphFormats)[number];

export function isGraphFormat(format: string): format is GraphFormat {
  return graphFormats.some((one) => one === format);
}

/** Where the menus of some files are used: the same for all, or what a configuration says of each. */
export type AskedCheck = {
  circumstancesOf(menu: Menu): Circumstances;
  /** How a clean menu is drawn; absent when it is not. */
  graph?: GraphFormat;
};

type Read<T> = { ok: true; value: T } | { ok: false; message: string };

const wrong = (message: string) => ({ ok: false, message }) as const;

export const defaultMaxHops = '8';

/** Reads the command line; a failure's message says what to write instead. */
export function readCheck(flags: CheckFlags, loadConfig: (file: string) => Config): Read<AskedCheck> {
  const { config: file, limit, maxHops = defaultMaxHops, graph } = flags;
  if (file !== undefined && limit !== undefined) return wrong('choose one of --config and --limit');
  if (!/^[1-9]\d?$/.test(maxHops)) return wrong('--max-hops takes a number from 1 to 99, such as 8');
  const format = graph === true ? 'mermaid' : graph;
  if (format !== undefined && !isGraphFormat(format)) return wrong('--graph takes mermaid or svg');
  if (format !== undefined && flags.json) return wrong('choose one of --graph and --json');
  const septets = limit === undefined ? undefined : readLimit(limit);
  if (limit !== undefined && septets === undefined) {
    return wrong('--limit takes septets from 60 to 182, such as 120');
  }
  const config = file === undefined ? undefined : loadConfig(file);
  const approvals = config?.approvals ?? configSchema.shape.approvals.parse({});
  const general = septets === undefined ? shippedChannels() : limitedChannels(septets);
  return {
    ok: true,
    value: {
      circumstancesOf: (menu) => ({
        channels: config ? channelsWith(config, menu) : general,
        approvals,
        maxHops: Number(maxHops),
      }),
      ...(format && { graph: format }),
    },
  };
}

function readLimit(text: string): number | undefined {
  const limit = /^\d{2,3}$/.test(text) ? Number(text) : 0;
  return limit >= 60 && limit <= 182 ? limit : undefined;
}

/** One channel at each aggregator that ships. */
function shippedChannels(): ProvenChannel[] {
  return aggregatorNames.flatMap((name) => {
    const one = aggregators[name];
    const { sequenced = false, style } = one ?? {};
    if (style === undefined) return [];
    const { limit, alphabet } = style;
    return [{ name, limit, alphabet, sequenced, merchant: longestMerchant }];
  });
}

/** Channels of both kinds with this limit. */
function limitedChannels(limit: number): ProvenChannel[] {
  return [true, false].map((sequenced) => ({
    name: '--limit',
    limit,
    alphabet: 'gsm',
    sequenced,
    merchant: longestMerchant,
  }));
}

/** The channels of a configuration whose merchant has this menu, in whatever file. */
function channelsWith({ channels, merchants }: Config, menu: Menu): ProvenChannel[] {
  return channels.flatMap(({ id, aggregator: name, merchant: owner, textLimit, alphabet, sequenced }) => {
    const merchant = merchants.find((one) => one.id === owner);
    const aggregator = aggregators[name];
    if (!merchant || !aggregator || !isDeepStrictEqual(merchant.menu, menu)) return [];
    return [
      {
        name: id,
        limit: textLimit ?? aggregator.style.limit,
        alphabet: alphabet ?? aggregator.style.alphabet,
        sequenced: sequenced ?? aggregator.sequenced,
        merchant: merchant.name,
      },
    ];
  });
}
