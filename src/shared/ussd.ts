import type { Msisdn, Operator } from './msisdn.ts';

/**
 * The input of one request, in the gateway's own form. Each dialect translates to it.
 *
 * - `dialled`: the first request of a session. `suffix` has the dialled answers (`*713*5*20#` -> `['20']`).
 * - `typed`: the payer's last input, from aggregators that send only that. In a session without a dialogue it starts one if it
 *   has a `suffix`, because it begins with the service code, or if the aggregator marks it as `isFirst`.
 * - `cumulative`: everything typed since the dial, joined with `*` (Africa's Talking). The first request has the
 *   dialled suffix, or an empty text. Only the stored dialogue shows which request it is. `suffix` has the dialled answers
 *   of a text that begins with the service code or its end.
 */
export type Entry =
  | { kind: 'dialled'; suffix: readonly string[] }
  | { kind: 'typed'; input: string; suffix?: readonly string[]; isFirst?: true }
  | { kind: 'cumulative'; text: string; suffix?: readonly string[] };

export type UssdRequest = {
  /** The aggregator's session id, or the dialler's number where none was sent. */
  session: string;
  /** The number that dialled, as the aggregator states it; never an input of the payer. */
  dialler: Msisdn;
  operator: Operator;
  /** The network as the aggregator named it, when no operator has that name. */
  unlistedNetwork?: string;
  entry: Entry;
  /** The aggregator's identifier of this request, such as its number in the session. An equal mark is a repeat. */
  mark?: string;
  /** The session or traffic id that the aggregator's payment side uses for this session. */
  ussdRef?: string;
};

/** How a session ended, according to the aggregator. */
export const endings = ['completed', 'cancelled', 'timeout', 'failed', 'ended'] as const;
export type Ending = (typeof endings)[number];

export type UssdReply = { kind: 'continue' | 'end'; text: string };
