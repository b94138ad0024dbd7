import { aggregators } from '../../aggregators/registry.ts';
import type { Config } from '../config/schema.ts';
import { createChannel } from '../dialogue/channel.ts';
import { computeFingerprint } from '../dialogue/stored-state.ts';
import type { Channel } from '../dialogue/types.ts';

/** The part of the configuration that can change while the gateway runs. */
export type DirectoryConfig = Pick<Config, 'merchants' | 'channels'>;

/** The settings that a directory needs and that only a restart changes. */
export type DirectorySettings = {
  livemode: 0 | 1;
  promptDelayMs: Config['timings']['promptDelayMs'];
  sessionIdleMs: number;
};

/** The merchants and channels of a configuration. It never changes: a reload replaces it as a whole. */
export type Directory = ReturnType<typeof createDirectory>;

type Menu = Config['merchants'][number]['menu'];

/** Menus before the present one that a merchant keeps: more reloads than happen during a dialogue. */
const maxEarlierMenus = 4;

/**
 * Creates the directory of a configuration.
 *
 * @param before the directory that it replaces. Dialogues that its menus started continue with them.
 */
export function createDirectory(
  config: DirectoryConfig,
  settings: DirectorySettings,
  before?: { merchants: Merchants },
) {
  const merchants = getMerchants(config, settings.livemode, before?.merchants);
  const accounts = listAccounts(config);
  const idleTimes = new Map(config.channels.map(({ id, sessionIdleMs }) => [id, sessionIdleMs]));
  return {
    merchants,
    channels: listChannels(config, merchants, settings),
    /** The channels as the configuration has them, with their secrets. */
    channelSettings: config.channels,
    /** Webhook secrets of the merchant that has most. */
    maxWebhookSecrets: Math.max(...config.merchants.map(({ webhookSecrets }) => webhookSecrets.length)),
    /** Returns the merchants that use the same key, and so the same account at the service: this merchant first. */
    accountOf: (merchantId: string) => accounts.get(merchantId) ?? [merchantId],
    /** Returns the merchants that use a key. */
    merchantsWithKey: (key: string) => config.merchants.filter((one) => one.key === key).map(({ id }) => id),
    idleMsOf: (channelId: string) => idleTimes.get(channelId) ?? settings.sessionIdleMs,
  } as const;
}

/** The directory of a running gateway. */
export type CurrentDirectory = {
  /** Returns the present directory. Ask again for each request or job. */
  now(): Directory;
  replace(next: DirectoryConfig): void;
};

/** Creates the directory of a gateway that starts. */
export function createCurrentDirectory(
  config: DirectoryConfig,
  settings: DirectorySettings,
): CurrentDirectory {
  let current = createDirectory(config, settings);
  return {
    now: () => current,
    replace(next) {
      current = createDirectory(next, settings, current);
    },
  };
}

type DirectoryMerchant = Omit<Config['merchants'][number], 'attendants'> & Channel['merchant'];
type Merchants = ReadonlyMap<string, DirectoryMerchant>;

function getMerchants(config: DirectoryConfig, livemode: 0 | 1, before?: Merchants): Merchants {
  return new Map(
    config.merchants.map((merchant) => {
      const earlierMenus = listEarlierMenus(merchant.menu, before?.get(merchant.id));
      const attendants = new Set(merchant.attendants);
      return [merchant.id, { ...merchant, attendants, livemode, earlierMenus }];
    }),
  );
}

function listEarlierMenus(menu: Menu, before: DirectoryMerchant | undefined): ReadonlyMap<string, Menu> {
  if (!before) return new Map();
  const known = new Map([...(before.earlierMenus ?? []), [computeFingerprint(before.menu), before.menu]]);
  known.delete(computeFingerprint(menu));
  return new Map([...known].slice(-maxEarlierMenus));
}

function listAccounts({ merchants }: DirectoryConfig): Map<string, readonly string[]> {
  return new Map(
    merchants.map(({ id, key }) => {
      const others = merchants.filter((one) => one.key === key && one.id !== id);
      return [id, [id, ...others.map((one) => one.id)]];
    }),
  );
}

function listChannels(
  config: DirectoryConfig,
  merchants: Merchants,
  { promptDelayMs }: Pick<DirectorySettings, 'promptDelayMs'>,
) {
  return new Map(
    config.channels.flatMap((channel) => {
      const merchant = merchants.get(channel.merchant);
      const aggregator = aggregators[channel.aggregator];
      if (!merchant || !aggregator) return [];
      return [[channel.id, createChannel(aggregator, channel, merchant, promptDelayMs)] as const];
    }),
  );
}
