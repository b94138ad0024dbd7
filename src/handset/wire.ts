import type { Msisdn, Operator } from '../shared/msisdn.ts';
import type { UssdReply } from '../ussd/turn.ts';

/** One session as the network sees it: who dialled what, on which rented code. */
export type Dial = {
  session: string;
  msisdn: Msisdn;
  operator: Operator;
  /** The rented code, `*713*5#`. */
  serviceCode: string;
  /** What was dialled, `*713*5*20#`. */
  dialled: string;
};

/**
 * One aggregator's dialect from the aggregator's side: it writes the requests that a gateway reads, and reads the
 * screens that a gateway writes. The gateway's own side is `Aggregator`; neither uses the other.
 */
export interface Wire {
  /** The request for the next screen, after everything `typed` since the dial. */
  request(dial: Dial, typed: readonly string[]): { contentType: string; body: string };
  /** The screen in an answer; `undefined` when the aggregator would end the session with an error of its own. */
  read(contentType: string, body: string): UssdReply | undefined;
}
