import type { z } from 'zod';
import { aggregatorNames } from '../aggregators/registry.ts';
import { maxFeeBands } from '../contract/service/admin.ts';
import { checkConfig, readDraft } from '../gateway/config/check.ts';
import { configSchema } from '../gateway/config/schema.ts';
import type { LookupHandlers } from '../menu/effects/handler.ts';
import type { Menu } from '../menu/schema.ts';
import { parseDuration } from '../shared/time-text.ts';
import type { ChannelOptions } from './channel.ts';
import { type Handlers, listLookups } from './lookups.ts';

const { limits, timings } = configSchema.shape;

/** As in the gateway's configuration, with the same defaults. */
export type LimitOptions = NonNullable<z.input<typeof limits>>;
export type TimingOptions = NonNullable<z.input<typeof timings>>;

export type TillOptions = {
  /** A menu file or a loaded menu. */
  menu: string | Menu;
  /** The handlers of a loaded menu. A file defines its own. */
  handlers?: LookupHandlers;
  /**
   * Handlers that replace the merchant's own system, by lookup. No request leaves the process: a lookup with an address
   * and without a handler has no answer, and the dialogue continues at its fallback.
   */
  lookups?: Handlers;
  /** The merchant's name as screens show it. Default: `Demo Shop`. */
  merchant?: string;
  /** Default: Africa's Talking on `*713*5#`. */
  channel?: ChannelOptions;
  /** The time zone of the merchant. Default: `Africa/Accra`. */
  timeZone?: string;
  /** The numbers of the merchant's attendants. */
  attendants?: readonly string[];
  limits?: LimitOptions;
  timings?: TimingOptions;
  /** The service's fees of some prices. Other prices have its default fee. */
  fees?: readonly FeeOption[];
  /** How long a prompt waits for an answer, such as `5m`; at most 12 hours. Default: `2m`. */
  promptLifetime?: string;
  /** The start time. Default: `2026-03-06T09:00:00Z`. */
  time?: string;
};

/** The service's fee of one price, in pesewas. */
export type FeeOption = { readonly priceMinor: number; readonly feeMinor: number };

/** Two bands of the service's schedule for each fee. */
const maxFees = maxFeeBands / 2;

/** The service expects a result of the rail within a day of the push. */
const maxPromptLifetimeMs = 12 * 3_600_000;
export const promptLifetimeExpected = 'expected a time from 1s to 12h, such as 5m';

/** Parses the lifetime of a prompt into milliseconds; `undefined` when it is invalid. */
export function readPromptLifetime(text: string): number | undefined {
  const ms = parseDuration(text);
  return ms !== undefined && ms >= 1_000 && ms <= maxPromptLifetimeMs ? ms : undefined;
}

/** Returns the errors of fees: their number, and prices with two fees. */
export function feeErrors(fees: readonly FeeOption[]): OptionError[] {
  if (fees.length > maxFees) return [{ path: [], message: `expected at most ${maxFees} fees` }];
  const isRepeated = (price: number, at: number) =>
    fees.findIndex(({ priceMinor }) => priceMinor === price) < at;
  return fees.flatMap(({ priceMinor }, at) =>
    isRepeated(priceMinor, at) ? [{ path: [at], message: 'expected each price once' }] : [],
  );
}

/** An error in an option. */
export type OptionError = { path: readonly PropertyKey[]; message: string };

/** Returns the errors of a value under a schema. */
export function listSchemaErrors(schema: z.ZodType, value: unknown): OptionError[] {
  const { error } = schema.safeParse(value);
  return (error?.issues ?? []).flatMap((issue): OptionError[] =>
    issue.code === 'unrecognized_keys'
      ? issue.keys.map((key) => ({ path: [...issue.path, key], message: 'unknown key' }))
      : [{ path: issue.path, message: issue.message }],
  );
}

export const limitErrors = (value: unknown): OptionError[] => listSchemaErrors(limits, value);

/** Returns the errors of timings, also where they contradict each other. */
export function timingErrors(value: unknown): OptionError[] {
  const errors = listSchemaErrors(timings, value);
  checkConfig(readDraft({ timings: value }), aggregatorNames, (path, message) => {
    errors.push({ path: path.slice(1), message });
  });
  return errors;
}

/** Returns an error for each name that is not a lookup of the menu. */
export function lookupErrors(menu: Menu, lookups: object): OptionError[] {
  const names = listLookups(menu);
  const expected =
    names.length > 0 ? `expected a lookup of the menu: ${names.join(', ')}` : 'the menu has no lookup';
  return Object.keys(lookups)
    .filter((name) => !names.includes(name))
    .map((name) => ({ path: [name], message: expected }));
}

export const defaultTime = '2026-03-06T09:00:00Z';

export const instantExpected = 'expected a time in quotes, such as "2026-03-06T09:00:00Z"';

/** Parses an ISO time into milliseconds since the epoch; `undefined` for an invalid time. */
export function readInstant(text: string): number | undefined {
  const at = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,3})?Z$/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? undefined : at;
}
