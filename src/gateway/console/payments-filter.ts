import { formatCedis, parseCedis } from '../../shared/money.ts';
import { maskedNumber } from '../../shared/msisdn.ts';
import { showShortReference } from '../../shared/short-reference.ts';
import { localTimeAt } from '../../shared/time-text.ts';
import type { Person } from '../access/permissions.ts';
import type { TimeSpan } from '../ledger/day.ts';
import type { StaffDeps } from '../staff/operation.ts';
import {
  type FilterClock,
  type FilterName,
  type FilterTexts,
  filterNames,
  isPrivateFilter,
  isPrivateTerm,
  readFilter,
  type TimePreset,
} from '../support/filter-text.ts';
import type { Scope } from '../support/page.ts';
import { readSearchTerm } from '../support/search-term.ts';
import type { CollectionFilter, StatusFilter } from '../support/selection-query.ts';
import { statusWords, toQuery } from './parts/format.ts';
import { getScope } from './scope.ts';

export const paymentsPath = '/console/payments';

/** Returns the path of the list with filters, a search term, and the cursor of a page. */
export function listPath(texts: FilterTexts, more: { q?: string | undefined; after?: string } = {}): string {
  return `${paymentsPath}${toQuery({ ...texts, ...more })}`;
}

/** Returns the present time, and the zone of the days and hours of a list: that of its merchant, or Ghana's. */
export function clockFor(
  { clock, timeZone }: Pick<StaffDeps, 'clock' | 'timeZone'>,
  person: Person,
  merchant?: string,
): FilterClock {
  return { now: clock.now(), timeZone: timeZone(getScope(person).merchantId ?? merchant) };
}

const minuteMs = 60_000;

/** Returns the filters of the payments of a business day, in the list of a merchant whose days are those of its own zone. */
export function ofDay({ from, to }: TimeSpan, timeZone: string): FilterTexts {
  const [first = '', last = ''] = [from, to - minuteMs].map((at) => localTimeAt(at, timeZone));
  const isSameDay = first.endsWith('T00:00') && last.endsWith('T23:59');
  return isSameDay ? { from: first.slice(0, 10), to: last.slice(0, 10) } : { from: first, to: last };
}

/** Filters that people of a merchant do not have: their list has one merchant, and assignments are of support staff. */
const staffFilters: readonly FilterName[] = ['merchant', 'assigned'];

/** Returns whether a person with the scope has a filter. */
export function hasFilter({ merchantId }: Scope, name: FilterName): boolean {
  return merchantId === null || !staffFilters.includes(name);
}

/** Returns the message about a filter that a person with the scope does not have; undefined without one. */
export function filterFault(scope: Scope, texts: FilterTexts): string | undefined {
  const name = staffFilters.find((one) => texts[one] !== undefined && !hasFilter(scope, one));
  return name && `${name}: your list of payments does not have this filter.`;
}

/** Returns an hour or a minute of a day as `08:00`, from `8`, `0800`, `8:00` or `8.00`; undefined for another text. */
function readHour(text: string): string | undefined {
  const [, hour = '', minute = '00'] = /^(\d{1,2})(?:[:.]?(\d\d))?$/.exec(text) ?? [];
  const isTime = hour !== '' && Number(hour) <= 23 && Number(minute) <= 59;
  return isTime ? `${hour.padStart(2, '0')}:${minute}` : undefined;
}

/** Returns the filters that a query string sets, and the fault of an hour. The form has hours in fields of their own. */
function readTexts(query: Readonly<Record<string, string>>): { texts: FilterTexts; fault?: FilterFault } {
  const get = (name: string) => query[name]?.trim() ?? '';
  const set = filterNames.map((name) => [name, get(name)] as const).filter(([, text]) => text !== '');
  const { when, ...texts }: FilterTexts = Object.fromEntries(set);
  const faults: FilterFault[] = [];
  for (const name of ['from', 'to'] as const) {
    const time = get(`${name}Time`);
    if (time === '') continue;
    const day = texts[name] ?? (name === 'to' ? texts.from?.slice(0, dayLength) : undefined);
    const hour = readHour(time);
    texts[name] = `${day ?? ''}T${hour ?? time}`;
    if (hour === undefined)
      faults.push({ field: `${name}Time`, message: `Time of day: “${time}” is no time. Write 8 or 08:30.` });
    else if (day === undefined)
      faults.push({ field: name, message: `Time of day: “${time}” has no day. Choose the first day.` });
  }
  // The form repeats the chosen days, and a day that is typed replaces them.
  const isReplaced = query.fromTime !== undefined && (texts.from !== undefined || texts.to !== undefined);
  const [fault] = faults;
  return { texts: when === undefined || isReplaced ? texts : { ...texts, when }, ...(fault && { fault }) };
}

const dayLength = '2026-03-06'.length;

/** A field of the form. The hours of the first and the last day have fields of their own. */
export type FieldName = FilterName | 'fromTime' | 'toTime';

/** A fault of the filters, and the field that has it; undefined when it is no single one. */
export type FilterFault = { message: string; field?: FieldName | undefined };

/** The labels of the form, by the names that commands and addresses have. */
export const fieldLabels: Readonly<Record<FilterName, string>> = {
  ...{ status: 'Status', when: 'Days', from: 'First day', to: 'Last day' },
  ...{ min: 'Amount, at least', max: 'Amount, at most', network: 'Network', merchant: 'Merchant' },
  ...{ channel: 'Channel', reason: 'Reason', assigned: 'Taken by', last4: 'Last four digits' },
};

/** Returns the fault of a message about a filter, which starts with the name of it, with the label of the form. */
export function toFilterFault(message: string): FilterFault {
  const [, start, rest] = /^(\w+): (.*)$/s.exec(message) ?? [];
  const field = filterNames.find((name) => name === start);
  return field === undefined ? { message } : { message: `${fieldLabels[field]}: ${rest}`, field };
}

/** The selection of a query string. */
export type ListAddress =
  | { kind: 'filter'; texts: FilterTexts; filter: CollectionFilter }
  | { kind: 'term'; term: string }
  | { kind: 'invalid'; texts: FilterTexts; fault: FilterFault };

const privateMessage =
  'The address has a number, which does not belong there. Enter it in the search box instead.';

/** Reads a query string. A number in it is refused, and not part of the result: addresses are logged and shared. */
export function readListAddress(query: Readonly<Record<string, string>>, clock: FilterClock): ListAddress {
  const { q = '' } = query;
  const { texts, fault } = readTexts(query);
  const names = Object.keys(texts) as FilterName[];
  const shown = names.filter((name) => !isPrivateFilter(name, texts[name] ?? ''));
  if (isPrivateTerm(q) || shown.length < names.length) {
    const rest = Object.fromEntries(shown.map((name) => [name, texts[name]]));
    return { kind: 'invalid', texts: rest, fault: { message: privateMessage } };
  }
  if (q !== '') return { kind: 'term', term: q };
  if (fault) return { kind: 'invalid', texts, fault };
  const read = readFilter(texts, clock);
  return read.ok
    ? { kind: 'filter', texts, filter: read.filter }
    : { kind: 'invalid', texts, fault: toFilterFault(read.message) };
}

/** The amounts with which searches and filters compare one. */
const amountMeaning = 'the price, or a total that the payer was asked for or charged';

/** Returns as what a search has looked for a term, in words. @param shown the term with masked numbers */
export function searchedAs(term: string, shown: string, scope: Pick<Scope, 'lastFour'>): string[] {
  const read = readSearchTerm(term, scope);
  const { msisdn, isId, shortReference, lastDigits, amountMinor, isPart, words } = read;
  if (isId) return [`an id that is ${shown} or starts with it`];
  const number =
    msisdn === undefined
      ? lastDigits && `a phone number that ends with “${lastDigits}”`
      : `the phone number “${maskedNumber(msisdn)}”, of the payer or of the phone that dialled`;
  // A term that is a number is nothing else.
  if (number && !isPart && words.length === 0) return [number];
  return [
    ...(shortReference === undefined ? [] : [`the short reference ${showShortReference(shortReference)}`]),
    ...(number ? [number] : []),
    ...(amountMinor === undefined ? [] : [`the amount ${formatCedis(amountMinor)}: ${amountMeaning}`]),
    isPart ? `a reference that contains ${shown}` : `the reference ${shown}`,
  ];
}

const labels = {
  merchant: 'Merchant',
  channel: 'Channel',
  network: 'Network',
  reason: 'Reason',
  assigned: 'Taken by',
  last4: 'Number ends with',
} as const;

/** Statuses and groups of statuses in words. */
const statusFilterWords: Readonly<Record<StatusFilter, string>> = {
  ...statusWords,
  ...{ waiting: 'Waiting', unpaid: 'Not paid', decide: 'To decide' },
};

export const presetWords: Readonly<Record<TimePreset, string>> = {
  ...{ today: 'Today', yesterday: 'Yesterday', '7d': '7 days', '30d': '30 days' },
};

/** Names what a reason or a network is, in words. */
export type FilterWords = (name: FilterName, value: string) => string;

/** A filter in use: its words, and the names that are removed with it. */
export type UsedFilter = { words: string; names: readonly FilterName[] };

/** Returns the filters of a list in words; none for a list without a filter. */
export function filteredBy(texts: FilterTexts, wordsOf: FilterWords = (_, value) => value): UsedFilter[] {
  const plain = (Object.keys(labels) as (keyof typeof labels)[]).flatMap((name) => {
    const text = texts[name];
    return text === undefined ? [] : [{ words: `${labels[name]}: ${wordsOf(name, text)}`, names: [name] }];
  });
  const preset = texts.when as TimePreset | undefined;
  return [
    ...(texts.status === undefined
      ? []
      : [
          {
            words: `Status: ${statusFilterWords[texts.status as StatusFilter] ?? texts.status}`,
            names: ['status'] as const,
          },
        ]),
    ...(preset === undefined ? [] : [{ words: presetWords[preset] ?? preset, names: ['when'] as const }]),
    ...plain,
    ...getRange('Opened', texts, ['from', 'to']),
    ...getRange('Amount', { min: cedis(texts.min), max: cedis(texts.max) }, ['min', 'max']),
  ];
}

function cedis(text: string | undefined): string | undefined {
  const minor = text === undefined ? undefined : parseCedis(text);
  return minor === undefined ? undefined : formatCedis(minor);
}

function getRange(
  what: string,
  texts: Readonly<Partial<Record<FilterName, string | undefined>>>,
  names: readonly [FilterName, FilterName],
): UsedFilter[] {
  const [first, last] = names.map((name) => texts[name]?.replace('T', ' '));
  if (first === undefined && last === undefined) return [];
  if (first === last) return [{ words: `${what}: ${first}`, names }];
  const parts = [
    ...(first === undefined ? [] : [`from ${first}`]),
    ...(last === undefined ? [] : [`to ${last}`]),
  ];
  return [{ words: `${what} ${parts.join(' ')}`, names }];
}
