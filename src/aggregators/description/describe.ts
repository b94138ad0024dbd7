import { z } from 'zod';
import { type Operator, parseMsisdn } from '../../shared/msisdn.ts';
import type { Ending, Entry, UssdReply, UssdRequest } from '../../shared/ussd.ts';
import type { Aggregator, AggregatorFacts, DialectOptions } from '../aggregator.ts';
import { dialledSuffix, isDialString } from '../dial-string.ts';
import type { Dialect, Reading, WireReply } from '../dialect.ts';
import { type Fields, readField, readFields, readScalar } from './fields.ts';
import { type Template, writeTemplate } from './template.ts';
import { readFlag, readInput, readOperator, readToken } from './values.ts';

/** Names of fields in the order in which they are looked for, without regard to case; a dot goes into an object. */
export type FieldNames = readonly string[];

/** How to tell what a request is. Values are compared without regard to case. */
export type KindRule = {
  /** The field that says it. Where it is missing, a dialled string opens a session and all else is an input. */
  readonly field: FieldNames;
  /** Values that open a session. */
  readonly first: readonly string[];
  /** A request whose kind is the value of this field, whatever it is, opens a session too. */
  readonly firstIfSame?: FieldNames;
  /** The values are a yes and a no, in any spelling of the two; `first` is then `['true']`. */
  readonly flag?: boolean;
  /** Values which say that the session is over. */
  readonly ended?: Readonly<Record<string, Ending>>;
  /** Values that ask whether the session is alive. */
  readonly probe?: readonly string[];
  /** What any other value means: an input, unless said otherwise. */
  readonly other?: 'input' | Ending;
  /** The flag is also set on later requests: only a dialled string, or nothing at all, opens a session. */
  readonly firstNeedsDial?: boolean;
};

/**
 * An aggregator's dialect as data: where its requests have what, and what its replies look like. This is enough for
 * most, and it is what a channel of the aggregator `generic` says in its configuration.
 */
export type Description = {
  /** Where none of these has a value, the number that dialled is the session, if `numberAsSession` says so. */
  readonly session: FieldNames;
  readonly numberAsSession?: boolean;
  readonly number: FieldNames;
  readonly operator?: FieldNames;
  /** The aggregator's own codes for operators, in lower case. */
  readonly operators?: Readonly<Record<string, Operator>>;
  readonly input: FieldNames;
  /** The input is everything typed since the dial, joined with `*`. */
  readonly cumulative?: boolean;
  readonly kind?: KindRule;
  /** Where the dialled string stands on the first request, when not in the input. */
  readonly dialled?: FieldNames;
  /** Where the answers dialled along stand already cut off, joined with `*`. */
  readonly suffix?: FieldNames;
  readonly mark?: FieldNames;
  readonly ussdRef?: FieldNames;
  readonly reply: ReplyTemplates;
};

export type ReplyTemplates = {
  readonly contentType: string;
  /** The reply begins with all fields of the request; the template's own come over them. */
  readonly echo?: boolean;
  readonly continue: Template;
  readonly end: Template;
  /** The answer to a notice; like `end` when left out. */
  readonly notice?: Template;
  /** The answer to a probe of a session that is alive, and of one that is not. */
  readonly probe?: { readonly alive: Template; readonly over: Template };
};

/** One USSD string holds no more. */
const maxInputLength = 182;
/** Twenty screens of typing; a session ends long before. */
const maxCumulativeLength = 2048;

/** What a request is by the field that says it; `undefined` where that field says nothing. */
function readKind(
  description: Description,
  fields: Fields,
): 'first' | 'input' | 'probe' | Ending | undefined {
  const { kind } = description;
  const said = kind && readField(fields, kind.field)?.toLowerCase();
  if (!kind || said === undefined) return undefined;
  const value = kind.flag ? (readFlag(said) ?? said) : said;
  const equals = (one: string) => one.toLowerCase() === value;
  if (kind.first.some(equals)) return 'first';
  if (kind.firstIfSame) {
    const other = readField(fields, kind.firstIfSame);
    // Nothing to compare with: as where the field itself is missing.
    if (other === undefined) return undefined;
    if (equals(other)) return 'first';
  }
  if (kind.probe?.some(equals)) return 'probe';
  const ended = Object.entries(kind.ended ?? {}).find(([one]) => equals(one));
  return ended?.[1] ?? kind.other ?? 'input';
}

/** Reads one request as the description says. Never throws. */
function readRequest(description: Description, line: DialectOptions, fields: Fields): Reading {
  const number = readField(fields, description.number) ?? '';
  const dialler = parseMsisdn(number);
  const named = readField(fields, description.session) ?? (description.numberAsSession ? dialler : undefined);
  const session = readToken(named ?? '');
  if (!session) return { kind: 'unreadable', fields };
  const kind = readKind(description, fields);
  if (kind === 'probe') return { kind, session, fields };
  if (kind !== undefined && kind !== 'first' && kind !== 'input') {
    return { kind: 'notice', session, ending: kind, fields };
  }
  const entry = readEntry(description, line, fields, kind);
  if (!dialler || !entry) return { kind: 'unreadable', fields };
  const codes = new Map([...Object.entries(description.operators ?? {}), ...line.operators]);
  const mark = readToken(readField(fields, description.mark ?? []) ?? '');
  const ussdRef = readToken(readField(fields, description.ussdRef ?? []) ?? '');
  const request: UssdRequest = {
    session,
    dialler,
    operator: readOperator(readField(fields, description.operator ?? []), codes),
    entry,
    ...(mark === undefined ? {} : { mark }),
    ...(ussdRef === undefined ? {} : { ussdRef }),
  };
  return { kind: 'request', request, fields };
}

function readEntry(
  description: Description,
  line: DialectOptions,
  fields: Fields,
  kind: 'first' | 'input' | undefined,
): Entry | undefined {
  if (description.cumulative) {
    // As it arrived: a blank that the payer typed is part of every later text.
    const text = readInput(String(readScalar(fields, description.input) ?? ''));
    return text.length > maxCumulativeLength ? undefined : { kind: 'cumulative', text };
  }
  const input = readInput(readField(fields, description.input) ?? '');
  if (input.length > maxInputLength) return undefined;
  if (!isFirstRequest(description, kind, input)) return { kind: 'typed', input };
  if (description.suffix) {
    const suffix = readField(fields, description.suffix) ?? '';
    if (suffix.length > maxInputLength) return undefined;
    return { kind: 'dialled', suffix: suffix.split(/[*#]/).filter((answer) => answer !== '') };
  }
  const dialled = readInput(readField(fields, description.dialled ?? description.input) ?? '');
  const suffix = isDialString(dialled) ? (dialledSuffix(dialled, line.serviceCode) ?? []) : [];
  return { kind: 'dialled', suffix };
}

function isFirstRequest(
  { kind: rule }: Description,
  kind: 'first' | 'input' | undefined,
  input: string,
): boolean {
  if (kind === undefined) return isDialString(input);
  return kind === 'first' && (!rule?.firstNeedsDial || input === '' || isDialString(input));
}

/** Writes one reply as the description says. */
function writeReply(
  { reply: templates }: Description,
  reply: UssdReply,
  reading: Reading,
  at: number,
): WireReply {
  const template = (() => {
    if (reading.kind === 'notice') return templates.notice ?? templates.end;
    if (reading.kind === 'probe' && templates.probe) {
      return reply.kind === 'continue' ? templates.probe.alive : templates.probe.over;
    }
    return templates[reply.kind];
  })();
  const values = { fields: reading.fields, text: reply.text, at: new Date(at).toISOString() };
  const { contentType, echo = false } = templates;
  return { contentType, body: writeTemplate(template, values, echo) };
}

/** The dialect that a description makes on a line. */
export function createDialect(description: Description, line: DialectOptions): Dialect {
  return {
    decode: (raw) => readRequest(description, line, readFields(raw)),
    encode: (reply, reading, at) => writeReply(description, reply, reading, at),
  };
}

const noSettings = z.strictObject({});

/** An aggregator whose dialect is a description. */
export function describe(facts: AggregatorFacts, description: Description): Aggregator {
  return { ...facts, settings: noSettings, createDialect: (line) => createDialect(description, line) };
}

/** An aggregator whose description depends on the channel's settings. */
export function describeWith<Settings>(
  facts: AggregatorFacts,
  settings: z.ZodType<Settings>,
  description: (settings: Settings) => Description,
): Aggregator {
  return {
    ...facts,
    settings,
    createDialect: (line) => createDialect(description(settings.parse(line.settings)), line),
  };
}
