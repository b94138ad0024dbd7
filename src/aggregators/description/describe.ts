import { z } from 'zod';
import type { Aggregator, AggregatorFacts, DialectOptions } from '../aggregator.ts';
import type { Dialect } from '../dialect.ts';
import type { Description } from './description.ts';
import { readFields } from './fields.ts';
import { readRequest } from './read-request.ts';
import { writeReply } from './write-reply.ts';

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
