import { z } from 'zod';
import { type LookupHandler, type LookupHandlers, noHandlers } from '../menu/effects/lookup.ts';
import { loadMenu } from '../menu/file/load.ts';
import type { Menu } from '../menu/schema.ts';
import type { EpochMs } from '../shared/clock.ts';
import { UserError } from '../shared/errors.ts';
import { isMap } from '../shared/json.ts';
import { formatFileErrors, formatPath } from '../shared/yaml.ts';
import {
  addErrors,
  type ChannelOptions,
  defaultTime,
  type FeeOption,
  feeErrors,
  type Handlers,
  instant,
  type LimitOptions,
  limitErrors,
  listSchemaErrors,
  lookupErrors,
  merchantName,
  merchantTimeZone,
  number,
  type OptionError,
  promptLifetime,
  readInstant,
  readPromptLifetime,
  type TillChannel,
  type TillOptions,
  type TimingOptions,
  tillChannelSchema,
  timingErrors,
  validated,
} from './options.ts';

export type TillSettings = {
  menu: Menu;
  /** The handlers of all lookups, by screen. */
  handlers: Handlers;
  merchant: string;
  channel: TillChannel;
  timeZone: string;
  attendants: readonly string[];
  limits: LimitOptions;
  timings: TimingOptions;
  fees: readonly FeeOption[];
  promptLifetimeMs: number | undefined;
  startAt: EpochMs;
};

const defaultChannel: ChannelOptions = { aggregator: 'africastalking', serviceCode: '*713*5#' };

const menuExpected = 'expected the path of a menu file, such as menu.yaml';
const menu = z.custom<string | Menu>(
  (value) =>
    typeof value === 'string' ? value !== '' : isMap(value) && isMap(value.screens) && isMap(value.keys),
  menuExpected,
);
const handlers = z.record(
  z.string(),
  z.custom<LookupHandler>((value) => typeof value === 'function', 'expected a function'),
  'expected a map of functions',
);
const price = z.int('expected a whole number of pesewas').min(0, 'expected a whole number of pesewas');

const schema = z.strictObject(
  {
    menu,
    handlers: handlers.optional(),
    lookups: handlers.optional(),
    merchant: merchantName.optional(),
    channel: tillChannelSchema.optional(),
    timeZone: merchantTimeZone.optional(),
    attendants: z.array(number, 'expected a list of mobile numbers').optional(),
    limits: validated<LimitOptions>(limitErrors),
    timings: validated<TimingOptions>(timingErrors),
    fees: z
      .array(z.strictObject({ priceMinor: price, feeMinor: price }), 'expected a list of fees')
      .superRefine((fees, context) => {
        addErrors(context, feeErrors(fees));
      })
      .optional(),
    promptLifetime: promptLifetime.optional(),
    time: instant.optional(),
  } satisfies Record<keyof TillOptions, z.ZodType>,
  "expected the options of a till, such as { menu: 'menu.yaml' }",
);

const names = Object.keys(schema.shape).join(', ');

/** Validates the options of a till, and loads its menu. @throws UserError with every invalid option. */
export function readTillSettings(options: TillOptions): TillSettings {
  rejectErrors(listSchemaErrors(schema, options).map(explainUnknown));
  const { lookups = {}, limits = {}, timings = {}, fees = [], attendants = [] } = options;
  const {
    promptLifetime: lifetime,
    time = defaultTime,
    merchant = 'Demo Shop',
    channel = defaultChannel,
  } = options;
  const loaded = getMenu(options);
  rejectErrors(
    lookupErrors(loaded.menu, lookups).map(({ path, message }) => ({ path: ['lookups', ...path], message })),
  );
  return {
    menu: loaded.menu,
    handlers: { ...loaded.handlers, ...lookups },
    merchant: merchantName.parse(merchant),
    channel: tillChannelSchema.parse(channel),
    timeZone: merchantTimeZone.parse(options.timeZone),
    ...{ attendants, limits, timings, fees },
    promptLifetimeMs: lifetime === undefined ? undefined : readPromptLifetime(lifetime),
    startAt: readInstant(time) ?? Number.NaN,
  };
}

/** The names of the options explain a name that none of them has. */
function explainUnknown({ path, message }: OptionError): OptionError {
  const isOption = path.length === 1 && !Object.hasOwn(schema.shape, path[0] ?? '');
  return isOption ? { path, message: `unknown option; the options are ${names}` } : { path, message };
}

function rejectErrors(errors: readonly OptionError[]): void {
  if (errors.length === 0) return;
  throw new UserError(
    errors
      .map(({ path, message }) => (path.length === 0 ? message : `${formatPath(path)}: ${message}`))
      .join('\n'),
  );
}

function getMenu({ menu, handlers = noHandlers }: TillOptions): { menu: Menu; handlers: LookupHandlers } {
  if (typeof menu !== 'string') return { menu, handlers };
  const loaded = loadMenu(menu);
  if (loaded.ok) return { menu: loaded.menu, handlers: loaded.handlers };
  throw new UserError(`the menu has errors:\n${formatFileErrors(loaded.errors)}`);
}
