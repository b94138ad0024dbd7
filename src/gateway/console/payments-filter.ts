import { formatCedis, parseCedis } from '../../shared/money.ts';
import { isPhoneNumber, parseMsisdn } from '../../shared/msisdn.ts';
import { showShortReference } from '../../shared/short-reference.ts';
import { closedStatuses, openStatuses, type Status } from '../collection/collection.ts';
import { readDay } from '../ledger/day.ts';
import type { Scope } from '../support/scope.ts';
import { readSearchTerm } from '../support/search-term.ts';
import type { CollectionFilter } from '../support/selection-query.ts';
import { statusWords, toQuery } from './parts/format.ts';

/** True when a term can be a phone number or a part of one, so that it must not stand in a URL. */
export function isPrivateTerm(term: string): boolean {
  return (
    parseMsisdn(term) !== undefined || isPhoneNumber(term) || /\d{7}/.test(term.replace(/[\s.+()-]/g, ''))
  );
}

/** True when the text of a filter can be a phone number or a part of one. A day and an amount below a million cedis are not. */
function isPrivateFilter(name: string, text: string): boolean {
  if (/^\d{4}-\d\d-\d\d$/.test(text)) return false;
  const isAmount = name === 'min' || name === 'max' || name === 'amount';
  return isAmount
    ? text.split('..').some((one) => isPrivateTerm(one.replace(/\.\d{0,2}$/, '')))
    : isPrivateTerm(text);
}

/** The properties by which the list of payments can be filtered, as they stand in the URL. None contains a phone number. */
const filterNames = [
  ...(['status', 'merchant', 'channel', 'network', 'reason', 'assigned'] as const),
  ...(['from', 'to', 'min', 'max', 'last4'] as const),
] as const;

export type FilterName = (typeof filterNames)[number];

/** The filters of a URL, without empty ones. */
export type FilterTexts = Partial<Record<FilterName, string>>;

type ReadFilter = { ok: true; filter: CollectionFilter } | { ok: false; message: string };

export const statuses: readonly Status[] = [...openStatuses, ...closedStatuses];

/** Returns the filters that a query string sets. */
function filterTexts(query: Readonly<Record<string, string>>): FilterTexts {
  const set = filterNames.map((name) => [name, query[name]?.trim()] as const).filter(([, text]) => text);
  return Object.fromEntries(set);
}

/** Returns the filter of its texts; the message of the first invalid one. */
function readFilter(texts: FilterTexts): ReadFilter {
  const { merchant, channel, network, reason, assigned, last4 } = texts;
  const status = statuses.find((one) => one === texts.status);
  const [first, last] = [texts.from, texts.to].map((text) =>
    text === undefined ? undefined : readDay(text),
  );
  const [min, max] = [texts.min, texts.max].map((text) =>
    text === undefined ? undefined : parseCedis(text),
  );
  const fault = findFault([
    ['status', texts.status, status, `one of ${statuses.join(', ')}`],
    ['from', texts.from, first, 'a day such as 2026-03-06'],
    ['to', texts.to, last, 'a day such as 2026-03-06'],
    ['min', texts.min, min, 'an amount in cedis such as 20.50'],
    ['max', texts.max, max, 'an amount in cedis such as 20.50'],
    ['last4', last4, /^\d{4}$/.test(last4 ?? ''), 'four digits'],
  ]);
  if (fault !== undefined) return { ok: false, message: fault };
  if (first && last && last.to <= first.from)
    return { ok: false, message: 'The last day is before the first one.' };
  if (min !== undefined && max !== undefined && max < min)
    return { ok: false, message: 'The highest amount is less than the lowest one.' };
  const span = { from: first?.from, before: last?.to, minMinor: min, maxMinor: max };
  return {
    ok: true,
    filter: { status, merchantId: merchant, channel, network, reason, assigned, last4, ...span },
  };
}

type Check = readonly [name: FilterName, text: string | undefined, value: unknown, expected: string];

function findFault(checks: readonly Check[]): string | undefined {
  const wrong = checks.find(
    ([, text, value]) => text !== undefined && (value === undefined || value === false),
  );
  return wrong && `${wrong[0]}: expected ${wrong[3]}.`;
}

/** The address of the list. */
export const paymentsPath = '/console/payments';

/** Returns the path of the list with filters, a search term, and the cursor of a page. */
export function listPath(texts: FilterTexts, more: { q?: string | undefined; after?: string } = {}): string {
  return `${paymentsPath}${toQuery({ ...texts, ...more })}`;
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

/** The selection of a query string. */
export type ListAddress =
  | { kind: 'filter'; texts: FilterTexts; filter: CollectionFilter }
  | { kind: 'term'; term: string }
  | { kind: 'invalid'; texts: FilterTexts; message: string };

const privateMessage =
  'The address has a number, which does not belong there. Enter it in the search box instead.';

/** Reads a query string. A number in it is refused, and not part of the result: addresses are logged and shared. */
export function readListAddress(query: Readonly<Record<string, string>>): ListAddress {
  const { q = '' } = query;
  const texts = filterTexts(query);
  const names = Object.keys(texts) as FilterName[];
  const shown = names.filter((name) => !isPrivateFilter(name, texts[name] ?? ''));
  if (isPrivateTerm(q) || shown.length < names.length) {
    const rest = Object.fromEntries(shown.map((name) => [name, texts[name]]));
    return { kind: 'invalid', texts: rest, message: privateMessage };
  }
  if (q !== '') return { kind: 'term', term: q };
  const read = readFilter(texts);
  return read.ok
    ? { kind: 'filter', texts, filter: read.filter }
    : { kind: 'invalid', texts, message: read.message };
}

/** The content of the search box: filters as `status:paid amount:20..50`, or one term. */
type SearchBox =
  | { kind: 'empty' }
  | { kind: 'filters'; texts: FilterTexts }
  | { kind: 'term'; term: string }
  | { kind: 'invalid'; message: string };

const maxLength = 200;

const same = ['status', 'merchant', 'channel', 'network', 'reason', 'assigned'] as const;
const dated = ['from', 'to', 'last4'] as const;
const operators: readonly string[] = [...same, ...dated, 'on', 'amount'];

/** Reads the search box. Words beside operators are refused: a search for words covers all filters. */
export function readSearchBox(text: string): SearchBox {
  const words = text.trim().slice(0, maxLength).split(/\s+/).filter(Boolean);
  if (words.length === 0) return { kind: 'empty' };
  const pairs = words.map((word) => /^([a-z0-9]+):(.+)$/.exec(word));
  if (pairs.every((pair) => pair === null)) return { kind: 'term', term: words.join(' ') };
  const texts: FilterTexts = {};
  for (const [index, pair] of pairs.entries()) {
    const [, name = '', value = ''] = pair ?? [];
    const isPrivate = pair === null ? isPrivateTerm(words[index] ?? '') : isPrivateFilter(name, value);
    if (isPrivate) return { kind: 'invalid', message: 'Search for a phone number without a filter.' };
    if (!operators.includes(name)) {
      return {
        kind: 'invalid',
        message: `${words[index]} is no filter. Filters are ${operators.map((one) => `${one}:`).join(' ')}.`,
      };
    }
    Object.assign(texts, getFilter(name, value));
  }
  const read = readFilter(texts);
  return read.ok ? { kind: 'filters', texts } : { kind: 'invalid', message: read.message };
}

function getFilter(name: string, value: string): FilterTexts {
  if (name === 'on') return { from: value, to: value };
  if (name !== 'amount') return { [name]: value };
  const [min, max = min] = value.split('..');
  return { ...(min && { min }), ...(max && { max }) };
}

/** The amounts with which searches and filters compare one. */
export const amountMeaning = 'the price, or the total that the payer is charged';

/** Returns as what a search has looked for a term, in words. @param shown the term with masked numbers */
export function searchedAs(term: string, shown: string, scope: Pick<Scope, 'lastFour'>): string[] {
  const { msisdn, isId, shortReference, lastDigits, amountMinor, isPart } = readSearchTerm(term, scope);
  if (scope.lastFour && parseMsisdn(term) !== undefined)
    return [`a phone number that ends with ${lastDigits}`];
  if (msisdn !== undefined) return [`the phone number ${shown}, of the payer or of the phone that dialled`];
  if (isId) return [`an id that is ${shown} or starts with it`];
  return [
    ...(shortReference === undefined ? [] : [`the short reference ${showShortReference(shortReference)}`]),
    ...(lastDigits === undefined ? [] : [`a phone number that ends with ${shown}`]),
    ...(amountMinor === undefined ? [] : [`the amount ${formatCedis(amountMinor)}: ${amountMeaning}`]),
    isPart ? `a reference that contains ${shown}` : `the reference ${shown}`,
  ];
}

const labels: Readonly<Record<Exclude<FilterName, 'min' | 'max' | 'from' | 'to' | 'status'>, string>> = {
  merchant: 'merchant',
  channel: 'channel',
  network: 'network',
  reason: 'reason',
  assigned: 'assigned to',
  last4: 'phone number that ends with',
};

/** Returns the filters of a list in words; none for a list without a filter. */
export function filteredBy(texts: FilterTexts): string[] {
  const read = readFilter(texts);
  const status = read.ok ? read.filter.status : undefined;
  const plain = filterNames.flatMap((name) => {
    const text = texts[name];
    return text !== undefined && name in labels ? [`${labels[name as keyof typeof labels]} ${text}`] : [];
  });
  return [
    ...(status === undefined ? [] : [`status “${statusWords[status]}”`]),
    ...plain,
    ...getRange('opened on days', texts.from, texts.to),
    ...getRange('amount', cedis(texts.min), cedis(texts.max), ` (${amountMeaning})`),
  ];
}

function cedis(text: string | undefined): string | undefined {
  const minor = text === undefined ? undefined : parseCedis(text);
  return minor === undefined ? undefined : formatCedis(minor);
}

function getRange(what: string, from: string | undefined, to: string | undefined, note = ''): string[] {
  if (from === undefined && to === undefined) return [];
  if (from === to) return [`${what} ${from}${note}`];
  const parts = [...(from === undefined ? [] : [`from ${from}`]), ...(to === undefined ? [] : [`to ${to}`])];
  return [`${what} ${parts.join(' ')}${note}`];
}
