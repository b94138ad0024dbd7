import { simulatedAggregators } from '../../src/aggregators/registry.ts';
import type { Dial, SimulatedAggregator, WireRequest } from '../../src/aggregators/simulated-aggregator.ts';
import { type Operator, operatorByPrefix, parseMsisdn } from '../../src/shared/msisdn.ts';
import type { UssdReply } from '../../src/shared/ussd.ts';
import type { TillPrograms } from './till.ts';

/** A channel of the demo; its id is the name of its aggregator. */
export type ChannelName = string;

/** Two representative channels: the requests of the first identify repeats, those of the second do not. */
export const channelNames = ['africastalking', 'nalo'] as const;

/** An HTTP answer to an aggregator. */
export type RawAnswer = { status: number; contentType: string | null; body: string };

/** One session of an aggregator that can send any request at any time, repeatedly or in parallel. */
export type RawSession = {
  dial: Dial;
  simulated: SimulatedAggregator;
  /** Sends the request that follows all inputs `typed` since the dial. Without inputs, it is the dial. */
  send(typed: readonly string[], bindings?: object): Promise<RawAnswer>;
  /** Sends the end notice. @throws Error for an aggregator that sends none. */
  leave(typed: readonly string[]): Promise<RawAnswer>;
  /** Dials and types the inputs, each after the time to read a screen. Returns every answer, the first one to the dial. */
  walk(inputs: readonly string[]): Promise<RawAnswer[]>;
};

/** Longer than the window in which an equal input is a repeat. */
const readingMs = 2_500;

export type SessionOptions = { session?: string; dialled?: string; operator?: Operator | undefined };

/** Returns the callback URL of a channel with the secret of the configuration. */
export function callbackUrl(till: TillPrograms, channel: ChannelName): string {
  const secret = till.config.channels.find(({ id }) => id === channel)?.secret ?? '';
  return `http://gateway.test/ussd/${channel}/${secret}`;
}

/** Creates a session below a phone, so that a test controls repeats and races request by request. */
export function createSession(
  till: TillPrograms,
  number: string,
  channel: ChannelName,
  options: SessionOptions = {},
): RawSession {
  const msisdn = parseMsisdn(number);
  const settings = till.config.channels.find(({ id }) => id === channel);
  const simulated = simulatedAggregators[settings?.aggregator ?? ''];
  if (!msisdn || !simulated || !settings)
    throw new Error(`cannot open a session for ${number} on the channel ${channel}`);
  const { serviceCode } = settings;
  const dial = {
    session: options.session ?? `${channel}-${number}`,
    msisdn,
    operator: options.operator ?? operatorByPrefix(msisdn),
    serviceCode,
    dialled: options.dialled ?? serviceCode,
    settings: settings.settings,
  };
  const exchange = async ({ method, to, contentType, body }: WireRequest, bindings?: object) => {
    const init = method === 'GET' ? { method } : { method, headers: { 'content-type': contentType }, body };
    const url = `${callbackUrl(till, channel)}${to}`;
    const answer = await (bindings
      ? till.gateway().app.request(url, init, bindings)
      : till.request(url, init));
    return {
      status: answer.status,
      contentType: answer.headers.get('content-type'),
      body: await answer.text(),
    };
  };
  const session: RawSession = {
    dial,
    simulated,
    send: (typed, bindings) => exchange(simulated.request(dial, typed), bindings),
    async leave(typed) {
      const notice = simulated.endNotice?.(dial, typed);
      if (!notice) throw new Error(`${channel} sends no end notice`);
      return exchange(notice);
    },
    async walk(inputs) {
      const answers = [await session.send([])];
      for (let typed = 1; typed <= inputs.length; typed++) {
        await till.clock.advance(readingMs);
        answers.push(await session.send(inputs.slice(0, typed)));
      }
      return answers;
    },
  };
  return session;
}

/** Returns the last answer. @throws Error without answers. */
export function lastOf(answers: readonly RawAnswer[]): RawAnswer {
  const last = answers.at(-1);
  if (!last) throw new Error('no answer');
  return last;
}

/** A phone with one USSD session at a time that can resend every request. */
export type Phone = {
  /** Opens a new session, whether the previous one ended or not. Returns the screen, as all calls below do. */
  dial(...suffix: string[]): Promise<string>;
  /** Types the inputs, each after the time that a person needs to read the screen. */
  type(...inputs: string[]): Promise<string>;
  /** Types an input at once. */
  send(input: string): Promise<string>;
  /** Types the keys of the options with these labels, each after reading. @throws Error when a label is not shown. */
  press(...words: string[]): Promise<string>;
  /** Resends the last request byte for byte. */
  repeat(): Promise<string>;
  leave(): Promise<void>;
  text(): string;
  kind(): UssdReply['kind'];
  /** Returns the key of the option with this label. @throws Error when the label is not shown. */
  keyOf(label: string): string;
};

let sessions = 0;

export type PhoneOptions = { numberIsSession?: boolean; operator?: Operator };

export function createPhone(
  till: TillPrograms,
  number: string,
  channel: ChannelName = 'africastalking',
  options: PhoneOptions = {},
): Phone {
  const serviceCode = till.config.channels.find(({ id }) => id === channel)?.serviceCode ?? '';
  const open = (suffix: readonly string[]) =>
    createSession(till, number, channel, {
      operator: options.operator,
      session: options.numberIsSession ? '' : `session-${++sessions}`,
      dialled: [serviceCode.slice(0, -1), ...suffix].join('*').concat('#'),
    });
  let session = open([]);
  let typed: readonly string[] = [];
  let shown: UssdReply | undefined;

  async function sendTyped(): Promise<string> {
    const { simulated, dial, send } = session;
    const { status, contentType, body } = await send(typed);
    const screen = status === 200 ? simulated.read(contentType ?? '', body, dial) : undefined;
    if (!screen) throw new Error(`no screen: HTTP ${status} ${body}`);
    shown = screen;
    return screen.text;
  }
  const phone: Phone = {
    dial(...suffix) {
      session = open(suffix);
      typed = [];
      return sendTyped();
    },
    async type(...inputs) {
      for (const input of inputs) {
        await till.clock.advance(readingMs);
        await phone.send(input);
      }
      return phone.text();
    },
    send(input) {
      typed = [...typed, input];
      return sendTyped();
    },
    async press(...labels) {
      for (const label of labels) {
        const key = phone.keyOf(label);
        // On channels without sequence numbers, the key that led to this screen may be taken for a repeat.
        if ((await phone.type(key)).startsWith('Please type it again.')) await phone.type(key);
      }
      return phone.text();
    },
    repeat: () => sendTyped(),
    async leave() {
      await session.leave(typed);
    },
    text: () => shown?.text ?? '',
    kind: () => shown?.kind ?? 'end',
    keyOf(label) {
      const found = phone
        .text()
        .split('\n')
        .map((one) => /^(\d+)\. (.*)$/.exec(one))
        .find((match) => match?.[2] === label);
      if (!found?.[1]) throw new Error(`no option "${label}" on the screen: ${phone.text()}`);
      return found[1];
    },
  };
  return phone;
}
