import { simulatedAggregators } from '../../src/aggregators/registry.ts';
import type { WireRequest } from '../../src/aggregators/simulated-aggregator.ts';
import { operatorByPrefix, parseMsisdn } from '../../src/shared/msisdn.ts';
import type { Till } from './till.ts';

/** A channel of the demo, named as its aggregator. */
export type ChannelName = string;

/** Two channels that stand for all: one that tells repeats by itself, and one that does not. */
export const channelNames = ['africastalking', 'nalo'] as const;

/** An answer as it goes over the wire. */
export type RawAnswer = { status: number; contentType: string | null; body: string };

/** One session of an aggregator that may send any request at any time, twice, or several at once. */
export type RawSession = {
  /** The request that follows everything `typed` since the dial; the dial itself when nothing was. */
  send(typed: readonly string[], bindings?: object): Promise<RawAnswer>;
  /** The notice that the payer has left. Throws where the aggregator sends none. */
  leave(typed: readonly string[]): Promise<RawAnswer>;
};

/** The callback URL of a channel, with its secret, as the configuration has it. */
export function callbackUrl(till: Till, channel: ChannelName): string {
  const secret = till.config.channels.find(({ id }) => id === channel)?.secret ?? '';
  return `http://gateway.test/ussd/${channel}/${secret}`;
}

/** Opens a session below the simulated phone, where repeats and races can be told byte by byte. */
export function rawSession(
  till: Till,
  number: string,
  channel: ChannelName,
  options: { session?: string; dialled?: string } = {},
): RawSession {
  const msisdn = parseMsisdn(number);
  const simulated = simulatedAggregators[channel];
  const settings = till.config.channels.find(({ id }) => id === channel);
  if (!msisdn || !simulated || !settings) throw new Error('no such phone');
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
    send: (typed, bindings) => exchange(simulated.request(dial, typed), bindings),
    async leave(typed) {
      if (!simulated.endNotice) throw new Error(`${channel} sends no end notice`);
      return exchange(simulated.endNotice(dial, typed));
    },
  };
}

/** Types the inputs one after another, each after the screen was read, and returns every answer from the dial on. */
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

/** The last of the answers. Throws when there is none. */
export function lastOf(answers: readonly RawAnswer[]): RawAnswer {
  const last = answers.at(-1);
  if (!last) throw new Error('no answer');
  return last;
}
