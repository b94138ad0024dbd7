import { isMap, tryParseJson, type UncheckedMap } from '../shared/json.ts';
import type { Msisdn, Operator } from '../shared/msisdn.ts';
import type { UssdReply } from '../shared/ussd.ts';

/** One session on the side of the network: the phone, the dialled string and the service code. */
export type Dial = {
  session: string;
  msisdn: Msisdn;
  operator: Operator;
  /** The rented code, `*713*5#`. */
  serviceCode: string;
  /** The dialled string, `*713*5*20#`. */
  dialled: string;
  /** The channel's settings for its aggregator, if it has any. */
  settings?: UncheckedMap | undefined;
};

/** One request of an aggregator. `to` is a path or a query that it appends to the callback URL; usually empty. */
export type WireRequest = { method: 'POST' | 'GET' | 'PUT'; to: string; contentType: string; body: string };

/**
 * The aggregator's side of a dialect: it writes the requests that the gateway reads, and reads the replies that the
 * gateway writes. The gateway's side is `Aggregator`. Both are written independently, so that tests detect a
 * misreading of the aggregator's document in one of them.
 */
export interface SimulatedAggregator {
  /** Returns the request for the next screen. `typed` contains all inputs since the dial. */
  request(dial: Dial, typed: readonly string[]): WireRequest;
  /** Returns the end notice for a payer who hangs up. Missing or `undefined` if the aggregator sends none. */
  endNotice?(dial: Dial, typed: readonly string[]): WireRequest | undefined;
  /** Returns the screen of an answer, or `undefined` when the aggregator would show an error of its own. */
  read(contentType: string, body: string, dial: Dial): UssdReply | undefined;
}

/** An aggregator's name or code of each operator. */
export type NetworkCodes<Code = string> = Readonly<Record<Operator, Code>>;

/** The operator names of most aggregators. No document mentions the newer names Telecel and AT. */
export const networkNames: NetworkCodes = {
  mtn: 'MTN',
  telecel: 'VODAFONE',
  at: 'AIRTELTIGO',
  glo: 'GLO',
  unknown: 'UNKNOWN',
};

/** Creates a POST to the callback URL itself. */
export function createPost(contentType: string, body: string): WireRequest {
  return { method: 'POST', to: '', contentType, body };
}

/** Creates a POST of JSON to the callback URL itself. */
export function createJsonPost(value: unknown): WireRequest {
  return createPost('application/json', JSON.stringify(value));
}

/** Parses a JSON answer. @returns `undefined` when it is not a JSON object. */
export function readJsonAnswer(contentType: string, body: string): UncheckedMap | undefined {
  if (!contentType.startsWith('application/json')) return undefined;
  const value: unknown = tryParseJson(body);
  return isMap(value) ? value : undefined;
}

/**
 * Returns the screen of an answer.
 *
 * @param action the value that decides whether the session continues.
 * @param continues the value of `action` for a session that continues.
 * @param ends the value of `action` for a session that ends.
 * @returns `undefined` when the text is no text, or the action is neither of the two.
 */
export function readScreen(
  text: unknown,
  action: unknown,
  continues: unknown,
  ends: unknown,
): UssdReply | undefined {
  if (typeof text !== 'string' || (action !== continues && action !== ends)) return undefined;
  return { kind: action === continues ? 'continue' : 'end', text };
}

/**
 * Returns the function that reads the screen of a JSON answer, by the names of its text and of its action.
 *
 * @param actions the values of the action for a session that continues, and for one that ends.
 * @param isExpected returns whether the answer has everything else that the aggregator requires.
 */
export function readJsonScreen(
  text: string,
  action: string,
  [continues, ends]: readonly [unknown, unknown],
  isExpected: (reply: UncheckedMap, dial: Dial) => boolean = () => true,
): SimulatedAggregator['read'] {
  return (contentType, body, dial) => {
    const reply = readJsonAnswer(contentType, body);
    return reply && isExpected(reply, dial)
      ? readScreen(reply[text], reply[action], continues, ends)
      : undefined;
  };
}
