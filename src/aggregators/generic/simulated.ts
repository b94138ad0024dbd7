import type { Template } from '../description/template.ts';
import { dialledSuffix } from '../dial-string.ts';
import {
  createJsonPost,
  type Dial,
  networkNames,
  type SimulatedAggregator,
  type WireRequest,
} from '../simulated-aggregator.ts';
import { matchTemplate } from './match-template.ts';
import { contentTypeOf, type GenericSettings, genericSettings } from './settings.ts';

type Value = string | boolean;
type Sent = Map<string, Value>;

/** A field that the settings name only for a reply to send back, such as an account. */
const madeUp = 'DIALTILL';

/** The fields of one request, each by the first of its names that is not taken. */
function sent({ request, reply }: GenericSettings, dial: Dial, typed: readonly string[]): Sent {
  const { first, suffix, operators } = request;
  const fields: Sent = new Map();
  const put = (names: readonly string[] | undefined, value: Value) => {
    const taken = new Set([...fields.keys()].map((one) => one.toLowerCase()));
    const name = names?.find((one) => !taken.has(one.toLowerCase()));
    if (name !== undefined) fields.set(name, value);
  };
  const opens = typed.length === 0;
  const along = dialledSuffix(dial.dialled, dial.serviceCode) ?? [];
  // A session that is opened by what was dialled, and nowhere else, has it as the first input.
  const empty = (suffix ?? request.dialled) !== undefined && !first?.sameAs;
  put(request.session, dial.session);
  put(request.number, dial.msisdn);
  const code = Object.entries(operators).find(([, operator]) => operator === dial.operator)?.[0];
  put(request.operator, code ?? networkNames[dial.operator]);
  if (request.cumulative) put(request.input, [...along, ...typed].join('*'));
  else put(request.input, typed.at(-1) ?? (empty ? '' : dial.dialled));
  put(request.dialled, dial.dialled);
  put(suffix, opens ? along.join('*') : '');
  put(first?.sameAs, dial.dialled);
  put(first?.field, first?.is === undefined ? dial.dialled : mark(first.is, opens));
  put(request.mark, String(typed.length + 1));
  put(request.ussdRef, dial.session);
  for (const name of placeholders([reply.continue, reply.end])) put([name], madeUp);
  return fields;
}

/** A value that marks a first request, or one that marks none. */
function mark(is: boolean | readonly string[], opens: boolean): Value {
  if (typeof is === 'boolean') return opens ? is : !is;
  const [value = ''] = is;
  return opens ? value : `not-${value}`;
}

function placeholders(templates: readonly Template[]): string[] {
  const names = [...JSON.stringify(templates).matchAll(/\{([\w.-]+)\}/g)].map(([, name = '']) => name);
  return names.filter((name) => name !== 'text' && name !== 'at');
}

/** An object whose names are only what is put into it. */
function emptyObject(): Record<string, unknown> {
  return Object.create(null);
}

function write({ request }: GenericSettings, fields: Sent): WireRequest {
  if (request.method === 'GET') {
    const query = new URLSearchParams();
    for (const [name, value] of fields) query.set(name, String(value));
    return { method: 'GET', to: `?${query}`, contentType: '', body: '' };
  }
  const body = emptyObject();
  for (const [name, value] of fields) {
    const path = name.split('.');
    const last = path.pop() ?? '';
    const inner = path.reduce((outer, step) => {
      const there = outer[step];
      if (typeof there === 'object') return there as Record<string, unknown>;
      const made = emptyObject();
      outer[step] = made;
      return made;
    }, body);
    inner[last] = value;
  }
  return createJsonPost(body);
}

/** What an answer holds: the text itself, or the JSON in it. */
function contentOf(body: string, template: Template): unknown {
  if (typeof template === 'string') return body;
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

/** An aggregator that does what a channel's settings say of it: they are turned round. */
export const simulated: SimulatedAggregator = {
  request(dial, typed) {
    const settings = genericSettings.parse(dial.settings);
    return write(settings, sent(settings, dial, typed));
  },

  /** @throws Error when the settings know no notice. */
  endNotice(dial, typed) {
    const settings = genericSettings.parse(dial.settings);
    const { ended } = settings.request;
    if (!ended) throw new Error('these settings know no notice');
    const is = Object.keys(ended.is ?? { ended: true });
    return write(settings, sent(settings, dial, typed).set(ended.field[0] ?? '', is[0] ?? ''));
  },

  read(contentType, body, dial) {
    const settings = genericSettings.safeParse(dial.settings).data;
    if (!settings || contentType !== contentTypeOf(settings.reply)) return undefined;
    const { reply } = settings;
    const later = sent(settings, dial, ['1', '2']);
    const alike = [...sent(settings, dial, [])].filter(([name, value]) => later.get(name) === value);
    const known = new Map(alike.map(([name, value]) => [name.toLowerCase(), value]));
    const screens = (['continue', 'end'] as const).flatMap((kind) => {
      const text = matchTemplate(reply[kind], contentOf(body, reply[kind]), known, reply.echo);
      return text === undefined ? [] : [{ kind, text }];
    });
    // Where one form says less than the other, the other is meant.
    return screens.toSorted((one, other) => one.text.length - other.text.length)[0];
  },
};
