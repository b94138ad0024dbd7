import type { Dial, SimulatedAggregator } from '../aggregators/simulated-aggregator.ts';
import type { Ids } from '../shared/ids.ts';
import type { Msisdn, Operator } from '../shared/msisdn.ts';
import type { UssdReply } from '../shared/ussd.ts';
import { exchange, type HttpDeps } from './exchange.ts';

export type PhoneOptions = HttpDeps & {
  ids: Ids;
  aggregator: SimulatedAggregator;
  /** The gateway's callback URL of the channel, with its secret. */
  url: string;
  msisdn: Msisdn;
  operator: Operator;
  serviceCode: string;
  /** The channel's settings for its aggregator. */
  settings?: Dial['settings'];
};

/**
 * Why no screen came. `bad_screen` is an answer that the aggregator would not show: another status than 200, or
 * not in its shape.
 */
export type PhoneFailure = { ok: false; reason: 'unreachable' | 'timeout' | 'bad_screen'; detail: string };

/** What one press of the call key brings. */
export type PhoneResult = { ok: true; screen: UssdReply } | PhoneFailure;

export type Phone = {
  /** Opens a new session with a dialled code; a session that is open is left behind, as on a real phone. */
  dial(code: string): Promise<PhoneResult>;
  /** Answers the open screen. @throws when no session is open. */
  send(input: string): Promise<PhoneResult>;
  /** The last screen shown. */
  screen(): UssdReply | undefined;
  /** True once a screen has ended the session, or an error has broken it off. */
  ended(): boolean;
};

/** A simulated phone behind a simulated aggregator, on the callback URL of a real gateway. */
export function createPhone(options: PhoneOptions): Phone {
  let session: { dial: Dial; typed: string[] } | undefined;
  let shown: UssdReply | undefined;

  async function hop(dial: Dial, typed: readonly string[]): Promise<PhoneResult> {
    const { method, to, contentType, body } = options.aggregator.request(dial, typed);
    const init = method === 'GET' ? { method } : { method, headers: { 'content-type': contentType }, body };
    const answer = await exchange(options, `${options.url}${to}`, init);
    if (!answer.ok) return answer;
    const screen =
      answer.status === 200 ? options.aggregator.read(answer.contentType, answer.body, dial) : undefined;
    if (!screen) return { ok: false, reason: 'bad_screen', detail: `HTTP ${answer.status}` };
    return { ok: true, screen };
  }

  async function next(dial: Dial, typed: string[]): Promise<PhoneResult> {
    const result = await hop(dial, typed);
    if (result.ok) shown = result.screen;
    session = result.ok && result.screen.kind === 'continue' ? { dial, typed } : undefined;
    return result;
  }

  return {
    dial(code) {
      const { msisdn, operator, serviceCode, settings } = options;
      const session = options.ids.next('ussd');
      return next({ session, msisdn, operator, serviceCode, dialled: code, settings }, []);
    },
    send(input) {
      if (!session) throw new Error('no USSD session is open');
      return next(session.dial, [...session.typed, input]);
    },
    screen: () => shown,
    ended: () => session === undefined,
  };
}
