import type { EpochMs } from '../../shared/clock.ts';
import { parseCedis } from '../../shared/money.ts';
import { findMsisdn, isPhoneNumber, parseMsisdn } from '../../shared/msisdn.ts';
import { addDays, defaultTimeZone, localTimeAt, timeOf } from '../../shared/time-text.ts';
import { normalizeTyped } from '../../shared/typed-text.ts';
import { closedStatuses, openStatuses } from '../collection/collection.ts';
import type { TimeSpan } from '../ledger/day.ts';
import { type CollectionFilter, type StatusFilter, statusGroups } from './selection-query.ts';

/** The properties by which payments can be filtered, as a person writes them. None contains a phone number. */
export const filterNames = [
  ...(['status', 'merchant', 'channel', 'network', 'reason', 'assigned'] as const),
  ...(['when', 'from', 'to', 'min', 'max', 'last4'] as const),
] as const;

export type FilterName = (typeof filterNames)[number];

/** Filters as texts, without empty ones. */
export type FilterTexts = Partial<Record<FilterName, string>>;

/** The time zone in which days and hours are meant, Ghana's by default, and the time from which `today` counts. */
export type FilterClock = { now: EpochMs; timeZone?: string | undefined };

export type ReadFilter = { ok: true; filter: CollectionFilter } | { ok: false; message: string };

/** Every status, and the groups of statuses. */
export const statusFilters: readonly StatusFilter[] = [...openStatuses, ...closedStatuses, ...statusGroups];

/** Spans of days that end today, or yesterday: how many days ago they begin and end. */
const presets = { today: [0, 0], yesterday: [1, 1], '7d': [6, 0], '30d': [29, 0] } as const;
export type TimePreset = keyof typeof presets;
export const timePresets = Object.keys(presets) as TimePreset[];

const minuteMs = 60_000;
const timeExpected = 'a day such as 2026-03-06, or a minute such as 2026-03-06T09:30';

/** Returns the span of a day, or of a minute of a day, in a time zone; `undefined` for another text. */
export function readMoment(text: string, timeZone = defaultTimeZone): TimeSpan | undefined {
  const [, date = '', hour, minute] = /^(\d{4}-\d\d-\d\d)(?:[T ](\d{1,2}):(\d\d))?$/.exec(text) ?? [];
  // `Date.parse` may read 30 February as a day of March.
  const day = Date.parse(`${date}T00:00:00Z`);
  if (!Number.isFinite(day) || !new Date(day).toISOString().startsWith(date)) return undefined;
  if (hour === undefined)
    return { from: timeOf(`${date}T00:00`, timeZone), to: timeOf(`${addDays(date, 1)}T00:00`, timeZone) };
  if (Number(hour) > 23 || Number(minute) > 59) return undefined;
  const from = timeOf(`${date}T${hour.padStart(2, '0')}:${minute}`, timeZone);
  return { from, to: from + minuteMs };
}

/** Returns the span of the days of a preset; `undefined` for another text. */
export function readPreset(
  text: string,
  { now, timeZone = defaultTimeZone }: FilterClock,
): TimeSpan | undefined {
  const preset = timePresets.find((one) => one === text);
  if (preset === undefined) return undefined;
  const [first, last] = presets[preset].map((ago) =>
    readMoment(addDays(localTimeAt(now, timeZone).slice(0, 10), -ago), timeZone),
  );
  return first && last && { from: first.from, to: last.to };
}

/** Returns the filter of its texts; the message of the first invalid one. */
export function readFilter(texts: FilterTexts, clock: FilterClock): ReadFilter {
  const { merchant, channel, network, reason, assigned, last4 } = texts;
  const status = statusFilters.find((one) => one === texts.status);
  const readTime = (text: string | undefined) =>
    text === undefined ? undefined : readMoment(text, clock.timeZone);
  const [first, last] = [readTime(texts.from), readTime(texts.to)];
  const preset = texts.when === undefined ? undefined : readPreset(texts.when, clock);
  const [min, max] = [texts.min, texts.max].map((text) =>
    text === undefined ? undefined : parseCedis(text),
  );
  const fault = findFault([
    ['status', texts.status, status, `one of ${statusFilters.join(', ')}`],
    ['when', texts.when, preset, `one of ${timePresets.join(', ')}`],
    ['from', texts.from, first, timeExpected],
    ['to', texts.to, last, timeExpected],
    ['min', texts.min, min, 'an amount in cedis such as 20.50'],
    ['max', texts.max, max, 'an amount in cedis such as 20.50'],
    ['last4', last4, /^\d{4}$/.test(last4 ?? ''), 'four digits'],
  ]);
  if (fault !== undefined) return { ok: false, message: fault };
  if (preset && (first || last))
    return {
      ok: false,
      message: `when: “${texts.when}” is a time of its own. Leave out the first and the last day.`,
    };
  if (first && last && last.to <= first.from)
    return { ok: false, message: `to: “${texts.to}” is before “${texts.from}”. Write a later one.` };
  if (min !== undefined && max !== undefined && max < min)
    return { ok: false, message: `max: “${texts.max}” is less than “${texts.min}”. Write a higher one.` };
  const span = preset ?? { from: first?.from, to: last?.to };
  return {
    ok: true,
    filter: {
      ...{ status, merchantId: merchant, channel, network, reason, assigned, last4 },
      ...{ from: span.from, before: span.to, minMinor: min, maxMinor: max },
    },
  };
}

type Check = readonly [name: FilterName, text: string | undefined, value: unknown, expected: string];

function findFault(checks: readonly Check[]): string | undefined {
  const wrong = checks.find(
    ([, text, value]) => text !== undefined && (value === undefined || value === false),
  );
  return wrong && `${wrong[0]}: expected ${wrong[3]}, found “${wrong[1]}”.`;
}

/** True when a term can be a phone number or a part of one, so that it must not stand in an address. */
export function isPrivateTerm(typed: string): boolean {
  const term = normalizeTyped(typed);
  const isNumber = parseMsisdn(term) ?? findMsisdn(term);
  return isNumber !== undefined || isPhoneNumber(term) || /\d{7}/.test(term.replace(/[^\p{L}\d]/gu, ''));
}

/** True when the text of a filter can be a phone number or a part of one. A time and an amount below a million cedis are not. */
export function isPrivateFilter(name: string, text: string): boolean {
  if (/^\d{4}-\d\d-\d\d(?:[T ]\d{1,2}:\d\d)?$/.test(text)) return false;
  const [, hour] = /^\d{4}-\d\d-\d\dT(.*)$/.exec(text) ?? [];
  if (hour !== undefined) return isPrivateTerm(hour);
  const isAmount = name === 'min' || name === 'max' || name === 'amount';
  return isAmount
    ? text.split('..').some((one) => isPrivateTerm(one.replace(/\.\d{0,2}$/, '')))
    : isPrivateTerm(text);
}

/** The content of a search box: filters as `status:paid amount:20..50`, or one term. */
type SearchBox =
  | { kind: 'empty' }
  | { kind: 'filters'; texts: FilterTexts; filter: CollectionFilter }
  | { kind: 'term'; term: string }
  | { kind: 'invalid'; message: string };

const maxLength = 200;

/** The filters of a search, in the order in which a message lists them. */
const operators: readonly string[] = [
  ...filterNames.filter((name) => name !== 'min' && name !== 'max'),
  ...['on', 'amount'],
];

/** Reads a search. Words beside operators are refused: a search for words covers all filters. */
export function readSearchBox(typed: string, clock: FilterClock): SearchBox {
  const words = normalizeTyped(typed).slice(0, maxLength).split(' ').filter(Boolean);
  if (words.length === 0) return { kind: 'empty' };
  const term = words.join(' ');
  const pairs = words.map((word) => /^([a-z0-9]+):(.+)$/i.exec(word));
  const isOperator = pairs.some((pair) => pair !== null && operators.includes(pair[1]?.toLowerCase() ?? ''));
  // `no:024 412 3456` is a number with a word before it.
  if (pairs.every((pair) => pair === null) || (!isOperator && findMsisdn(term) !== undefined))
    return { kind: 'term', term };
  const texts: FilterTexts = {};
  for (const [index, pair] of pairs.entries()) {
    const [, typedName = '', value = ''] = pair ?? [];
    const name = typedName.toLowerCase();
    const isPrivate = pair === null ? isPrivateTerm(words[index] ?? '') : isPrivateFilter(name, value);
    if (isPrivate) return { kind: 'invalid', message: 'Search for a phone number without a filter.' };
    if (!operators.includes(name)) {
      return {
        kind: 'invalid',
        message: `“${words[index]}” is no filter. Filters are ${operators.map((one) => `${one}:`).join(' ')}.`,
      };
    }
    Object.assign(texts, getFilter(name, value));
  }
  const read = readFilter(texts, clock);
  return read.ok
    ? { kind: 'filters', texts, filter: read.filter }
    : { kind: 'invalid', message: read.message };
}

/** Codes are in lower case, in whatever case people write them. */
const codes = ['status', 'when', 'network', 'reason'];

function getFilter(name: string, value: string): FilterTexts {
  if (codes.includes(name)) return { [name]: value.toLowerCase() };
  if (name === 'on') return { from: value, to: value };
  if (name !== 'amount') return { [name]: value };
  const [min, max = min] = value.split('..');
  return { ...(min && { min }), ...(max && { max }) };
}
