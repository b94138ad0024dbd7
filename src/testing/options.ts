import { z } from 'zod';
import { aggregatorNames, aggregators } from '../aggregators/registry.ts';
import { maxFeeBands } from '../contract/service/admin.ts';
import { checkConfig, readDraft } from '../gateway/config/check.ts';
import { configSchema, channelSchema as gatewayChannelSchema } from '../gateway/config/schema.ts';
import { createLookups, type Lookups } from '../gateway/lookup/lookup.ts';
import type { LookupHandler, LookupHandlers } from '../menu/effects/lookup.ts';
import { isMerchantScreen, type Menu } from '../menu/schema.ts';
import type { Clock } from '../shared/clock.ts';
import type { Ids } from '../shared/ids.ts';
import type { Log } from '../shared/log.ts';
import { parseCedis } from '../shared/money.ts';
import { parseMsisdn } from '../shared/msisdn.ts';
import { parseDuration } from '../shared/time-text.ts';

/** Handlers by lookup and proxy screen. */
export type Handlers = Readonly<Record<string, LookupHandler>>;

/** Answers lookups by handlers alone, with the limits and checks of the gateway. Without a handler: no answer and no request. */
export function answerLookups(
  handlers: Handlers,
  deps: { clock: Clock; ids: Ids; log: Log },
): Lookups['ask'] {
  const { clock: networkClock, ids, log } = deps;
  const fetch = () => Promise.reject(new Error('a till sends no lookups to addresses'));
  const lookups = createLookups({ fetch, networkClock, ids, log });
  return ({ id }, { url: _, ...asked }, budgetMs) => lookups.ask({ id, handlers }, asked, budgetMs);
}

/** Returns the names of a menu's lookups and proxy screens. */
function listLookups(menu: Menu): string[] {
  return Object.entries(menu.screens).flatMap(([name, screen]) => (isMerchantScreen(screen) ? [name] : []));
}

const { merchants } = configSchema.shape;

/** A merchant's name as screens show it. */
export const { name: merchantName, timeZone: merchantTimeZone } = merchants.element.shape;

/** A channel of the configuration, without the settings that only a gateway on a network needs. */
export const tillChannelSchema = gatewayChannelSchema
  .omit({ id: true, secret: true, merchant: true, allowFrom: true })
  .superRefine(({ aggregator: name, settings }, context) => {
    const aggregator = Object.hasOwn(aggregators, name) ? aggregators[name] : undefined;
    if (!aggregator) {
      const message = `expected one of ${aggregatorNames.join(', ')}`;
      context.addIssue({ code: 'custom', path: ['aggregator'], message });
      return;
    }
    const { error } = aggregator.settings.safeParse(settings ?? {});
    addErrors(context, error?.issues ?? [], ['settings']);
  });

export type TillChannel = z.output<typeof tillChannelSchema>;

/** The channel of a till, with most settings of a channel in the gateway's configuration. */
export type ChannelOptions = z.input<typeof tillChannelSchema>;

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
const promptLifetimeExpected = 'expected a time from 1s to 12h, such as 5m';

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
  return error ? toErrors(error) : [];
}

/** Returns the errors of a failed parse: one for each unknown key. */
export function toErrors({ issues }: z.ZodError): OptionError[] {
  return issues.flatMap((issue): OptionError[] =>
    issue.code === 'unrecognized_keys'
      ? issue.keys.map((key) => ({ path: [...issue.path, key], message: 'unknown key' }))
      : [{ path: issue.path, message: issue.message }],
  );
}

type Context = { addIssue(issue: { code: 'custom'; message: string; path: PropertyKey[] }): void };

/** Reports errors of a nested value, with paths under `under`. */
export function addErrors(
  context: Context,
  errors: readonly OptionError[],
  under: readonly PropertyKey[] = [],
): void {
  for (const { path, message } of errors)
    context.addIssue({ code: 'custom', message, path: [...under, ...path] });
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

/** Schemas of times, which stay texts. */
export const instant = z
  .string(instantExpected)
  .refine((text) => readInstant(text) !== undefined, { message: instantExpected });
export const promptLifetime = z
  .string(promptLifetimeExpected)
  .refine((text) => readPromptLifetime(text) !== undefined, { message: promptLifetimeExpected });

/* Schemas of values in transcripts. */

export const expectQuoted = (noun: string, example: string) =>
  `expected ${noun} in quotes, such as ${example}`;

const numberExpected = expectQuoted('a mobile number', '"0244123456"');
export const number = z
  .string(numberExpected)
  .refine((text) => parseMsisdn(text) !== undefined, { message: numberExpected });

const amountExpected = 'expected an amount such as 20.00';
/** An amount in cedis, with or without quotes. The output is pesewas. */
export const amount = z.union([z.number(), z.string()], amountExpected).transform((value, context) => {
  const minor = parseCedis(String(value));
  if (minor !== undefined) return minor;
  context.addIssue({ code: 'custom', message: amountExpected });
  return z.NEVER;
});

const feeExpected = 'expected a map of price and fee';
/** The service's fee of each price. */
export const fees = z
  .array(z.strictObject({ price: amount, fee: amount }, feeExpected))
  .transform((list, context) => {
    const options = list.map(({ price, fee }) => ({ priceMinor: price, feeMinor: fee }));
    addErrors(context, feeErrors(options));
    return options;
  });

/** Validates a value and leaves it unchanged: `createTill` parses it again. */
export function validated<T>(faultsOf: (value: unknown) => OptionError[]) {
  return z
    .unknown()
    .transform((value, context): T | undefined => {
      if (value === undefined) return undefined;
      const faults = faultsOf(value);
      addErrors(context, faults);
      return faults.length === 0 ? (value as T) : z.NEVER;
    })
    .optional();
}
