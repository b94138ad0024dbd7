import type { Msisdn, Operator } from '../shared/msisdn.ts';

/**
 * What one request of an aggregator says, in the gateway's own words. Adapters only translate.
 *
 * - `dialled`: the first request of a session. `suffix` holds the answers dialled along (`*713*5*20#` -> `['20']`).
 * - `typed`: the payer's last input, from aggregators that send only that.
 * - `cumulative`: everything typed since the dial, joined with `*` (Africa's Talking). The first request has the
 *   dialled suffix, or nothing; which request it is only the stored dialogue can tell.
 */
export type Entry =
  | { kind: 'dialled'; suffix: readonly string[] }
  | { kind: 'typed'; input: string }
  | { kind: 'cumulative'; text: string };

export type UssdRequest = {
  /** The aggregator's session id, or the dialler's number where none was sent. */
  session: string;
  /** The number that dialled, as the aggregator states it; never taken from what a payer typed. */
  dialler: Msisdn;
  operator: Operator;
  entry: Entry;
  /** Fields that the reply must carry back, for the adapter's own use. */
  echo: Readonly<Record<string, string>>;
};

export type UssdReply = { kind: 'continue' | 'end'; text: string };

/** A request body as it arrived: the raw text and the query string's fields. Adapters parse by content. */
export type RawRequest = { body: string; query: Readonly<Record<string, string>> };

export type WireReply = { contentType: string; body: string };

/** One aggregator's dialect. Facts and their grade: docs/aggregators.md. */
export interface Aggregator {
  readonly name: string;
  /** Septets of the GSM 7-bit alphabet that one screen may hold. */
  readonly textLimit: number;
  /**
   * True when a repeated request can be told from a next step that happens to have the same input (by a
   * sequence number or by cumulative text).
   */
  readonly sequenced: boolean;
  /** Reads a request; `undefined` when it is not one of this aggregator's. Never throws. */
  decode(raw: RawRequest, serviceCode: string): UssdRequest | undefined;
  /** Writes a reply. `request` is absent when the request could not be read. Equal arguments, equal bytes. */
  encode(reply: UssdReply, request: UssdRequest | undefined): WireReply;
}
