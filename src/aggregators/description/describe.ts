import { z } from 'zod';
import type { EpochMs } from '../../shared/clock.ts';
import type { UssdReply } from '../../shared/ussd.ts';
import type {
  Aggregator,
  AggregatorFacts,
  Dialect,
  DialectOptions,
  Reading,
  WireReply,
} from '../aggregator.ts';
import type { Description, ReplyTemplates } from './description.ts';
import { readFields } from './fields.ts';
import { readRequest } from './read-request.ts';
import { isXml, type Template, writeTemplate } from './template.ts';

const noSettings = z.strictObject({});

/** Creates an aggregator from a description. */
export function describe(facts: AggregatorFacts, description: Description): Aggregator {
  return { ...facts, settings: noSettings, createDialect: (options) => createDialect(description, options) };
}

/** Creates an aggregator whose description depends on the channel's settings. */
export function describeWith<Settings>(
  facts: AggregatorFacts,
  settings: z.ZodType<Settings>,
  description: (settings: Settings) => Description,
): Aggregator {
  return {
    ...facts,
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

/** Writes one reply by its template. */
function writeReply(templates: ReplyTemplates, reply: UssdReply, reading: Reading, at: EpochMs): WireReply {
  const { contentType, echo = false } = templates;
  const { fields } = reading;
  const values = { fields, text: reply.text, at: new Date(at).toISOString(), isXml: isXml(contentType) };
  return { contentType, body: writeTemplate(templateFor(templates, reply, reading), values, echo) };
}

function templateFor(templates: ReplyTemplates, reply: UssdReply, { kind }: Reading): Template {
  if (kind === 'notice') return templates.notice ?? templates.end;
  if (kind === 'probe' && templates.probe) {
    return reply.kind === 'continue' ? templates.probe.alive : templates.probe.over;
  }
  return templates[reply.kind];
}
