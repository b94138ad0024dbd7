import type { z } from 'zod';
import type { Operator } from '../shared/msisdn.ts';
import type { TextStyle } from '../shared/screen-text.ts';
import type { Dialect } from './dialect.ts';

/** A channel, as far as its dialect must know it. */
export type DialectOptions = {
  /** The merchant's own code with its sub-code, `*713*5#`: what was dialled beyond it is a suffix. */
  readonly serviceCode: string;
  /** Operators by spellings of this channel, in lower case; looked at before the aggregator's own. */
  readonly operators: ReadonlyMap<string, Operator>;
  /** The channel's settings for this aggregator, as its schema has read them. */
  readonly settings: unknown;
};

/**
 * What an aggregator does and allows. Each is a default that a channel may set otherwise: most are not in writing, and
 * `docs/aggregators.md` says how sure each one is.
 */
export type AggregatorFacts = {
  /** As a channel's configuration names it. */
  readonly name: string;
  /** As people call it. */
  readonly title: string;
  /** How it asks for a screen. */
  readonly method: 'POST' | 'GET';
  readonly style: TextStyle;
  /** After this long the gateway answers a polite END by itself: before the aggregator shows an error of its own. */
  readonly replyWithinMs: number;
  /**
   * True when a repeated request can be told from a next step that happens to have the same input (by a number in
   * the session, or by cumulative text).
   */
  readonly sequenced: boolean;
  /** How long the prompt waits after END where the aggregator advises it; 0 where it says nothing. */
  readonly promptDelayMs: number;
};

/** One aggregator: its facts, its settings, its dialect. */
export interface Aggregator extends AggregatorFacts {
  /** What is not known for sure, as settings with the best guess as default. */
  readonly settings: z.ZodType;
  /** The dialect on one channel. `line.settings` has passed the schema. */
  createDialect(line: DialectOptions): Dialect;
}
