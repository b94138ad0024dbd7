import type { EpochMs } from '../shared/clock.ts';
import type { Msisdn } from '../shared/msisdn.ts';
import type { Ending, UssdReply, UssdRequest } from '../shared/ussd.ts';
import type { Fields } from './description/fields.ts';
import type { RawRequest } from './raw-request.ts';

/** The session of a request without a screen. Few aggregators omit the number. */
type SessionSignal = { readonly session: string; readonly dialler?: Msisdn };

/**
 * A parsed request. Every reply is written from a reading, so that the aggregator gets its own ids back, also for an
 * unreadable request.
 */
export type Reading = { readonly fields: Fields } & (
  | { readonly kind: 'request'; readonly request: UssdRequest }
  /** An end notice: no screen is shown. */
  | (SessionSignal & { readonly kind: 'notice'; readonly ending: Ending })
  /** The aggregator asks whether the session is alive. */
  | (SessionSignal & { readonly kind: 'probe' })
  | {
      readonly kind: 'unreadable';
      /** True when the caller's number is a phone number, but no Ghanaian mobile number. */
      readonly isOtherNumber?: true;
    }
);

export type WireReply = { contentType: string; body: string };

/** The dialect of one aggregator on one channel. */
export interface Dialect {
  /** Parses a request. Never throws. */
  decode(raw: RawRequest): Reading;
  /**
   * Writes a reply whose text fits the screen. Equal arguments result in equal bytes.
   *
   * @param at the time of the first reply, so that a repeated reply has the same bytes.
   */
  encode(reply: UssdReply, reading: Reading, at: EpochMs): WireReply;
}
