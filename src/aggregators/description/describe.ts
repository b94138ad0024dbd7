import { z } from 'zod';
import type { EpochMs } from '../../shared/clock.ts';
import type { TextStyle } from '../../shared/screen-text.ts';
import type { UssdReply } from '../../shared/ussd.ts';
import type {
  Aggregator,
  AggregatorFacts,
  Dialect,
  DialectOptions,
  RequestReading,
  WireReply,
} from '../aggregator.ts';
import type { Description, ReplyTemplates } from './description.ts';
import { readRequest } from './read-request.ts';
import { readFields } from './request-fields.ts';
import { isXml, type Template, writeTemplate } from './template.ts';

/** The facts of an aggregator. A fact that is left out has its usual value, also where none is documented. */
type GivenFacts = Pick<AggregatorFacts, 'name' | 'title'> &
  Partial<Omit<AggregatorFacts, 'style'>> & { readonly style?: Partial<TextStyle> };

const usualStyle: TextStyle = { alphabet: 'gsm', limit: 160, lineBreak: '\n', forbidden: '' };

/** Adds the usual values to the facts of an aggregator. */
export function withUsualFacts({ style, ...facts }: GivenFacts): AggregatorFacts {
  return {
    ...{ method: 'POST', replyWithinMs: 4_000, sequenced: false, promptDelayMs: 0, ...facts },
    style: { ...usualStyle, ...style },
  };
}

/** Creates an aggregator from a description. */
export function describe(facts: GivenFacts, description: Description): Aggregator {
  return describeWith(facts, z.strictObject({}), () => description);
}

/** Creates an aggregator whose description depends on the channel's settings. */
export function describeWith<Settings>(
  facts: GivenFacts,
  settings: z.ZodType<Settings>,
  description: (settings: Settings) => Description,
): Aggregator {
  return {
    ...withUsualFacts(facts),
    settings,
    createDialect: (options) => createDialect(description(settings.parse(options.settings)), options),
  };
}

/** Creates the dialect of one channel from a description. */
export function createDialect(description: Description, options: DialectOptions): Dialect {
  // The channel's own codes take precedence.
  const operators = new Map([...Object.entries(description.operators ?? {}), ...options.operators]);
  const merged = { ...options, operators };
  return {
    decode: (raw) => readRequest(description, merged, readFields(raw)),
    encode: (reply, reading, at) => writeReply(description.reply, reply, reading, at),
  };
}

/** Returns the content type of replies. */
export function toContentType({ contentType, continue: continued }: ReplyTemplates): string {
  return contentType ?? (typeof continued === 'string' ? 'text/plain; charset=utf-8' : 'application/json');
}

/** Writes one reply by its template. */
function writeReply(
  templates: ReplyTemplates,
  reply: UssdReply,
  reading: RequestReading,
  at: EpochMs,
): WireReply {
  const { echo = false } = templates;
  const contentType = toContentType(templates);
  const { fields } = reading;
  const values = { fields, text: reply.text, at: new Date(at).toISOString(), isXml: isXml(contentType) };
  return { contentType, body: writeTemplate(templateFor(templates, reply, reading), values, echo) };
}

function templateFor(templates: ReplyTemplates, reply: UssdReply, { kind }: RequestReading): Template {
  if (kind === 'notice') return templates.notice ?? templates.end;
  if (kind === 'probe' && templates.probe) {
    return reply.kind === 'continue' ? templates.probe.alive : templates.probe.over;
  }
  return templates[reply.kind];
}
