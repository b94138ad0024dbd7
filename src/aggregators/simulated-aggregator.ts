import type { Msisdn, Operator } from '../shared/msisdn.ts';
import type { UssdReply } from '../shared/ussd.ts';

/** One session as the network sees it: who dialled what, on which rented code. */
export type Dial = {
  session: string;
  msisdn: Msisdn;
  operator: Operator;
  /** The rented code, `*713*5#`. */
  serviceCode: string;
  /** What was dialled, `*713*5*20#`. */
  dialled: string;
  /** The channel's settings for its aggregator, where it has any. */
  settings?: Readonly<Record<string, unknown>> | undefined;
};

/** One request of an aggregator. `to` is what it puts behind the callback URL, a path or a query; usually nothing. */
export type WireRequest = {
  method: 'POST' | 'GET' | 'PUT';
  to: string;
  contentType: string;
  body: string;
};

/**
 * One aggregator's dialect from the aggregator's side: it writes the requests that a gateway reads, and reads the
 * screens that a gateway writes. The gateway's own side is `Aggregator`; neither uses the other, so that a misreading
 * of one shows at the other.
 */
export interface SimulatedAggregator {
  /** The request for the next screen, after everything `typed` since the dial. */
  request(dial: Dial, typed: readonly string[]): WireRequest;
  /** The notice that the payer has left, where the aggregator sends one. */
  endNotice?(dial: Dial, typed: readonly string[]): WireRequest;
  /** The screen in an answer; `undefined` when the aggregator would end the session with an error of its own. */
  read(contentType: string, body: string, dial: Dial): UssdReply | undefined;
}

/** What most aggregators call the operators; whether any of them has taken up the newer names is not in writing. */
export const networkNames: Readonly<Record<Operator, string>> = {
  mtn: 'MTN',
  telecel: 'VODAFONE',
  at: 'AIRTELTIGO',
  glo: 'GLO',
  unknown: 'UNKNOWN',
};

/** A POST to the callback URL itself. */
export function createPost(contentType: string, body: string): WireRequest {
  return { method: 'POST', to: '', contentType, body };
}

/** A POST of JSON to the callback URL itself. */
export function createJsonPost(value: unknown): WireRequest {
  return createPost('application/json', JSON.stringify(value));
}

/** The object in a JSON answer; `undefined` when it is none. */
export function readJson(contentType: string, body: string): Readonly<Record<string, unknown>> | undefined {
  if (!contentType.startsWith('application/json')) return undefined;
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

/**
 * The screen that a value in an answer stands for; `undefined` when the text or the verb is not what the aggregator
 * knows.
 */
export function readScreen(
  text: unknown,
  verb: unknown,
  goesOn: unknown,
  ends: unknown,
): UssdReply | undefined {
  if (typeof text !== 'string' || (verb !== goesOn && verb !== ends)) return undefined;
  return { kind: verb === goesOn ? 'continue' : 'end', text };
}
