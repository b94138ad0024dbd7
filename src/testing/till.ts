import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { z } from 'zod';
import { wires } from '../aggregators.ts';
import { type Config, configSchema } from '../config/schema.ts';
import { openSqliteReader } from '../db/sqlite.ts';
import { buildGateway, type Gateway } from '../gateway.ts';
import { loadMenu } from '../menu/load.ts';
import type { Menu } from '../menu/schema.ts';
import type { Fetch } from '../provider/client.ts';
import { buildService } from '../service/service.ts';
import { UserError } from '../shared/errors.ts';
import { systemIds } from '../shared/ids.ts';
import { createLog } from '../shared/log.ts';
import { type Operator, operatorByPrefix, parseMsisdn } from '../shared/msisdn.ts';
import { formatFaults } from '../shared/yaml.ts';
import { findCollections } from '../support/collection-query.ts';
import { type Channel, type ChannelOptions, channelSchema, merchantName } from './channel.ts';
import { stillClock } from './clock.ts';
import { type Collected, collectedOf } from './collected.ts';
import { openPhone } from './open-phone.ts';
import type { Phone } from './phone.ts';
import { readTime } from './time.ts';

export type TillOptions = {
  /** The menu file that is served, or a menu that was read. */
  menu: string | Menu;
  /** The merchant's name as payers read it. */
  merchant?: string;
  /** Africa's Talking on `*713*5#`, unless said otherwise. */
  channel?: ChannelOptions;
};

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
export async function openTill(options: TillOptions): Promise<Till> {
  const menu = menuOf(options.menu);
  const merchant = checked('merchant', merchantName, options.merchant ?? 'Demo Shop');
  const channel = checked('channel', channelSchema, options.channel ?? defaultChannel);
  const folder = mkdtempSync(join(tmpdir(), 'dialtill-till-'));
  try {
    return await joinPrograms(folder, merchant, channel, menu);
  } catch (fault) {
    rmSync(folder, { recursive: true, force: true });
    throw fault;
  }
}

function menuOf(menu: string | Menu): Menu {
  if (typeof menu !== 'string') return menu;
  const loaded = loadMenu(menu);
  if (loaded.ok) return loaded.menu;
  throw new UserError(`the menu cannot be used:\n${formatFaults(loaded.faults)}`);
}

function checked<T>(name: string, schema: z.ZodType<T>, value: unknown): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.map(({ path, message }) => `${[name, ...path].join('.')}: ${message}`);
  throw new UserError(faults.join('\n'));
}

async function joinPrograms(folder: string, merchant: string, channel: Channel, menu: Menu): Promise<Till> {
  const clock = stillClock();
  // Without jitter one session goes like another.
  const ids = { ...systemIds(clock), random: () => 0.5 };
  const log = createLog({ level: 'silent', pretty: false });
  let gateway: Gateway | undefined;
  const toGateway = async (url: string, init?: RequestInit): Promise<Response> => {
    if (!gateway) throw new Error('the gateway is not running');
    return gateway.app.request(url, init);
  };

  const service = buildService(
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
    const config = configOf(join(folder, 'gateway.db'), key, merchant, channel, menu);
    gateway = buildGateway(config, { clock, ids, log, fetch: toService });
    await gateway.start();
  } catch (fault) {
    await Promise.all([gateway?.stop(), service.stop(), clock.advance(stoppingMs)]);
    throw fault;
  }
  service.start();

  const collected = async (number: string): Promise<Collected[]> => {
    const store = openSqliteReader(join(folder, 'gateway.db'));
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
      return openPhone({
        clock,
        ids,
        wire,
        callback: `${gatewayUrl}/ussd/till/${channelSecret}`,
        request: toGateway,
        msisdn,
        operator: operator ?? operatorByPrefix(msisdn),
        channel,
        handset: service.handset,
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

function configOf(file: string, key: string, name: string, channel: Channel, menu: Menu): Config {
  const config = configSchema.parse({
    environment: 'test',
    database: { file },
    service: { url: serviceUrl, simulator: true },
    merchants: [{ id: 'shop', name, key, webhookSecrets: [webhookSecret], menu: 'menu.yaml' }],
    channels: [{ ...channel, id: 'till', secret: channelSecret, merchant: 'shop' }],
  });
  return { ...config, merchants: config.merchants.map((merchant) => ({ ...merchant, menu })) };
}
