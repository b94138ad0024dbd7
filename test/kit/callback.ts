import { simulatedAggregators } from '../../src/aggregators/registry.ts';
import type { Dial, SimulatedAggregator, WireRequest } from '../../src/aggregators/simulated-aggregator.ts';
import { operatorByPrefix, parseMsisdn } from '../../src/shared/msisdn.ts';
import type { Till } from './till.ts';

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
};

/** Returns the callback URL of a channel with the secret of the configuration. */
export function callbackUrl(till: Till, channel: ChannelName): string {
  const secret = till.config.channels.find(({ id }) => id === channel)?.secret ?? '';
  return `http://gateway.test/ussd/${channel}/${secret}`;
}

/** Creates a session below the simulated phone, so that a test controls repeats and races request by request. */
export function rawSession(
  till: Till,
  number: string,
  channel: ChannelName,
  options: { session?: string; dialled?: string } = {},
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
    operator: operatorByPrefix(msisdn),
    serviceCode,
    dialled: options.dialled ?? serviceCode,
    settings: settings.settings,
  };
  const exchange = async ({ method, to, contentType, body }: WireRequest, bindings?: object) => {
    const init = method === 'GET' ? { method } : { method, headers: { 'content-type': contentType }, body };
    const answer = await till.gateway().app.request(`${callbackUrl(till, channel)}${to}`, init, bindings);
    return {
      status: answer.status,
      contentType: answer.headers.get('content-type'),
      body: await answer.text(),
    };
  };
  return {
    dial,
    simulated,
    send: (typed, bindings) => exchange(simulated.request(dial, typed), bindings),
    async leave(typed) {
      const notice = simulated.endNotice?.(dial, typed);
      if (!notice) throw new Error(`${channel} sends no end notice`);
      return exchange(notice);
    },
  };
}

/** Dials and types the inputs, each after the time to read a screen. Returns every answer, the first one to the dial. */
export async function walkSession(
  till: Till,
  session: RawSession,
  inputs: readonly string[],
): Promise<RawAnswer[]> {
  const answers = [await session.send([])];
  for (let typed = 1; typed <= inputs.length; typed++) {
    await till.clock.advance(2_500);
    answers.push(await session.send(inputs.slice(0, typed)));
  }
  return answers;
}

/** Returns the last answer. @throws Error without answers. */
export function lastOf(answers: readonly RawAnswer[]): RawAnswer {
  const last = answers.at(-1);
  if (!last) throw new Error('no answer');
  return last;
}
