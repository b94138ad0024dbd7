import { amountMinor, maxAmountMinor } from '../../shared/money.ts';
import { gsmSeptetsOf } from '../../shared/screen-text.ts';
import type { ItemField, LookupScreen, Taken } from '../schema.ts';
import type { LookupRequest, MenuContext, MenuState } from '../state/state.ts';
import { type Item, isList, type Scalar, type Value, type Values } from '../state/value.ts';
import { fill, likelyOperator, templateValuesOf } from '../text/render.ts';

/** The request to the merchant's system. */
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
  const templateValues = Object.entries(templateValuesOf(answers, context)).map(([name, value]) => {
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

/**
 * Reads the fields that a screen takes from an answer, under the names of the menu. An absent or blank field has no
 * value. Texts and lists are cut at their bounds.
 *
 * @returns `undefined` when the answer is unusable: a field has another kind or is too large, or an item of a list lacks
 *   a field.
 */
export function readFields(take: LookupScreen['take'], fields: unknown): Values | undefined {
  if (typeof fields !== 'object' || fields === null || Array.isArray(fields)) return undefined;
  const values: Record<string, Value> = {};
  for (const [name, taken] of Object.entries(take)) {
    const raw = fieldOf(fields, taken.from ?? name);
    if (isBlank(raw)) continue;
    const value = taken.list === undefined ? readField(taken, raw) : readList(taken, raw);
    if (value === undefined) return undefined;
    values[name] = value;
  }
  return values;
}

function isBlank(raw: unknown): boolean {
  return raw === undefined || raw === null || (typeof raw === 'string' && raw.trim() === '');
}

function fieldOf(fields: object, name: string): unknown {
  return Object.hasOwn(fields, name) ? (fields as Record<string, unknown>)[name] : undefined;
}

function readList({ list = 0, of = {} }: Taken, raw: unknown): Item[] | undefined {
  if (!Array.isArray(raw)) return undefined;
  const items: Item[] = [];
  for (const entry of raw.slice(0, list)) {
    const item = readFields(of, entry);
    if (item === undefined || Object.keys(item).length < Object.keys(of).length) return undefined;
    items.push(item as Item);
  }
  return items;
}

function readField({ text, amount, number }: ItemField, raw: unknown): Item[string] | undefined {
  if (text !== undefined) {
    return typeof raw === 'string' || typeof raw === 'number' ? cut(String(raw), text) : undefined;
  }
  const max = amount ?? number ?? 0;
  if (typeof raw !== 'number' || !Number.isSafeInteger(raw) || raw < 0 || raw > max) return undefined;
  if (amount === undefined) return { number: raw };
  return raw <= maxAmountMinor ? { amountMinor: amountMinor(raw) } : undefined;
}

/** One line of at most `maxLength` characters, and of at most the septets that the prover assumed for them. */
function cut(raw: string, maxLength: number): string {
  let text = raw
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim()
    .slice(0, maxLength);
  while (gsmSeptetsOf(text) > 2 * maxLength) text = text.slice(0, -1);
  return text;
}
