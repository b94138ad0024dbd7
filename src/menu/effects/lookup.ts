import { isMap, mapOrEmpty } from '../../shared/json.ts';
import { amountMinor, maxAmountMinor } from '../../shared/money.ts';
import { type Operator, operatorByName } from '../../shared/msisdn.ts';
import { countGsmSeptets, countSeptets } from '../../shared/screen-text.ts';
import {
  type ItemField,
  isNetwork,
  type Menu,
  type MerchantScreen,
  type ProxyScreen,
  type Taken,
} from '../schema.ts';
import type {
  LookupRequest,
  MenuContext,
  MenuState,
  Proxied,
  ProxyRequest,
  ProxyTurn,
} from '../state/state.ts';
import { type Item, isList, type Scalar, type Value, type Values } from '../text/format.ts';
import { createTemplateValues, fill, likelyOperator, templateValue } from '../text/render.ts';

/**
 * Answers a lookup or a proxy screen inside the gateway, in place of an HTTP request. It resolves to an object with the
 * fields of the answer, or to `undefined` when nothing was found. Only the requests of proxy screens have a turn. The
 * signal aborts when the budget is used up.
 */
export type LookupHandler = (
  request: LookupRequest & Partial<ProxyTurn>,
  options: { signal: AbortSignal },
) => Promise<unknown>;

/** Handlers by the name of their screen. The object has no prototype. */
export type LookupHandlers = Readonly<Record<string, LookupHandler>>;

export const noHandlers: LookupHandlers = toHandlers([]);

/** Creates the handlers from entries. */
export function toHandlers(
  entries: Iterable<readonly [screen: string, handler: LookupHandler]>,
): LookupHandlers {
  const handlers: Record<string, LookupHandler> = Object.create(null);
  for (const [screen, handler] of entries) handlers[screen] = handler;
  return handlers;
}

export function lookupRequest(
  name: string,
  { answers, language }: MenuState,
  context: MenuContext,
): LookupRequest {
  const { amountMinor: amount, payer = context.dialler, reference, values = {} } = answers;
  const scalars = Object.entries(values).flatMap(([key, value]): [string, string | number][] =>
    isList(value) ? [] : [[key, plain(value)]],
  );
  return {
    lookup: name,
    dialler: context.dialler,
    payer,
    operator: likelyOperator(answers, context),
    language,
    ...(amount === undefined ? {} : { amountMinor: amount }),
    ...(reference === undefined ? {} : { reference }),
    values: Object.fromEntries(scalars),
  };
}

/** The URL with its placeholders filled, each as one segment of a path or a query; empty when a value is missing. */
export function lookupUrl(url: string, { answers }: MenuState, context: MenuContext): string {
  const values = createTemplateValues(answers, context);
  const templateValues = Object.keys(values).map((name) => {
    const value = templateValue(values, name);
    if (value === undefined || isList(value)) return [name, undefined] as const;
    const text = String(plain(value));
    // As path segments these would change the path.
    return [name, text === '.' || text === '..' ? undefined : encodeURIComponent(text)] as const;
  });
  return fill(url.replace(/:[a-z]+\}/g, '}'), Object.fromEntries(templateValues));
}

/** The JSON form of a value: amounts in pesewas. */
function plain(value: Scalar): string | number {
  if (typeof value === 'string') return value;
  return 'number' in value ? value.number : value.amountMinor;
}

/** Identifies a lookup: equal for equal requests to the same URL. */
export function lookupKey(request: LookupRequest, url: string | undefined): string {
  return JSON.stringify([url, request]);
}

/** The fields of an answer under the names of the menu, or the first field that makes the answer unusable. */
type ReadAnswer =
  | { readonly ok: true; readonly values: Values }
  | {
      readonly ok: false;
      /** The path of the field in the answer, such as `fees[2].due`. */
      readonly field: string;
      /** The required and the found type of the field, without content of the answer. */
      readonly problem: string;
    };

/** Reads the fields that a screen takes from an answer. An absent or blank field has no value. Texts and lists are cut at their bounds. */
export function readAnswerFields(take: MerchantScreen['take'], fields: unknown): ReadAnswer {
  if (!isMap(fields)) return { ok: false, field: '', ...expected('an object', fields) };
  const values: Record<string, Value> = {};
  for (const [name, taken] of Object.entries(take)) {
    const field = taken.from ?? name;
    const raw = getField(fields, field);
    if (isBlank(raw)) continue;
    const read = readTaken(name, taken, raw);
    if ('problem' in read) return { ok: false, field: `${field}${read.within ?? ''}`, problem: read.problem };
    values[name] = read.value;
  }
  return { ok: true, values };
}

function describeProblem({ field, problem }: Extract<ReadAnswer, { ok: false }>): string {
  return field === '' ? problem : `${field}: ${problem}`;
}

/** The value of a field, or what is wrong with it. `within` is the path to the problem from the field. */
type ReadValue<V extends Value> = { value: V } | { problem: string; within?: string };

function isBlank(raw: unknown): boolean {
  return raw === undefined || raw === null || (typeof raw === 'string' && raw.trim() === '');
}

function getField(fields: object, name: string): unknown {
  return Object.hasOwn(fields, name) ? (fields as Record<string, unknown>)[name] : undefined;
}

function readTaken(name: string, taken: Taken, raw: unknown): ReadValue<Value> {
  if (isNetwork(name, taken)) return readOperator(raw);
  return taken.list === undefined ? readField(taken, raw) : readList(taken, raw);
}

function readOperator(raw: unknown): ReadValue<Operator> {
  const operator = operatorByName(typeof raw === 'string' ? raw : undefined);
  return operator === 'unknown'
    ? { problem: 'expected the name of a network, such as mtn' }
    : { value: operator };
}

function readList({ list = 0, of = {} }: Taken, raw: unknown): ReadValue<Item[]> {
  if (!Array.isArray(raw)) return expected('a list', raw);
  const items: Item[] = [];
  for (const [i, entry] of raw.slice(0, list).entries()) {
    const read = readAnswerFields(of, entry);
    if (!read.ok)
      return { problem: read.problem, within: read.field === '' ? `[${i}]` : `[${i}].${read.field}` };
    const missing = Object.keys(of).find((name) => !Object.hasOwn(read.values, name));
    if (missing !== undefined) {
      const field = of[missing]?.from ?? missing;
      return { problem: 'expected a value in every item of the list', within: `[${i}].${field}` };
    }
    items.push(read.values as Item);
  }
  return { value: items };
}

function readField({ text, amount, number }: ItemField, raw: unknown): ReadValue<Scalar> {
  if (text !== undefined) {
    return typeof raw === 'string' || typeof raw === 'number'
      ? { value: cut(String(raw), text) }
      : expected('a text', raw);
  }
  const max = Math.min(
    amount ?? number ?? 0,
    amount === undefined ? Number.MAX_SAFE_INTEGER : maxAmountMinor,
  );
  const unit = amount === undefined ? '' : ' of pesewas';
  if (typeof raw !== 'number' || !Number.isSafeInteger(raw)) return expected(`a whole number${unit}`, raw);
  if (raw < 0 || raw > max) return { problem: `expected a whole number${unit} from 0 to ${max}` };
  return { value: amount === undefined ? { number: raw } : { amountMinor: amountMinor(raw) } };
}

/** Describes what a field must be, without its value, which can be personal data. */
function expected(what: string, found: unknown): { problem: string } {
  return { problem: `expected ${what}, found ${getTypeName(found)}` };
}

function getTypeName(value: unknown): string {
  if (value === undefined || value === null) return 'nothing';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'number') return 'a number with a fraction';
  if (typeof value === 'string') return 'a text';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

/** One line of at most `maxLength` characters, and of at most the length that the prover assumed for them in each alphabet. */
function cut(raw: string, maxLength: number): string {
  let text = raw
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim()
    .slice(0, maxLength);
  const isTooLong = () =>
    countGsmSeptets(text) > 2 * maxLength || countSeptets(text, 'unicode') > Math.floor((maxLength * 16) / 7);
  while (isTooLong()) text = text.slice(0, -1);
  return text;
}

/** Characters of a screen that the merchant's system answers. */
export const maxProxyText = 480;

/** Characters of a state that the merchant's system gets back. */
const maxProxyState = 512;

/** The request of a proxy screen: that of a lookup, with the turn. */
export function proxyRequest(
  name: string,
  state: MenuState,
  context: MenuContext,
  turn: ProxyTurn,
): ProxyRequest {
  return { ...lookupRequest(name, state, context), ...turn };
}

/** The answer to one request of a proxy screen, or the field that makes it unusable. */
export type ReadProxyAnswer =
  | { readonly ok: true; readonly kind: 'screen'; readonly screen: Omit<Proxied, 'turn'> }
  | { readonly ok: true; readonly kind: 'done'; readonly values: Values }
  | Extract<ReadAnswer, { ok: false }>;

/** Reads an answer: a screen, or with `done` the fields. A text that is too long is unusable: a cut one could lack an option. */
export function readProxyAnswer({ take }: ProxyScreen, fields: unknown): ReadProxyAnswer {
  const { done, text, state } = mapOrEmpty(fields);
  if (done === true) {
    const read = readAnswerFields(take, fields);
    return read.ok ? { ok: true, kind: 'done', values: read.values } : read;
  }
  if (done !== undefined && done !== null && done !== false) {
    return { ok: false, field: 'done', ...expected('true or false', done) };
  }
  if (typeof text !== 'string') return { ok: false, field: 'text', ...expected('a text', text) };
  const shown = screenText(text);
  if (shown === '') return { ok: false, field: 'text', problem: 'expected letters or digits' };
  if (shown.length > maxProxyText || countGsmSeptets(shown) > 2 * maxProxyText) {
    return { ok: false, field: 'text', problem: `expected at most ${maxProxyText} characters` };
  }
  if (state === undefined || state === null) return { ok: true, kind: 'screen', screen: { text: shown } };
  if (typeof state !== 'string') return { ok: false, field: 'state', ...expected('a text', state) };
  if (state.length > maxProxyState) {
    return { ok: false, field: 'state', problem: `expected at most ${maxProxyState} characters` };
  }
  return { ok: true, kind: 'screen', screen: { text: shown, state } };
}

/** The lines of a text without control characters and blank lines; empty when a screen would show no word. */
function screenText(raw: string): string {
  const lines = raw
    .split(/\r\n?|[\n\u2028\u2029]/)
    .map((line) => line.replace(/[\s\p{Cc}]+/gu, ' ').trim())
    .filter((line) => line !== '');
  const text = lines.join('\n');
  return /[\p{L}\p{N}]/u.test(text) ? text : '';
}

/**
 * Returns why a menu cannot use the answer of the merchant's system: the field and what it must be; `undefined` when it can.
 *
 * @param name of the lookup or proxy screen.
 */
export function problemOfAnswer(
  { screens }: Pick<Menu, 'screens'>,
  name: string,
  fields: object,
): string | undefined {
  const screen = screens[name];
  if (screen?.kind !== 'lookup' && screen?.kind !== 'proxy') return undefined;
  const read =
    screen.kind === 'lookup' ? readAnswerFields(screen.take, fields) : readProxyAnswer(screen, fields);
  return read.ok ? undefined : describeProblem(read);
}
