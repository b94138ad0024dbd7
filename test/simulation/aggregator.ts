import { aggregators, simulatedAggregators } from '../../src/aggregators/registry.ts';
import type { Dial, WireRequest } from '../../src/aggregators/simulated-aggregator.ts';
import type { Config } from '../../src/gateway/config/schema.ts';
import { type Msisdn, operatorByPrefix } from '../../src/shared/msisdn.ts';
import type { UssdReply } from '../../src/shared/ussd.ts';
import { second } from '../kit/clock.ts';
import { createFaults } from './faults.ts';
import type { Host } from './machine.ts';
import type { Part } from './scene.ts';
import type { Screens } from './screens.ts';

export type AggregatorDeps = Part & {
  config: Config;
  machine: Host;
  screens: Screens;
  record(who: string, what: string): void;
};

/** One session between a phone and a merchant's menu. */
export type Call = {
  channel: string;
  session: string;
  /** Sends an input, or dials. Resolves with the next screen, or with `undefined` when no screen arrived. */
  next(input?: string): Promise<UssdReply | undefined>;
  /** Ends the session on the phone. */
  leave(): void;
};

/** Aggregators whose requests may have no session id. The gateway then uses the phone number. */
const mayOmitSession: readonly string[] = ['nalo'];

/** The longest reply deadline of all channels. */
const maxMs = 10 * second;

type Screen = { reply: UssdReply | undefined; raw: string; isLost: boolean; isBroken?: true };

const lostScreen: Screen = { reply: undefined, raw: '', isLost: true };

/** Simulates the aggregators: they carry screens, repeat requests, lose replies and end sessions. */
export function createAggregator({ scheduler, has, config, machine, screens, ...deps }: AggregatorDeps) {
  const { record, violate } = deps;
  const random = deps.random.fork('aggregator');
  const faults = createFaults({ ...deps, has, random });
  const { may, of } = faults;
  /** A copy of a request usually arrives at another gateway, which knows nothing of the screen that the first one sends. */
  const isSeveral = machine.gateways > 1;
  let sessions = 0;
  /** The current session of each phone on each channel, where requests have no session id. */
  const latest = new Map<string, string>();

  function open(channel: string, msisdn: Msisdn): Call {
    const settings = config.channels.find(({ id }) => id === channel);
    const found = simulatedAggregators[settings?.aggregator ?? ''];
    if (!settings || !found) throw new Error(`no channel ${channel}`);
    const simulated = found;
    const { serviceCode } = settings;
    const dialect = aggregators[settings.aggregator];
    const isNumbered = settings.sequenced ?? dialect?.sequenced === true;
    const replyWithinMs = settings.replyWithinMs ?? dialect?.replyWithinMs ?? maxMs;
    const session = `s${++sessions}`;
    const isNumberSession = has('numbers_as_sessions') && mayOmitSession.includes(settings.aggregator);
    if (isNumberSession) {
      deps.count('fault numbers_as_sessions');
      latest.set(`${channel} ${msisdn}`, session);
    }
    /** Without session ids a phone has one session; the next dial ends the previous one. */
    const isEnded = () => isNumberSession && latest.get(`${channel} ${msisdn}`) !== session;
    const dial: Dial = {
      session: isNumberSession ? '' : session,
      msisdn,
      operator: operatorByPrefix(msisdn),
      serviceCode,
      dialled: serviceCode,
      settings: settings.settings,
    };
    const url = `http://gateway.test/ussd/${channel}/${settings.secret}`;
    let typed: readonly string[] = [];
    /**
     * False after two requests were in flight at the same time. Where requests have no sequence numbers, a
     * duplicate could then count as an answer to the next screen (decision 0004), so such duplicates are not sent.
     */
    let inFlight = 0;
    let isOrderly = true;

    /** Sends a request and resolves with the gateway's reply, which may leave slowly. */
    async function ask(
      { method, to, contentType, body }: WireRequest,
      outgoing: ReturnType<Screens['onRequest']>,
    ): Promise<Screen> {
      const since = scheduler.now();
      let isAnswered = false;
      scheduler.after(replyWithinMs + 1, () => {
        if (!isAnswered && !machine.wasDownSince(since))
          violate('I7', `no reply within ${replyWithinMs} ms on ${channel}`);
      });
      const init = method === 'GET' ? { method } : { method, headers: { 'content-type': contentType }, body };
      const answer = await machine.request(`${url}${to}`, init, outgoing);
      isAnswered = true;
      if (!answer) return lostScreen;
      const raw = await answer.text();
      if (answer.status !== 200) violate('I7', `HTTP ${answer.status} on ${channel}: ${raw.slice(0, 100)}`);
      const reply = simulated.read(answer.headers.get('content-type') ?? '', raw, dial);
      outgoing.answer(reply?.kind === 'end');
      if (may('slow_screens', isSeveral ? 0.4 : 0.2))
        await scheduler.sleep(of('slow_screens').pick([1, 3, 8, 12]) * second);
      return { reply, raw, isLost: false };
    }

    /** Sends a request with the aggregator's time limit. The connection is closed at the end. */
    async function post(request: WireRequest): Promise<Screen> {
      const outgoing = screens.onRequest(`${channel} ${dial.session}`);
      const over = new AbortController();
      const answer = await Promise.race([ask(request, outgoing), scheduler.sleep(maxMs, over.signal)]);
      over.abort();
      if (!answer || answer.isLost) outgoing.break();
      else if (outgoing.isEnd && may('broken_ends', 0.4)) {
        outgoing.break();
        return { ...lostScreen, isBroken: true };
      } else outgoing.close();
      return answer ?? lostScreen;
    }

    async function exchange(): Promise<UssdReply | undefined> {
      const request = simulated.request(dial, typed);
      await scheduler.sleep(random.int(20, 200));
      const mayRepeat = isNumbered || !(has('parallel_keys') || isNumberSession);
      const copy =
        mayRepeat && may('repeats', isSeveral ? 0.3 : 0.15)
          ? repeat(request, of('repeats').pick(isSeveral ? [0, 400, 800, 1_200] : [0, 0, 300, 1_200]))
          : undefined;
      const since = scheduler.now();
      let first = await post(request);
      // Without sequence numbers a repeat is recognised for two seconds, and the screen may have taken most of them.
      const isInTime = isNumbered || scheduler.now() - since < 800;
      if (first.isBroken && mayRepeat && isInTime) {
        first = await repeat(
          request,
          of('broken_ends').pick([200, 1_000, ...(isNumbered ? [1_900, 3_000] : [])]),
        );
      }
      const again = await copy;
      // A suspended gateway answers its copy late, while another one has answered the request. For a moment afterwards it takes
      // each request for one that may have waited.
      const isLate = !isNumbered && machine.gateways > 1 && machine.wasDownSince(since - second);
      if (
        isOrderly &&
        !isLate &&
        again &&
        !again.isLost &&
        !first.isLost &&
        again.raw !== first.raw &&
        !isTrouble(first, again)
      )
        violate('I7', `two different replies to one request on ${channel}: ${first.raw} | ${again.raw}`);
      await scheduler.sleep(random.int(20, 200));
      if (may('lost_screens', 0.08)) return undefined;
      return first.reply;
    }

    async function repeat(request: WireRequest, ms: number): Promise<Screen> {
      await scheduler.sleep(ms);
      return post(request);
    }

    return {
      channel,
      session: isNumberSession ? msisdn : session,
      async next(input) {
        if (isEnded()) return undefined;
        if (input !== undefined) typed = [...typed, input];
        inFlight += 1;
        if (inFlight > 1) isOrderly = false;
        const shown = await exchange();
        inFlight -= 1;
        record(dial.msisdn.slice(-3), `${session} ${input ?? 'dials'} -> ${oneLine(shown)}`);
        return shown;
      },
      leave() {
        const notice = simulated.endNotice?.(dial, typed);
        if (notice && !isEnded() && random.happens(0.7)) void post(notice);
      },
    };
  }

  return { open, heal: faults.heal };
}

/** Error screens are not stored, so a repeated request may get another reply. */
function isTrouble(...screens: readonly Screen[]): boolean {
  return screens.some(({ raw }) => /try again|later|slow|Please type it again/i.test(raw));
}

function oneLine(shown: UssdReply | undefined): string {
  return shown ? `${shown.kind === 'end' ? 'END ' : ''}${shown.text.replaceAll('\n', ' / ')}` : 'no reply';
}
