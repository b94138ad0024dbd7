import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { z } from 'zod';
import { simulatedAggregators } from '../aggregators/registry.ts';
import { configSchema, type FileConfig } from '../gateway/config/schema.ts';
import { findCollections } from '../gateway/support/find-query.ts';
import { type LookupHandlers, noHandlers } from '../menu/effects/handler.ts';
import { loadMenu } from '../menu/file/load.ts';
import type { Menu } from '../menu/schema.ts';
import type { EpochMs } from '../shared/clock.ts';
import { countedIds } from '../shared/counted-ids.ts';
import { parseDuration } from '../shared/duration.ts';
import { UserError } from '../shared/errors.ts';
import { systemIds } from '../shared/ids.ts';
import { createLog } from '../shared/log.ts';
import { type Operator, operatorByPrefix, parseMsisdn } from '../shared/msisdn.ts';
import { formatFileErrors } from '../shared/yaml.ts';
import { type Channel, type ChannelOptions, channelSchema, merchantName } from './channel.ts';
import { stillClock } from './clock.ts';
import { type Collected, collectedOf } from './collected.ts';
import { createPhone } from './create-phone.ts';
import { scheduleOf } from './fees.ts';
import { answerLookups, type Handlers } from './lookups.ts';
import {
  assertNoErrors,
  defaultTime,
  type FeeOption,
  feeErrors,
  instantExpected,
  type LimitOptions,
  limitErrors,
  lookupErrors,
  promptLifetimeExpected,
  readInstant,
  readPromptLifetime,
  schemaErrorsOf,
  type TillOptions,
  type TimingOptions,
  timingErrors,
} from './options.ts';
import type { Phone } from './phone.ts';
import { gatewayUrl, serviceUrl, startPrograms } from './programs.ts';

export type Till = {
  /** Returns a phone. Its network is that of its prefix unless `operator` names one. */
  phone(msisdn: string, options?: { operator?: Operator }): Phone;
  /** Advances the clock by milliseconds, or by a time such as `30s`, `6m` or `2h`, and runs everything that is due. */
  advance(time: number | string): Promise<void>;
  /** Returns the collections that a number pays or has opened, the newest first. */
  collected(msisdn: string): Promise<Collected[]>;
  /** Stops both programs and removes their files. */
  close(): Promise<void>;
};

const defaultChannel: ChannelOptions = { aggregator: 'africastalking', serviceCode: '*713*5#' };

const webhookSecret = 'whsec_of_a_till_for_testing';
const channelSecret = 'secret-of-a-till-for-testing';

/** High enough for a phone that tries many payments. */
const prompts = { burst: 100, perMinute: 60 };

/**
 * Creates a till in this process: the real gateway and the real collection service with its simulated rail, each on a
 * database in a temporary folder, joined without sockets, on a clock that only the test advances. No money moves, and no
 * file remains after `close`.
 *
 * @throws UserError when the menu has errors or an option is invalid.
 */
export async function createTill(options: TillOptions): Promise<Till> {
  const settings = readOptions(options);
  const folder = mkdtempSync(join(tmpdir(), 'dialtill-till-'));
  try {
    return await startTill(folder, settings);
  } catch (fault) {
    rmSync(folder, { recursive: true, force: true });
    throw fault;
  }
}

/** The options after validation. */
type TillSettings = {
  menu: Menu;
  /** The handlers of all lookups, by screen. */
  handlers: Handlers;
  merchant: string;
  channel: Channel;
  attendants: readonly string[];
  limits: LimitOptions;
  timings: TimingOptions;
  fees: readonly FeeOption[];
  promptLifetimeMs: number | undefined;
  startAt: EpochMs;
};

/** @throws UserError with every invalid option. */
function readOptions(options: TillOptions): TillSettings {
  const { lookups = {}, attendants = [], limits = {}, timings = {}, time = defaultTime } = options;
  const { fees = [], promptLifetime } = options;
  const { menu, handlers } = menuOf(options);
  assertNoErrors('lookups', lookupErrors(menu, lookups));
  assertNoErrors('limits', limitErrors(limits));
  assertNoErrors('timings', timingErrors(timings));
  assertNoErrors('fees', feeErrors(fees));
  const promptLifetimeMs = promptLifetime === undefined ? undefined : readPromptLifetime(promptLifetime);
  if (promptLifetime !== undefined && promptLifetimeMs === undefined)
    throw new UserError(`promptLifetime: ${promptLifetimeExpected}`);
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
    fees,
    promptLifetimeMs,
    startAt,
  };
}

function menuOf({ menu, handlers = noHandlers }: TillOptions): { menu: Menu; handlers: LookupHandlers } {
  if (typeof menu !== 'string') return { menu, handlers };
  const loaded = loadMenu(menu);
  if (loaded.ok) return { menu: loaded.menu, handlers: loaded.handlers };
  throw new UserError(`the menu has errors:\n${formatFileErrors(loaded.errors)}`);
}

function checked<T>(name: string, schema: z.ZodType<T>, value: unknown): T {
  assertNoErrors(name, schemaErrorsOf(schema, value));
  return schema.parse(value);
}

async function startTill(folder: string, settings: TillSettings): Promise<Till> {
  const { channel } = settings;
  const clock = stillClock(settings.startAt);
  // Without jitter all sessions take the same course. Counted ids give their dialogues the same short references.
  const ids = countedIds({ ...systemIds(clock), random: () => 0.5 });
  const log = createLog({ level: 'silent', pretty: false });
  const lookup = answerLookups(settings.handlers, { clock, ids, log });
  const programs = await startPrograms({
    ...{ folder, clock, ids, log },
    merchant: { id: 'shop', name: settings.merchant, webhookSecret },
    service: {
      adminToken: ids.secret(),
      limits: { prompts },
      fees: { ussd: scheduleOf(settings.fees) },
      // The phone of the test answers every prompt, whatever the digits of the number.
      rail: {
        magicNumbers: false,
        ...(settings.promptLifetimeMs === undefined ? {} : { promptLifetimeMs: settings.promptLifetimeMs }),
      },
    },
    configure: (key) => createConfig(join(folder, 'gateway.db'), key, settings),
    overrides: () => ({ lookup }),
  });
  const { service, request } = programs;

  const collected = (number: string): Promise<Collected[]> =>
    programs.read(async (store) => (await findCollections(store, numberOf(number))).map(collectedOf));

  let closed: Promise<void> | undefined;
  async function close(): Promise<void> {
    try {
      await programs.stop();
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }

  return {
    phone(number, { operator } = {}) {
      const msisdn = numberOf(number);
      const simulated = simulatedAggregators[channel.aggregator];
      if (!simulated) throw new Error(`no simulated aggregator for ${channel.aggregator}`);
      return createPhone({
        clock,
        ids,
        simulated,
        callback: `${gatewayUrl}/ussd/till/${channelSecret}`,
        request,
        msisdn,
        operator: operator ?? operatorByPrefix(msisdn),
        channel,
        simulatedPhone: service.phone,
        collected,
      });
    },
    async advance(time) {
      const ms = typeof time === 'number' ? time : parseDuration(time);
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

function createConfig(file: string, key: string, settings: TillSettings): FileConfig {
  const { menu, handlers, merchant: name, channel, attendants, limits, timings } = settings;
  const config = configSchema.parse({
    environment: 'test',
    database: { file },
    service: { url: serviceUrl, simulator: true },
    merchants: [{ id: 'shop', name, key, webhookSecrets: [webhookSecret], menu: 'menu.yaml', attendants }],
    channels: [{ ...channel, id: 'till', secret: channelSecret, merchant: 'shop' }],
    limits,
    timings,
  });
  return {
    ...config,
    database: { file },
    merchants: config.merchants.map((merchant) => ({ ...merchant, menu, handlers })),
  };
}
