import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { z } from 'zod';
import { wires } from '../aggregators/registry.ts';
import type { Fetch } from '../gateway/collection/calls/client.ts';
import { type Config, configSchema } from '../gateway/config/schema.ts';
import { createGateway, type Gateway } from '../gateway/create.ts';
import { findCollections } from '../gateway/support/collection-query.ts';
import { type LookupHandlers, noHandlers } from '../menu/effects/handler.ts';
import { loadMenu } from '../menu/file/load.ts';
import type { Menu } from '../menu/schema.ts';
import { createService } from '../service/create.ts';
import type { EpochMs } from '../shared/clock.ts';
import { countedIds } from '../shared/counted-ids.ts';
import { UserError } from '../shared/errors.ts';
import { systemIds } from '../shared/ids.ts';
import { createLog } from '../shared/log.ts';
import { type Operator, operatorByPrefix, parseMsisdn } from '../shared/msisdn.ts';
import { formatFileErrors } from '../shared/yaml.ts';
import { createSqliteReader } from '../sqlite/sqlite.ts';
import { type Channel, type ChannelOptions, channelSchema, merchantName } from './channel.ts';
import { stillClock } from './clock.ts';
import { type Collected, collectedOf } from './collected.ts';
import { createPhone } from './create-phone.ts';
import { answerLookups, type Handlers } from './lookups.ts';
import {
  defaultTime,
  instantExpected,
  type LimitOptions,
  limitFaults,
  lookupFaults,
  readInstant,
  refuseFaults,
  schemaFaultsOf,
  type TillOptions,
  type TimingOptions,
  timingFaults,
} from './options.ts';
import type { Phone } from './phone.ts';
import { readTime } from './time.ts';

export type Till = {
  /** A phone whose network is the one that its prefix says, unless named. */
  phone(msisdn: string, options?: { operator?: Operator }): Phone;
  /** Moves time on, by milliseconds or as in `30s`, `6m`, `2h`: prompts arrive, polls are made, prompts run out. */
  advance(time: number | string): Promise<void>;
  /** What was collected from a number, or by it for another one, newest first. */
  collected(msisdn: string): Promise<Collected[]>;
  /** Stops both programs and removes their files. */
  close(): Promise<void>;
};

const defaultChannel: ChannelOptions = { aggregator: 'africastalking', serviceCode: '*713*5#' };

const gatewayUrl = 'http://gateway.test';
const serviceUrl = 'http://service.test';
const webhookSecret = 'whsec_of_a_till_for_testing';
const channelSecret = 'secret-of-a-till-for-testing';

/** One phone tries one thing after the other: that must not run into a limit. */
const prompts = { burst: 100, perMinute: 60 };

/** Longer than anything that runs may take to stop. */
const stoppingMs = 60_000;

/**
 * Opens a whole till in this process: the real gateway and the real collection service with its simulated rail, each on
 * a database in a temporary folder, joined without sockets, on a clock that stands still until it is advanced. No money
 * moves, and nothing of it outlives `close`.
 *
 * @throws UserError when the menu has faults, or an option is not as it should be.
 */
export async function createTill(options: TillOptions): Promise<Till> {
  const asked = askedOf(options);
  const folder = mkdtempSync(join(tmpdir(), 'dialtill-till-'));
  try {
    return await joinPrograms(folder, asked);
  } catch (fault) {
    rmSync(folder, { recursive: true, force: true });
    throw fault;
  }
}

/** The options, as they can be used. */
type Asked = {
  menu: Menu;
  /** Who answers look-ups, whatever stands in the menu. */
  handlers: Handlers;
  merchant: string;
  channel: Channel;
  attendants: readonly string[];
  limits: LimitOptions;
  timings: TimingOptions;
  startAt: EpochMs;
};

function askedOf(options: TillOptions): Asked {
  const { lookups = {}, attendants = [], limits = {}, timings = {}, time = defaultTime } = options;
  const { menu, handlers } = menuOf(options);
  refuseFaults('lookups', lookupFaults(menu, lookups));
  refuseFaults('limits', limitFaults(limits));
  refuseFaults('timings', timingFaults(timings));
  const startAt = readInstant(time);
  if (startAt === undefined) throw new UserError(`time: ${instantExpected}`);
  return {
    menu,
    handlers: { ...handlers, ...lookups },
    merchant: checked('merchant', merchantName, options.merchant ?? 'Demo Shop'),
    channel: checked('channel', channelSchema, options.channel ?? defaultChannel),
    attendants: attendants.map(numberOf),
    limits,
    timings,
    startAt,
  };
}

function menuOf({ menu, handlers = noHandlers }: TillOptions): { menu: Menu; handlers: LookupHandlers } {
  if (typeof menu !== 'string') return { menu, handlers };
  const loaded = loadMenu(menu);
  if (loaded.ok) return { menu: loaded.menu, handlers: loaded.handlers };
  throw new UserError(`the menu cannot be used:\n${formatFileErrors(loaded.errors)}`);
}

function checked<T>(name: string, schema: z.ZodType<T>, value: unknown): T {
  refuseFaults(name, schemaFaultsOf(schema, value));
  return schema.parse(value);
}

async function joinPrograms(folder: string, asked: Asked): Promise<Till> {
  const { merchant, channel } = asked;
  const clock = stillClock(asked.startAt);
  // Without jitter one session goes like another; counted, its dialogues have the same short references.
  const ids = countedIds({ ...systemIds(clock), random: () => 0.5 });
  const log = createLog({ level: 'silent', pretty: false });
  let gateway: Gateway | undefined;
  const toGateway = async (url: string, init?: RequestInit): Promise<Response> => {
    if (!gateway) throw new Error('the gateway is not running');
    return gateway.app.request(url, init);
  };

  const service = createService(
    { databaseFile: join(folder, 'service.db'), adminToken: ids.secret(), limits: { prompts } },
    { clock, ids, log, fetch: async (input, init) => toGateway(String(input), init) },
  );
  const toService: Fetch = async (url, { signal: _signal, ...request }) => service.app.request(url, request);

  try {
    const { id: merchantId } = await service.createMerchant({ name: merchant });
    await service.approveOffline(merchantId);
    const { key } = await service.createKey({ merchantId, livemode: false });
    const url = `${gatewayUrl}/webhooks/shop`;
    await service.setWebhook({ merchantId, livemode: false, url, secret: webhookSecret });
    const config = configOf(join(folder, 'gateway.db'), key, asked);
    const lookup = answerLookups(asked.handlers, { clock, ids, log });
    gateway = createGateway(config, { clock, ids, log, fetch: toService, lookup });
    await gateway.start();
  } catch (fault) {
    await Promise.all([gateway?.stop(), service.stop(), clock.advance(stoppingMs)]);
    throw fault;
  }
  service.start();

  const collected = async (number: string): Promise<Collected[]> => {
    const store = createSqliteReader(join(folder, 'gateway.db'));
    try {
      const rows = await findCollections(store, numberOf(number));
      return rows.map(collectedOf);
    } finally {
      await store.close();
    }
  };

  let closed: Promise<void> | undefined;
  async function close(): Promise<void> {
    try {
      await Promise.all([gateway?.stop(), service.stop(), clock.advance(stoppingMs)]);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }

  return {
    phone(number, { operator } = {}) {
      const msisdn = numberOf(number);
      const wire = wires[channel.aggregator];
      if (!wire) throw new Error(`no wire for ${channel.aggregator}`);
      return createPhone({
        clock,
        ids,
        wire,
        callback: `${gatewayUrl}/ussd/till/${channelSecret}`,
        request: toGateway,
        msisdn,
        operator: operator ?? operatorByPrefix(msisdn),
        channel,
        handset: service.phone,
        collected,
      });
    },
    async advance(time) {
      const ms = typeof time === 'number' ? time : readTime(time);
      if (ms === undefined || !(ms >= 0)) throw new UserError('expected a time such as 500ms, 30s, 6m or 2h');
      await clock.advance(ms);
    },
    collected,
    close() {
      closed ??= close();
      return closed;
    },
  };
}

function numberOf(text: string) {
  const msisdn = parseMsisdn(text);
  if (!msisdn) throw new UserError(`expected a mobile number such as 0244123456, got ${text}`);
  return msisdn;
}

function configOf(file: string, key: string, asked: Asked): Config {
  const { menu, handlers, merchant: name, channel, attendants, limits, timings } = asked;
  const config = configSchema.parse({
    environment: 'test',
    database: { file },
    service: { url: serviceUrl, simulator: true },
    merchants: [{ id: 'shop', name, key, webhookSecrets: [webhookSecret], menu: 'menu.yaml', attendants }],
    channels: [{ ...channel, id: 'till', secret: channelSecret, merchant: 'shop' }],
    limits,
    timings,
  });
  return { ...config, merchants: config.merchants.map((merchant) => ({ ...merchant, menu, handlers })) };
}
