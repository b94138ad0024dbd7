import type { Dial, SimulatedAggregator, WireRequest } from '../aggregators/simulated-aggregator.ts';
import type { EpochMs } from '../shared/clock.ts';
import { type Exchange, exchange, type HttpDeps } from '../shared/http/exchange.ts';
import type { Ids } from '../shared/ids.ts';
import type { Msisdn, Operator } from '../shared/msisdn.ts';
import type { UssdReply } from '../shared/ussd.ts';

/** One request of the aggregator and the gateway's answer, as they are on the wire. */
export type WireExchange = {
  /** When the request began. */
  at: EpochMs;
  ms: number;
  request: WireRequest;
  answer: Exchange;
};

export type PhoneOptions = HttpDeps & {
  ids: Ids;
  aggregator: SimulatedAggregator;
  /** The channel's callback URL at the gateway, including the secret. */
  url: string;
  msisdn: Msisdn;
  operator: Operator;
  serviceCode: string;
  /** The channel's settings for its aggregator. */
  settings?: Dial['settings'];
  /** Called after each exchange with the gateway, before its screen is read. */
  onExchange?(exchange: WireExchange): void;
};

/**
 * The reason for a missing screen. `bad_screen` is an answer that the aggregator would not show: a status other than 200, or
 * another format.
 */
export type PhoneFailure = { ok: false; reason: 'unreachable' | 'timeout' | 'bad_screen'; detail: string };

/** The result of a dial or an input. */
export type PhoneResult = { ok: true; screen: UssdReply } | PhoneFailure;

export type Phone = {
  /** Opens a new session with a dialled code. Like a real phone, it abandons an open session without a notice. */
  dial(code: string): Promise<PhoneResult>;
  /** Sends an input to the open session. @throws Error when no session is open. */
  send(input: string): Promise<PhoneResult>;
  /**
   * Ends the open session. Only aggregators that send end notices report it to the gateway. Does nothing when no session is open.
   *
   * @returns whether an end notice was sent.
   */
  hangUp(): Promise<boolean>;
  /** Returns the last screen. */
  screen(): UssdReply | undefined;
  /** Returns whether no session is open: before the first dial, after an end screen, and after a failure. */
  ended(): boolean;
};

/** Creates a simulated phone that calls a gateway through a simulated aggregator. */
export function createPhone(options: PhoneOptions): Phone {
  let session: { dial: Dial; typed: string[] } | undefined;
  let lastScreen: UssdReply | undefined;

  async function send(request: WireRequest): Promise<Exchange> {
    const { method, to, contentType, body } = request;
    const init = method === 'GET' ? { method } : { method, headers: { 'content-type': contentType }, body };
    const at = options.clock.now();
    const answer = await exchange(options, `${options.url}${to}`, init);
    options.onExchange?.({ at, ms: Math.max(0, options.clock.now() - at), request, answer });
    return answer;
  }

  async function exchangeScreen(dial: Dial, typed: readonly string[]): Promise<PhoneResult> {
    const answer = await send(options.aggregator.request(dial, typed));
    if (!answer.ok) return answer;
    const screen =
      answer.status === 200 ? options.aggregator.read(answer.contentType, answer.body, dial) : undefined;
    if (!screen) return { ok: false, reason: 'bad_screen', detail: `HTTP ${answer.status}` };
    return { ok: true, screen };
  }

  async function next(dial: Dial, typed: string[]): Promise<PhoneResult> {
    const result = await exchangeScreen(dial, typed);
    if (result.ok) lastScreen = result.screen;
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
    async hangUp() {
      const open = session;
      session = undefined;
      const notice = open ? options.aggregator.endNotice?.(open.dial, open.typed) : undefined;
      if (notice) await send(notice);
      return notice !== undefined;
    },
    screen: () => lastScreen,
    ended: () => session === undefined,
  };
}
