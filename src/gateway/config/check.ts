import { z } from 'zod';
import type { Menu } from '../../menu/schema.ts';

/** A configuration as far as it can be read: parts of a bad shape are absent, the rest is checked all the same. */
const text = z.string().optional().catch(undefined);
const draftSchema = z.object({
  environment: text,
  service: z.object({ url: text, simulator: z.boolean().optional().catch(undefined) }).catch({}),
  timings: z.record(z.string(), z.unknown()).catch({}),
  merchants: z
    .array(
      z
        .object({
          id: text,
          key: text,
          webhookSecrets: z.array(text).catch([]),
          menu: text,
          /** Null where it is of a bad shape. */
          lookups: z.object({ url: z.unknown().optional(), secret: text }).nullish().catch(null),
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

type Path = readonly (string | number)[];
type Report = (path: Path, message: string) => void;

export function draftOf(value: unknown): ConfigDraft {
  return draftSchema.parse(typeof value === 'object' && value !== null ? value : {});
}

/** Reports what the parts of a configuration say wrongly about each other. */
export function checkConfig(config: ConfigDraft, aggregators: readonly string[], report: Report): void {
  checkKeys(config, report);
  if (config.environment === 'live') checkLive(config, report);
  checkTimings(config, report);
  checkUnique(config, report);
  checkChannels(config, aggregators, report);
}

/** Test and live never mix: a test key in production would report payments that moved no money (S34). */
function checkKeys({ environment, merchants }: ConfigDraft, report: Report): void {
  for (const [i, { key }] of merchants.entries()) {
    const kind = /^sk_(test|live)_/.exec(key ?? '')?.[1];
    if (kind === undefined || (environment !== 'test' && environment !== 'live') || kind === environment)
      continue;
    report(
      ['merchants', i, 'key'],
      `expected sk_${environment}_…: a ${kind} key in a ${environment} environment`,
    );
  }
}

function checkLive({ service, timings, merchants, channels }: ConfigDraft, report: Report): void {
  if (isReadable(service.url)) report(['service', 'url'], 'expected https in a live environment');
  for (const [i, { lookups }] of merchants.entries()) {
    if (!isReadable(lookups?.url)) continue;
    report(['merchants', i, 'lookups', 'url'], 'expected https in a live environment');
  }
  if (service.simulator) report(['service', 'simulator'], 'expected false in a live environment');
  checkLiveDelay(['timings'], timings.promptDelaySeconds, report);
  for (const [i, { promptDelaySeconds }] of channels.entries()) {
    checkLiveDelay(['channels', i], promptDelaySeconds, report);
  }
}

function checkLiveDelay(under: Path, delay: unknown, report: Report): void {
  const delays = typeof delay === 'object' && delay !== null ? Object.entries(delay) : [['', delay] as const];
  for (const [operator, seconds] of delays) {
    // Earlier, the USSD session may still be open on the handset; later, the payer has put it away.
    if (typeof seconds !== 'number' || (seconds >= 1 && seconds <= 5)) continue;
    const path = [...under, 'promptDelaySeconds', ...(operator === '' ? [] : [operator])];
    report(path, 'expected seconds from 1 to 5 in a live environment');
  }
}

/** Whether others could read what is sent there: plain http, beyond this machine. */
function isReadable(url: unknown): boolean {
  if (typeof url !== 'string' || !URL.canParse(url)) return false;
  const { protocol, hostname } = new URL(url);
  return protocol === 'http:' && !isLoopback(hostname);
}

function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d{1,3}){3}$/.test(hostname);
}

const defaults = {
  leaseSeconds: 30,
  callTimeoutSeconds: 12,
  retryAllowedAfterSeconds: 360,
  promptDeadlineSeconds: 180,
};

function checkTimings({ timings }: ConfigDraft, report: Report): void {
  const ordered = (longer: keyof typeof defaults, shorter: keyof typeof defaults, over: number) => {
    const [long = defaults[longer], short = defaults[shorter]] = [timings[longer], timings[shorter]];
    if (typeof long !== 'number' || typeof short !== 'number' || long >= short + over) return;
    const path = ['timings', timings[longer] === undefined ? shorter : longer];
    report(path, `expected ${longer} ${over > 0 ? 'above' : 'not below'} ${shorter}`);
  };
  // A worker's hold must outlast its call, or a second worker makes the same call.
  ordered('leaseSeconds', 'callTimeoutSeconds', 1);
  // A payer who may start again must have nothing to fear from the first prompt.
  ordered('retryAllowedAfterSeconds', 'promptDeadlineSeconds', 0);
}

type Named = { path: Path; owner: string; value: string | undefined };

function checkUnique({ merchants, channels }: ConfigDraft, report: Report): void {
  const merchantParts = (part: 'id') =>
    merchants.map(
      (one, i): Named => ({ path: ['merchants', i, part], owner: `merchants[${i}]`, value: one[part] }),
    );
  const channelParts = (...parts: ('id' | 'secret' | 'previousSecret')[]) =>
    channels.flatMap((one, i) =>
      parts.map(
        (part): Named => ({ path: ['channels', i, part], owner: `channels[${i}]`, value: one[part] }),
      ),
    );
  checkOwn(merchantParts('id'), 'an id', report);
  checkOwn(channelParts('id'), 'an id', report);
  checkOwn(channelParts('secret', 'previousSecret'), 'a secret', report);
  const secrets = merchants.flatMap(({ webhookSecrets }, i) =>
    webhookSecrets.map((value, j): Named => {
      return { path: ['merchants', i, 'webhookSecrets', j], owner: `merchants[${i}]`, value };
    }),
  );
  checkOwn(secrets, 'a secret', report);
  const signing = merchants.map(
    ({ lookups }, i): Named => ({
      path: ['merchants', i, 'lookups', 'secret'],
      owner: `merchants[${i}]`,
      value: lookups?.secret,
    }),
  );
  checkOwn(signing, 'a secret', report);
}

function checkOwn(parts: readonly Named[], what: string, report: Report): void {
  const owners = new Map<string, string>();
  for (const { path, owner, value } of parts) {
    if (value === undefined) continue;
    const first = owners.get(value);
    if (first === undefined) owners.set(value, owner);
    else report(path, `expected ${what} of its own, ${first} has the same`);
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
    if (merchant !== undefined && !ids.includes(merchant)) {
      report(
        ['channels', i, 'merchant'],
        `expected the id of a merchant: ${ids.join(', ') || 'there is none'}`,
      );
    }
  }
}

/**
 * Reports what a merchant's look-ups lack of what its menu asks for. `menuOf` gives the menu by the name that the
 * configuration has for it, `undefined` where it has none that can be used.
 */
export function checkLookups(
  { environment, merchants }: ConfigDraft,
  menuOf: (name: string) => Menu | undefined,
  report: Report,
): void {
  for (const [i, { menu: name, lookups }] of merchants.entries()) {
    const menu = name === undefined ? undefined : menuOf(name);
    const asking = Object.entries(menu?.screens ?? {}).flatMap(([screen, one]) =>
      one.kind === 'lookup' && one.url !== undefined ? [{ screen, url: one.url }] : [],
    );
    const relative = asking.find(({ url }) => url.startsWith('/'));
    const [first] = asking;
    if (relative && lookups === undefined) {
      report(
        ['merchants', i, 'lookups'],
        `expected url and secret, for the look-up ${relative.screen} of its menu`,
      );
    } else if (first && lookups === undefined) {
      report(['merchants', i, 'lookups'], `expected a secret, for the look-up ${first.screen} of its menu`);
    } else if (relative && lookups && lookups.url === undefined) {
      report(
        ['merchants', i, 'lookups', 'url'],
        `expected an address, for the path of the look-up ${relative.screen} of its menu`,
      );
    }
    const readable = environment === 'live' ? asking.find(({ url }) => isReadable(url)) : undefined;
    if (readable) {
      report(
        ['merchants', i, 'menu'],
        `expected https in a live environment, found http in the look-up ${readable.screen} of the menu`,
      );
    }
  }
}
