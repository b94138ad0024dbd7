import type { z } from 'zod';
import { aggregatorNames } from '../aggregators/registry.ts';
import { checkConfig, readDraft } from '../gateway/config/check.ts';
import { configSchema } from '../gateway/config/schema.ts';
import type { LookupHandlers } from '../menu/effects/handler.ts';
import type { Menu } from '../menu/schema.ts';
import { UserError } from '../shared/errors.ts';
import { formatPath } from '../shared/yaml.ts';
import type { ChannelOptions } from './channel.ts';
import { type Handlers, lookupsOf } from './lookups.ts';

const { limits, timings } = configSchema.shape;

/** As the gateway's configuration has them; what is absent is as there. */
export type LimitOptions = NonNullable<z.input<typeof limits>>;
export type TimingOptions = NonNullable<z.input<typeof timings>>;

export type TillOptions = {
  /** The menu file that is served, or a menu that was read. */
  menu: string | Menu;
  /** What answers the look-ups of a menu that was read. A file brings its own. */
  handlers?: LookupHandlers;
  /**
   * What answers look-ups in the place of the merchant's own system, by the names of their screens. Nothing outside is
   * ever asked: a look-up with an address that is not named here comes to nothing, and the payer is shown its fallback.
   */
  lookups?: Handlers;
  /** The merchant's name as payers read it. */
  merchant?: string;
  /** Africa's Talking on `*713*5#`, unless said otherwise. */
  channel?: ChannelOptions;
  /** Numbers of those who work for the merchant. */
  attendants?: readonly string[];
  limits?: LimitOptions;
  timings?: TimingOptions;
  /** When the till opens, such as `2026-03-06T09:00:00Z`: screens tell times. */
  time?: string;
};

/** One thing that is wrong with an option. */
export type OptionFault = { path: readonly PropertyKey[]; message: string };

/** What a schema has against a value. */
export function schemaFaultsOf(schema: z.ZodType, value: unknown): OptionFault[] {
  const { error } = schema.safeParse(value);
  return (error?.issues ?? []).flatMap((issue): OptionFault[] =>
    issue.code === 'unrecognized_keys'
      ? issue.keys.map((key) => ({ path: [...issue.path, key], message: 'unknown key' }))
      : [{ path: issue.path, message: issue.message }],
  );
}

export const limitFaults = (value: unknown): OptionFault[] => schemaFaultsOf(limits, value);

/** Also what timings say wrongly about each other. */
export function timingFaults(value: unknown): OptionFault[] {
  const faults = schemaFaultsOf(timings, value);
  checkConfig(readDraft({ timings: value }), aggregatorNames, (path, message) => {
    faults.push({ path: path.slice(1), message });
  });
  return faults;
}

/** Names among `lookups` that are no look-ups of the menu. */
export function lookupFaults(menu: Menu, lookups: object): OptionFault[] {
  const names = lookupsOf(menu);
  const expected =
    names.length > 0 ? `expected a look-up of the menu: ${names.join(', ')}` : 'the menu has no look-up';
  return Object.keys(lookups)
    .filter((name) => !names.includes(name))
    .map((name) => ({ path: [name], message: expected }));
}

/** When a till opens that is not told. */
export const defaultTime = '2026-03-06T09:00:00Z';

export const instantExpected = 'expected a time in quotes, such as "2026-03-06T09:00:00Z"';

/** Milliseconds since the epoch; `undefined` for what is no time of the world. */
export function readInstant(text: string): number | undefined {
  const at = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,3})?Z$/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? undefined : at;
}

/** @throws UserError with every fault, named by the option. */
export function refuseFaults(name: string, faults: readonly OptionFault[]): void {
  if (faults.length === 0) return;
  throw new UserError(
    faults.map(({ path, message }) => `${formatPath([name, ...path])}: ${message}`).join('\n'),
  );
}
