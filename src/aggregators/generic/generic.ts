import { tryParseJson } from '../../shared/json.ts';
import type { AggregatorEntry } from '../aggregator.ts';
import { createDialect, toContentType, withUsualFacts } from '../description/describe.ts';
import type { Description, KindRule } from '../description/description.ts';
import { escapeXml, isXml, type Template, unescapeXml } from '../description/template.ts';
import { dialledSuffix } from '../dial-string.ts';
import { createJsonPost, type Dial, networkNames, type WireRequest } from '../simulated-aggregator.ts';
import { matchTemplate } from './match-template.ts';
import { type GenericSettings, genericSettings } from './settings.ts';

function getDescription({ request, reply }: GenericSettings): Description {
  const { operator, operators, first, dialled, suffix, mark, ussdRef } = request;
  const codes = Object.entries(operators).map(([code, name]) => [code.toLowerCase(), name] as const);
  return {
    session: request.session ?? [],
    numberAsSession: request.numberAsSession,
    number: request.number,
    ...(operator && { operator }),
    operators: Object.fromEntries(codes),
    input: request.input,
    cumulative: request.cumulative,
    ...(first && { kind: firstKind(first) }),
    ...(dialled && { dialled }),
    ...(suffix && { suffix }),
    ...(mark && { mark }),
    ...(ussdRef && { ussdRef }),
    reply,
  };
}

function firstKind({
  field,
  is,
  sameAs,
  needsDial,
}: NonNullable<GenericSettings['request']['first']>): KindRule {
  const flag = typeof is === 'boolean';
  return {
    field,
    first: flag ? [String(is)] : (is ?? []),
    flag,
    firstNeedsDial: needsDial,
    ...(sameAs && { firstIfSame: sameAs }),
  };
}

function endKind({ field, is, others }: NonNullable<GenericSettings['request']['ended']>): KindRule {
  return { field, first: [], ended: is ?? {}, other: others ?? (is ? 'input' : 'ended') };
}

type Value = string | boolean;
type SentFields = Map<string, Value>;

/** The value of a field that the settings contain only in a reply, such as an account. */
const echoValue = 'DIALTILL';

/** Returns the fields of one request. Each field gets the first of its names that is not in use. */
function requestFields(
  { request, reply }: GenericSettings,
  dial: Dial,
  typed: readonly string[],
): SentFields {
  const { first, suffix, operators } = request;
  const fields: SentFields = new Map();
  const add = (names: readonly string[] | undefined, value: Value) => {
    const used = new Set([...fields.keys()].map((name) => name.toLowerCase()));
    const name = names?.find((candidate) => !used.has(candidate.toLowerCase()));
    if (name !== undefined) fields.set(name, value);
  };
  const isFirst = typed.length === 0;
  const answers = dialledSuffix(dial.dialled, dial.serviceCode) ?? [];
  // The first input is empty if another field contains the dialled string or the suffix.
  const isFirstInputEmpty = (suffix ?? request.dialled) !== undefined && !first?.sameAs;
  add(request.session, dial.session);
  add(request.number, dial.msisdn);
  const code = Object.entries(operators).find(([, operator]) => operator === dial.operator)?.[0];
  add(request.operator, code ?? networkNames[dial.operator]);
  if (request.cumulative) add(request.input, [...answers, ...typed].join('*'));
  else add(request.input, typed.at(-1) ?? (isFirstInputEmpty ? '' : dial.dialled));
  add(request.dialled, dial.dialled);
  add(suffix, isFirst ? answers.join('*') : '');
  add(first?.sameAs, dial.dialled);
  add(first?.field, first?.is === undefined ? dial.dialled : firstValue(first.is, isFirst));
  add(request.mark, String(typed.length + 1));
  add(request.ussdRef, dial.session);
  for (const name of placeholders([reply.continue, reply.end])) add([name], echoValue);
  return fields;
}

/** Returns a value that marks a first request, or one that does not. */
function firstValue(is: boolean | readonly string[], isFirst: boolean): Value {
  if (typeof is === 'boolean') return isFirst ? is : !is;
  const [value = ''] = is;
  return isFirst ? value : `not-${value}`;
}

function placeholders(templates: readonly Template[]): string[] {
  const names = [...JSON.stringify(templates).matchAll(/\{([\w.-]+)\}/g)].map(([, name = '']) => name);
  return names.filter((name) => name !== 'text' && name !== 'at');
}

/** Returns an object without a prototype, so that any field name is safe. */
function emptyObject(): Record<string, unknown> {
  return Object.create(null);
}

function writeRequest({ request }: GenericSettings, fields: SentFields): WireRequest {
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
      const existing = outer[step];
      if (typeof existing === 'object') return existing as Record<string, unknown>;
      const created = emptyObject();
      outer[step] = created;
      return created;
    }, body);
    inner[last] = value;
  }
  return createJsonPost(body);
}

/** Returns the text of an answer, or its JSON if the template is a map. */
function readContent(body: string, template: Template): unknown {
  return typeof template === 'string' ? body : tryParseJson(body);
}

/** An invented aggregator, described as a merchant would describe a real one. */
const voltaGate = {
  request: {
    session: 'dialog',
    number: 'subscriber.number',
    operator: 'subscriber.carrier',
    operators: { M: 'mtn', T: 'telecel', A: 'at', G: 'glo' },
    input: 'keyed',
    first: { field: 'event', is: 'OPEN' },
    ended: { field: 'event', is: { HANGUP: 'cancelled', EXPIRED: 'timeout' } },
  },
  reply: {
    continue: { dialog: '{dialog}', screen: { text: '{text}', wait: true } },
    end: { dialog: '{dialog}', screen: { text: '{text}', wait: false } },
    notice: { dialog: '{dialog}' },
  },
};

/** Any other aggregator, by the `Description` in a channel's settings. Limits such as `textLimit` are keys of the channel. */
export const generic: AggregatorEntry = {
  aggregator: {
    ...withUsualFacts({ name: 'generic', title: 'Any other, by its description' }),
    settings: genericSettings,
    createDialect(options) {
      const settings = genericSettings.parse(options.settings);
      const { ended } = settings.request;
      const description = getDescription(settings);
      const dialect = createDialect(description, options);
      if (!ended) return dialect;
      // The field of a notice can differ from the field that marks the first request, so notices are read first.
      const notices = createDialect({ ...description, kind: endKind(ended) }, options);
      return {
        ...dialect,
        decode(raw) {
          const reading = notices.decode(raw);
          return reading.kind === 'notice' ? reading : dialect.decode(raw);
        },
      };
    },
  },
  demoCode: '*700*5#',
  demoSettings: voltaGate,
  /** Simulates the aggregator that a channel's settings describe. */
  simulated: {
    request(dial, typed) {
      const settings = genericSettings.parse(dial.settings);
      return writeRequest(settings, requestFields(settings, dial, typed));
    },

    endNotice(dial, typed) {
      const settings = genericSettings.parse(dial.settings);
      const { ended } = settings.request;
      if (!ended) return undefined;
      const [value = 'ended'] = Object.keys(ended.is ?? {});
      const [name = ''] = ended.field;
      return writeRequest(settings, requestFields(settings, dial, typed).set(name, value));
    },

    read(contentType, body, dial) {
      const settings = genericSettings.safeParse(dial.settings).data;
      if (!settings || contentType !== toContentType(settings.reply)) return undefined;
      const { reply } = settings;
      const laterFields = requestFields(settings, dial, ['1']);
      const constant = [...requestFields(settings, dial, [])].filter(
        ([name, value]) => laterFields.get(name) === value,
      );
      const xml = isXml(contentType);
      const written = (value: string | boolean) => (xml ? escapeXml(String(value)) : value);
      const sent = new Map(constant.map(([name, value]) => [name.toLowerCase(), written(value)]));
      const screens = (['continue', 'end'] as const).flatMap((kind) => {
        const text = matchTemplate(reply[kind], readContent(body, reply[kind]), sent, reply.echo);
        return text === undefined
          ? []
          : [{ kind, text: (xml ? unescapeXml(text) : text).replaceAll('\r\n', '\n') }];
      });
      // If both templates match, the more specific one leaves the shorter text.
      return screens.toSorted((a, b) => a.text.length - b.text.length)[0];
    },
  },
};
