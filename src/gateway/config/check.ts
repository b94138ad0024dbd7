import { z } from 'zod';
import { isMerchantScreen, type Menu } from '../../menu/schema.ts';
import {
  addressOfHost,
  createAddressList,
  isAddressOrNetwork,
  isLoopbackAddress,
  isLoopbackHost,
  isPublicAddress,
} from '../../shared/http/addresses.ts';
import { isMap, type UncheckedMap } from '../../shared/json.ts';
import { toKey } from '../../shared/standard-webhook.ts';
import { findWeakSecrets } from './secrets.ts';

const text = z.string().optional().catch(undefined);
/** The readable parts of a configuration. Parts of the wrong type are absent, so that the rest is still checked. */
const draftSchema = z.object({
  environment: text,
  service: z
    .object({
      url: text,
      simulator: z.boolean().optional().catch(undefined),
      signature: z.object({ secretEncoding: text }).optional().catch(undefined),
    })
    .catch({}),
  phone: z.unknown().optional(),
  timings: z.record(z.string(), z.unknown()).catch({}),
  merchants: z
    .array(
      z
        .object({
          id: text,
          key: text,
          webhookSecrets: z.array(text).catch([]),
          menu: text,
          /** Null when it has the wrong type. */
          lookups: z
            .object({ url: z.unknown().optional(), secret: text, allowNetworks: z.array(text).catch([]) })
            .nullish()
            .catch(null),
        })
        .catch({ webhookSecrets: [] }),
    )
    .catch([]),
  channels: z
    .array(
      z
        .object({
          id: text,
          aggregator: text,
          secret: text,
          previousSecret: text,
          merchant: text,
          settings: z.unknown().optional(),
          promptDelaySeconds: z.unknown().optional(),
        })
        .catch({}),
    )
    .catch([]),
});
export type ConfigDraft = z.output<typeof draftSchema>;

const minKeyBytes = 16;

type Path = readonly (string | number)[];
type Report = (path: Path, message: string) => void;

/** Reads the parts of a configuration that have the right type. */
export function readDraft(value: UncheckedMap): ConfigDraft {
  return draftSchema.parse(value);
}

/** Reports contradictions between the parts of a configuration. */
export function checkConfig(config: ConfigDraft, aggregators: readonly string[], report: Report): void {
  checkKeys(config, report);
  if (config.environment === 'live') checkLive(config, report);
  checkPhone(config, report);
  checkWebhookKeys(config, report);
  checkLookupAddresses(config, report);
  checkTimings(config, report);
  checkUnique(config, report);
  checkChannels(config, aggregators, report);
}

/** Keys must match the environment: a test key in production would report payments that moved no money (S34). */
function checkKeys({ environment, merchants }: ConfigDraft, report: Report): void {
  for (const [i, { key }] of merchants.entries()) {
    const kind = /^sk_(test|live)_/.exec(key ?? '')?.[1];
    if (kind === undefined || (environment !== 'test' && environment !== 'live') || kind === environment)
      continue;
    report(
      ['merchants', i, 'key'],
      `expected a ${environment} key sk_${environment}_… in a ${environment} environment, found a ${kind} key`,
    );
  }
}

/** The browser phone approves prompts, so that it needs simulated ones. */
function checkPhone({ environment, phone, service }: ConfigDraft, report: Report): void {
  if (phone === undefined) return;
  if (environment === 'live') report(['phone'], 'expected no browser phone in a live environment');
  else if (!service.simulator && service.url !== undefined)
    report(['phone'], 'expected service.simulator true: the browser phone answers simulated prompts');
}

/** Secrets of another encoding would reject every event. */
function checkWebhookKeys({ service, merchants }: ConfigDraft, report: Report): void {
  if (service.signature?.secretEncoding !== 'base64') return;
  for (const [i, { webhookSecrets }] of merchants.entries()) {
    for (const [j, secret = ''] of webhookSecrets.entries()) {
      const bytes = toKey(secret, 'base64')?.length ?? 0;
      if (bytes >= minKeyBytes) continue;
      report(
        ['merchants', i, 'webhookSecrets', j],
        `expected the base64 of at least ${minKeyBytes} bytes, because service.signature.secretEncoding is base64`,
      );
    }
  }
}

function checkLive(config: ConfigDraft, report: Report): void {
  const { service, timings, merchants, channels } = config;
  for (const { path, message } of findWeakSecrets(config)) report(path, message);
  // With the key of another merchant, the money goes to that merchant.
  checkDistinct(listParts('merchants', merchants, 'key'), 'key', report);
  if (isUnencrypted(service.url)) report(['service', 'url'], 'expected https in a live environment');
  for (const [i, { lookups }] of merchants.entries()) {
    if (!isUnencrypted(lookups?.url)) continue;
    report(['merchants', i, 'lookups', 'url'], 'expected https in a live environment');
  }
  if (service.simulator) report(['service', 'simulator'], 'expected false in a live environment');
  checkLiveDelay(['timings'], timings.promptDelaySeconds, report);
  for (const [i, { promptDelaySeconds }] of channels.entries()) {
    checkLiveDelay(['channels', i], promptDelaySeconds, report);
  }
}

function checkLiveDelay(under: Path, delay: unknown, report: Report): void {
  const delays = isMap(delay) ? Object.entries(delay) : [['', delay] as const];
  for (const [operator, seconds] of delays) {
    // Below 1 s the USSD session may still be open on the handset; above 5 s the payer may have put the phone away.
    if (typeof seconds !== 'number' || (seconds >= 1 && seconds <= 5)) continue;
    const path = [...under, 'promptDelaySeconds', ...(operator === '' ? [] : [operator])];
    report(path, 'expected seconds from 1 to 5 in a live environment');
  }
}

/** Lookups reach public addresses and the networks that are listed; those of a test environment also this machine. */
function checkLookupAddresses({ environment, merchants }: ConfigDraft, report: Report): void {
  for (const [i, { lookups }] of merchants.entries()) {
    const address = typeof lookups?.url === 'string' ? findKnownAddress(lookups.url) : undefined;
    if (address === undefined || isPublicAddress(address)) continue;
    if (environment !== 'live' && isLoopbackAddress(address)) continue;
    const networks = (lookups?.allowNetworks ?? []).filter((one) => isAddressOrNetwork(one ?? ''));
    if (createAddressList(networks as string[]).has(address)) continue;
    report(
      ['merchants', i, 'lookups', 'url'],
      'expected a public address, or an address of a network in allowNetworks',
    );
  }
}

/** Returns the IP address of a URL, if it needs no name server. */
function findKnownAddress(text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.hostname === 'localhost') return '127.0.0.1';
  return url && addressOfHost(url);
}

/** True when requests to `url` leave this machine without encryption. */
function isUnencrypted(url: unknown): boolean {
  if (typeof url !== 'string' || !URL.canParse(url)) return false;
  const { protocol, hostname } = new URL(url);
  return protocol === 'http:' && !isLoopbackHost(hostname);
}

const defaults = {
  leaseSeconds: 30,
  callTimeoutSeconds: 12,
  retryAllowedAfterSeconds: 360,
  promptDeadlineSeconds: 180,
};

function checkTimings({ timings }: ConfigDraft, report: Report): void {
  const requireOrder = (longer: keyof typeof defaults, shorter: keyof typeof defaults, margin: number) => {
    const [long = defaults[longer], short = defaults[shorter]] = [timings[longer], timings[shorter]];
    if (typeof long !== 'number' || typeof short !== 'number' || long >= short + margin) return;
    const path = ['timings', timings[longer] === undefined ? shorter : longer];
    report(path, `expected ${longer} ${margin > 0 ? 'above' : 'of at least'} ${shorter}`);
  };
  // A lease must outlast its call; otherwise a second worker makes the same call.
  requireOrder('leaseSeconds', 'callTimeoutSeconds', 1);
  // A payer may retry only when the first prompt can no longer appear.
  requireOrder('retryAllowedAfterSeconds', 'promptDeadlineSeconds', 0);
}

/** A value that must differ from the others. The first two entries of the path are its owner. */
type UniqueValue = { path: Path; value: string | undefined };

/** Returns the same text for each form of a base64 secret: with or without `whsec_` and padding. */
function keyText(secret: string | undefined): string | undefined {
  return secret && (toKey(secret, 'base64')?.toString('base64') ?? secret);
}

/** Returns parts of a list's entries with their paths. */
function listParts<Part extends string>(
  section: 'merchants' | 'channels',
  entries: readonly { [P in Part]?: string | undefined }[],
  ...parts: Part[]
): UniqueValue[] {
  return entries.flatMap((one, i) => parts.map((part) => ({ path: [section, i, part], value: one[part] })));
}

function checkUnique({ service, merchants, channels }: ConfigDraft, report: Report): void {
  checkDistinct(listParts('merchants', merchants, 'id'), 'id', report);
  checkDistinct(listParts('channels', channels, 'id'), 'id', report);
  checkDistinct(listParts('channels', channels, 'secret', 'previousSecret'), 'secret', report);
  const isBase64 = service.signature?.secretEncoding === 'base64';
  const webhookSecrets = merchants.flatMap(({ webhookSecrets: secrets }, i) =>
    secrets.map((secret, j): UniqueValue => {
      return { path: ['merchants', i, 'webhookSecrets', j], value: isBase64 ? keyText(secret) : secret };
    }),
  );
  checkDistinct(webhookSecrets, 'secret', report);
  const lookupSecrets = merchants.map(({ lookups }, i): UniqueValue => {
    return { path: ['merchants', i, 'lookups', 'secret'], value: keyText(lookups?.secret) };
  });
  checkDistinct(lookupSecrets, 'secret', report);
}

function checkDistinct(values: readonly UniqueValue[], kind: string, report: Report): void {
  const owners = new Map<string, string>();
  for (const { path, value } of values) {
    if (value === undefined) continue;
    const first = owners.get(value);
    if (first === undefined) owners.set(value, `${path[0]}[${path[1]}]`);
    else report(path, `expected a unique ${kind}; ${first} has the same one`);
  }
}

function checkChannels(
  { merchants, channels }: ConfigDraft,
  aggregators: readonly string[],
  report: Report,
): void {
  const ids = merchants.flatMap(({ id }) => id ?? []);
  for (const [i, { aggregator, merchant }] of channels.entries()) {
    if (aggregator !== undefined && !aggregators.includes(aggregator)) {
      report(['channels', i, 'aggregator'], `expected one of ${aggregators.join(', ')}`);
    }
    // Without an id, a merchant has an error of its own.
    if (merchant !== undefined && ids.length > 0 && !ids.includes(merchant))
      report(['channels', i, 'merchant'], `expected the id of a merchant: ${ids.join(', ')}`);
  }
}

/**
 * Reports missing lookup settings of merchants whose menu has lookups or proxy screens.
 *
 * @param menuOf returns the menu by its name in the configuration, or `undefined` when it could not be loaded.
 */
export function checkLookups(
  { merchants }: ConfigDraft,
  menuOf: (name: string) => Menu | undefined,
  report: Report,
): void {
  for (const [i, { menu: name, lookups }] of merchants.entries()) {
    const screens = Object.entries((name === undefined ? undefined : menuOf(name))?.screens ?? {});
    const [lookup] = screens.find(([, screen]) => isMerchantScreen(screen) && screen.url !== undefined) ?? [];
    if (lookup === undefined || lookups !== undefined) continue;
    report(['merchants', i, 'lookups'], `expected url and secret for the lookup ${lookup} of the menu`);
  }
}
