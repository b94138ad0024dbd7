import { amountMinor, maxAmountMinor } from '../../shared/money.ts';
import { septets } from '../../shared/screen-text.ts';
import type { ItemField, LookupScreen, Taken } from '../schema.ts';
import type { LookupRequest, MenuContext, MenuState } from '../state/state.ts';
import { type Item, isList, type Scalar, type Value, type Values } from '../state/value.ts';
import { fill, likelyOperator, templateValuesOf } from '../text/render.ts';

/** What the merchant's system is asked. */
export function lookupRequest(
  name: string,
  { answers, language }: MenuState,
  context: MenuContext,
): LookupRequest {
  const { amountMinor: amount, payer = context.dialler, reference, values = {} } = answers;
  const sent = Object.entries(values).flatMap(([key, value]): [string, string | number][] =>
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
    values: Object.fromEntries(sent),
  };
}

/** The address with its placeholders filled, each as one part of a path or a query. */
export function addressOf(url: string, { answers }: MenuState, context: MenuContext): string {
  const templateValues = Object.entries(templateValuesOf(answers, context)).map(([name, value]) => {
    if (value === undefined || isList(value)) return [name, undefined] as const;
    const text = String(plain(value));
    // As a part of a path these would lead to another one.
    return [name, text === '.' || text === '..' ? undefined : encodeURIComponent(text)] as const;
  });
  return fill(url.replace(/:[a-z]+\}/g, '}'), Object.fromEntries(templateValues));
}

/** As programs read it: amounts in pesewas. */
function plain(value: Scalar): string | number {
  if (typeof value === 'string') return value;
  return 'number' in value ? value.number : value.amountMinor;
}

/** Equal exactly for look-ups that ask the same. */
export function lookupKey(asked: LookupRequest, url: string | undefined): string {
  return JSON.stringify([url, asked]);
}

/**
 * Takes from an answer what the screen says, under its own names. A field that is absent or blank is not known; one of
 * another kind, or larger than it may be, makes the answer unusable: `undefined`, and so does an item of a list that
 * lacks a field, since its option could say only half. Texts are cut, and lists end, at their bounds.
 */
export function readFields(take: LookupScreen['take'], fields: unknown): Values | undefined {
  if (typeof fields !== 'object' || fields === null || Array.isArray(fields)) return undefined;
  const values: Record<string, Value> = {};
  for (const [name, taken] of Object.entries(take)) {
    const raw = fieldOf(fields, taken.from ?? name);
    if (isNothing(raw)) continue;
    const value = taken.list === undefined ? readField(taken, raw) : readList(taken, raw);
    if (value === undefined) return undefined;
    values[name] = value;
  }
  return values;
}

function isNothing(raw: unknown): boolean {
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
  const most = amount ?? number ?? 0;
  if (typeof raw !== 'number' || !Number.isSafeInteger(raw) || raw < 0 || raw > most) return undefined;
  if (amount === undefined) return { number: raw };
  return raw <= maxAmountMinor ? { amountMinor: amountMinor(raw) } : undefined;
}

/** One line, as long as the screen says at most; no letter takes more than two septets of what was proven. */
function cut(raw: string, most: number): string {
  let text = raw
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim()
    .slice(0, most);
  while (septets(text) > 2 * most) text = text.slice(0, -1);
  return text;
}
