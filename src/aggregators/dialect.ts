import type { EpochMs } from '../shared/clock.ts';
import type { Ending, UssdReply, UssdRequest } from '../shared/ussd.ts';
import type { Fields } from './fields.ts';

/** What a request was read as. Every reply is written from one, so that also an unreadable request gets its own ids back. */
export type Reading = { readonly fields: Fields } & (
  | { readonly kind: 'request'; readonly request: UssdRequest }
  /** The session is over: nobody waits for a screen. */
  | { readonly kind: 'notice'; readonly session: string; readonly ending: Ending }
  /** Asks whether the session is still alive. */
  | { readonly kind: 'probe'; readonly session: string }
  | { readonly kind: 'unreadable' }
);

/** A request as it arrived, unparsed. Adapters parse by content. */
export type RawRequest = {
  body: string;
  query: Readonly<Record<string, string>>;
  /** What follows the secret in the callback's path, without slashes around it; usually nothing. */
  path: string;
};

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
