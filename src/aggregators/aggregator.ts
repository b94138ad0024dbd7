import type { z } from 'zod';
import type { EpochMs } from '../shared/clock.ts';
import type { Msisdn, Operator } from '../shared/msisdn.ts';
import type { TextStyle } from '../shared/screen-text.ts';
import type { Ending, UssdReply, UssdRequest } from '../shared/ussd.ts';
import type { RawRequest, RequestFields } from './description/request-fields.ts';
import type { SimulatedAggregator } from './simulated-aggregator.ts';

/** The session of a request that gets no screen. A few aggregators omit the number. */
type SessionSignal = { readonly session: string; readonly dialler?: Msisdn };

/** A parsed request. Every reply is written from a reading: the aggregator gets its ids back, also for an unreadable request. */
export type RequestReading = { readonly fields: RequestFields } & (
  | { readonly kind: 'request'; readonly request: UssdRequest }
  /** An end notice: no screen is shown. */
  | (SessionSignal & { readonly kind: 'notice'; readonly ending: Ending })
  /** The aggregator asks whether the session is alive. */
  | (SessionSignal & { readonly kind: 'probe' })
  | {
      readonly kind: 'unreadable';
      /** True when the dialler's number is a phone number, but no Ghanaian mobile number. */
      readonly isOtherNumber?: true;
    }
);

export type WireReply = { contentType: string; body: string };

/** The dialect of one aggregator on one channel. */
export interface Dialect {
  /** Parses a request. Never throws. */
  decode(raw: RawRequest): RequestReading;
  /**
   * Writes a reply whose text fits the screen. Equal arguments result in equal bytes.
   *
   * @param at the time of the first reply, so that a repeated reply has the same bytes.
   */
  encode(reply: UssdReply, reading: RequestReading, at: EpochMs): WireReply;
}

/** The settings of a channel that its dialect depends on. */
export type DialectOptions = {
  /** The merchant's whole code, `*713*5#`: the aggregator's code 713 and the merchant's sub-code 5. Further digits that are dialled are a suffix. */
  readonly serviceCode: string;
  /** The channel's own operator codes, in lower case. They take precedence over the aggregator's codes. */
  readonly operators: ReadonlyMap<string, Operator>;
  /** The channel's settings for this aggregator, after validation by `Aggregator.settings`. */
  readonly settings: unknown;
};

/** The behaviour and limits of an aggregator: defaults that a channel can override, graded in `docs/aggregators.md`. */
export type AggregatorFacts = {
  /** The name in the configuration of a channel. */
  readonly name: string;
  /** The display name. */
  readonly title: string;
  /** The HTTP method of its requests for a screen. */
  readonly method: 'POST' | 'GET';
  readonly style: TextStyle;
  /** The gateway answers with an end screen after this time, before the aggregator shows an error of its own. */
  readonly replyWithinMs: number;
  /** True when a repeated request differs from a next step with the same input: by a number in the session, or by cumulative text. */
  readonly sequenced: boolean;
  /** The delay between the END reply and the prompt that the aggregator recommends; 0 without a recommendation. */
  readonly promptDelayMs: number;
};

/** One aggregator: its facts, the schema of its settings, and its dialect. */
export interface Aggregator extends AggregatorFacts {
  /** Settings for behaviour that is not documented. The default of each is the most likely value. */
  readonly settings: z.ZodType;
  /** Creates the dialect of one channel. */
  createDialect(options: DialectOptions): Dialect;
}

/** Everything that the gateway, the demo and the simulated phone need of one aggregator. */
export type AggregatorEntry = {
  readonly aggregator: Aggregator;
  /** Written from the aggregator's document and not from its dialect, so that tests detect a misreading in one of them. */
  readonly simulated: SimulatedAggregator;
  /** The service code of the aggregator's channel in the demo. Each aggregator has its own. */
  readonly demoCode: string;
  /** The settings of the demo's channel. Required if the aggregator's settings have no complete default. */
  readonly demoSettings?: Readonly<Record<string, unknown>>;
};
