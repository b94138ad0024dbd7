import type { Msisdn, Operator } from './msisdn.ts';

/**
 * What one request of an aggregator asks for, in the gateway's own words. Adapters only translate.
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
  /** The aggregator's own mark of this request, such as its number in the session: an equal mark is a repeat. */
  mark?: string;
  /** A session or traffic id by which the aggregator's payment side knows this session. */
  ussdRef?: string;
};

/** How a session was ended, as far as the aggregator says it. */
export const endings = ['completed', 'cancelled', 'timeout', 'failed', 'ended'] as const;
export type Ending = (typeof endings)[number];

export type UssdReply = { kind: 'continue' | 'end'; text: string };
