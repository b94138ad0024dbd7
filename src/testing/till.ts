import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { simulatedAggregators } from '../aggregators/registry.ts';
import { configSchema, type FileConfig } from '../gateway/config/schema.ts';
import { findCollections } from '../gateway/support/find-query.ts';
import { defaultFee, type FeeSchedule } from '../service/fee/fee-store.ts';
import { UserError } from '../shared/errors.ts';
import { countedIds, systemIds } from '../shared/ids.ts';
import { createLog } from '../shared/log.ts';
import { type Operator, operatorByPrefix, parseMsisdn } from '../shared/msisdn.ts';
import { parseDuration } from '../shared/time-text.ts';
import { stillClock } from './clock.ts';
import { createTillPhone } from './create-phone.ts';
import { answerLookups, type FeeOption, type TillOptions } from './options.ts';
import { type Collected, type TillPhone, toCollected } from './phone.ts';
import { gatewayUrl, serviceUrl, startPrograms } from './programs.ts';
import { readTillSettings, type TillSettings } from './till-settings.ts';

export type Till = {
  /** Returns a phone. Its network is that of its prefix unless `operator` names one. */
  phone(msisdn: string, options?: { operator?: Operator }): TillPhone;
  /** Advances the clock by milliseconds, or by a time such as `30s`, `6m` or `2h`, and runs everything that is due. */
  advance(time: number | string): Promise<void>;
  /** Returns the collections that a number pays or has opened, the newest first. */
  collected(msisdn: string): Promise<Collected[]>;
  /** Stops both programs and removes their files. */
  close(): Promise<void>;
};

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
  const settings = readTillSettings(options);
  const folder = mkdtempSync(join(tmpdir(), 'dialtill-till-'));
  try {
    return await startTill(folder, settings);
  } catch (fault) {
    rmSync(folder, { recursive: true, force: true });
    throw fault;
  }
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
      fees: { ussd: getSchedule(settings.fees) },
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
    programs.read(async (store) => (await findCollections(store, toNumber(number))).map(toCollected));

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
      const msisdn = toNumber(number);
      const simulated = simulatedAggregators[channel.aggregator];
      if (!simulated) throw new Error(`no simulated aggregator for ${channel.aggregator}`);
      return createTillPhone({
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

function toNumber(text: string) {
  const msisdn = parseMsisdn(text);
  if (!msisdn) throw new UserError(`expected a mobile number such as 0244123456, got ${text}`);
  return msisdn;
}

function createConfig(file: string, key: string, settings: TillSettings): FileConfig {
  const { menu, handlers, merchant: name, channel, timeZone, attendants, limits, timings } = settings;
  const config = configSchema.parse({
    environment: 'test',
    database: { file },
    service: { url: serviceUrl, simulator: true },
    merchants: [
      { id: 'shop', name, key, webhookSecrets: [webhookSecret], menu: 'menu.yaml', timeZone, attendants },
    ],
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

/** Returns a schedule with exactly these fees. Between their prices, the default fee applies. */
function getSchedule(fees: readonly FeeOption[]): FeeSchedule {
  const { basisPoints, fixedMinor = 0, floorMinor = 0 } = defaultFee;
  let belowMinor = 0;
  const bands = fees
    .toSorted((a, b) => a.priceMinor - b.priceMinor)
    .flatMap(({ priceMinor, feeMinor }) => {
      const hasGap = priceMinor - 1 > belowMinor;
      belowMinor = priceMinor;
      const own = { upToMinor: priceMinor, basisPoints: 0, fixedMinor: feeMinor };
      return hasGap ? [{ upToMinor: priceMinor - 1, basisPoints, fixedMinor }, own] : [own];
    });
  return {
    ...defaultFee,
    // A floor applies to all bands.
    floorMinor: Math.min(floorMinor, ...fees.map(({ feeMinor }) => feeMinor)),
    bands,
  };
}
