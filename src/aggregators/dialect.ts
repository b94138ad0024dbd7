import type { EpochMs } from '../shared/clock.ts';
import type { Ending, UssdReply, UssdRequest } from '../shared/ussd.ts';
import type { Fields } from './description/fields.ts';
import type { RawRequest } from './raw-request.ts';

/** What a request was read as. Every reply is written from one, so that also an unreadable request gets its own ids back. */
export type Reading = { readonly fields: Fields } & (
  | { readonly kind: 'request'; readonly request: UssdRequest }
  /** The session is over: nobody waits for a screen. */
  | { readonly kind: 'notice'; readonly session: string; readonly ending: Ending }
  /** Asks whether the session is still alive. */
  | { readonly kind: 'probe'; readonly session: string }
  | { readonly kind: 'unreadable' }
);

export type WireReply = { contentType: string; body: string };

/** One aggregator's dialect on one channel. */
export interface Dialect {
  /** Reads a request. Never throws. */
  decode(raw: RawRequest): Reading;
  /**
   * Writes a reply whose text already fits the screen. `at` is when the reply was first given, so that a repeat
   * gets the same bytes. Equal arguments, equal bytes.
   */
  encode(reply: UssdReply, reading: Reading, at: EpochMs): WireReply;
}
