import { aggregators, simulatedAggregators } from '../../src/aggregators/registry.ts';
import type { Dial, WireRequest } from '../../src/aggregators/simulated-aggregator.ts';
import type { Config } from '../../src/gateway/config/schema.ts';
import { type Msisdn, operatorByPrefix } from '../../src/shared/msisdn.ts';
import type { UssdReply } from '../../src/shared/ussd.ts';
import type { Chance } from './chance.ts';
import { openFaults } from './faults.ts';
import type { Feature } from './features.ts';
import type { Machine } from './machine.ts';
import type { Screens } from './screens.ts';
import type { World } from './world.ts';

export type AggregatorDeps = {
  world: World;
  chance: Chance;
  has(feature: Feature): boolean;
  config: Config;
  machine: Machine;
  screens: Screens;
  tell(who: string, what: string): void;
  count(fault: string): void;
  violate(rule: string, what: string): void;
};

/** One session between a phone and a merchant's menu. */
export type Call = {
  channel: string;
  session: string;
  /** The next screen after one more input, or the first one; nothing when the line broke. */
  next(input?: string): Promise<UssdReply | undefined>;
  /** The payer presses red. */
  leave(): void;
};

const second = 1000;
/** Aggregators that may send no session id: the number stands in for it. */
const mayOmitSession: readonly string[] = ['nalo'];

/** The longest that any of the channels gives a screen. */
const maxMs = 10 * second;

type Screen = { reply: UssdReply | undefined; raw: string; fell: boolean };

const fallen: Screen = { reply: undefined, raw: '', fell: true };

/** The telco's side of the channels: it carries screens, repeats requests, loses answers, and hangs up. */
export function openAggregator({ world, has, config, machine, screens, ...deps }: AggregatorDeps) {
  const { tell, violate } = deps;
  const chance = deps.chance.fork('aggregator');
  const faults = openFaults({ ...deps, has, chance });
  const { may, of } = faults;
  let sessions = 0;
  /** The open session of each number on each channel, where requests have no session id. */
  const latest = new Map<string, string>();

  function open(channel: string, msisdn: Msisdn): Call {
    const settings = config.channels.find(({ id }) => id === channel);
    const found = simulatedAggregators[settings?.aggregator ?? ''];
    if (!settings || !found) throw new Error(`no channel ${channel}`);
    const wire = found;
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
    /** Without session ids a phone has one session: the next dial ends it. */
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
     * Requests under way at once: after that, where requests are not numbered, a copy may be an answer. Such copies are
     * not made, for nobody could count the yes that one of them may become (decision 0004).
     */
    let underWay = 0;
    let isOrderly = true;

    /** What the gateway answers, once it is written; its bytes may take a while to leave. */
    async function ask(
      { method, to, contentType, body }: WireRequest,
      outgoing: ReturnType<Screens['asked']>,
    ): Promise<Screen> {
      const since = world.now();
      let isAnswered = false;
      world.after(replyWithinMs + 1, () => {
        if (!isAnswered && !machine.wasDownSince(since))
          violate('I7', `no screen within ${replyWithinMs} ms on ${channel}`);
      });
      const init = method === 'GET' ? { method } : { method, headers: { 'content-type': contentType }, body };
      const answer = await machine.request(`${url}${to}`, init, outgoing);
      isAnswered = true;
      if (!answer) return fallen;
      const raw = await answer.text();
      if (answer.status !== 200) violate('I7', `HTTP ${answer.status} on ${channel}: ${raw.slice(0, 100)}`);
      const reply = wire.read(answer.headers.get('content-type') ?? '', raw, dial);
      outgoing.isEnd = reply?.kind === 'end';
      if (may('slow_screens', 0.2)) await world.sleep(of('slow_screens').pick([1, 3, 8, 12]) * second);
      return { reply, raw, fell: false };
    }

    /** Sends a request, and reads its answer; whoever hangs up closes the line, and so does whoever has read to the end. */
    async function post(request: WireRequest): Promise<Screen> {
      const outgoing = screens.asked(`${channel} ${dial.session}`);
      const over = new AbortController();
      const answer = await Promise.race([ask(request, outgoing), world.sleep(maxMs, over.signal)]);
      over.abort();
      outgoing.close();
      return answer ?? fallen;
    }

    async function exchange(): Promise<UssdReply | undefined> {
      const request = wire.request(dial, typed);
      await world.sleep(chance.int(20, 200));
      const mayRepeat = isNumbered || !(has('parallel_keys') || isNumberSession);
      const copy =
        mayRepeat && may('repeats', 0.15)
          ? repeat(request, of('repeats').pick([0, 0, 300, 1_200]))
          : undefined;
      const first = await post(request);
      const again = await copy;
      if (
        isOrderly &&
        again &&
        !again.fell &&
        !first.fell &&
        again.raw !== first.raw &&
        !isTrouble(first, again)
      )
        violate('I7', `two answers to one request on ${channel}: ${first.raw} | ${again.raw}`);
      await world.sleep(chance.int(20, 200));
      if (may('lost_screens', 0.08)) return undefined;
      return first.reply;
    }

    async function repeat(request: WireRequest, ms: number): Promise<Screen> {
      await world.sleep(ms);
      return post(request);
    }

    return {
      channel,
      session: isNumberSession ? msisdn : session,
      async next(input) {
        if (isEnded()) return undefined;
        if (input !== undefined) typed = [...typed, input];
        underWay += 1;
        if (underWay > 1) isOrderly = false;
        const shown = await exchange();
        underWay -= 1;
        tell(dial.msisdn.slice(-3), `${session} ${input ?? 'dials'} -> ${oneLine(shown)}`);
        return shown;
      },
      leave() {
        if (wire.endNotice && !isEnded() && chance.happens(0.7)) void post(wire.endNotice(dial, typed));
      },
    };
  }

  return {
    open,
    heal: faults.heal,
  };
}

/** A screen that says that something failed is not kept, and another try may do better. */
function isTrouble(...screens: readonly Screen[]): boolean {
  return screens.some(({ raw }) => /try again|later|slow|Please type it again/i.test(raw));
}

function oneLine(shown: UssdReply | undefined): string {
  return shown ? `${shown.kind === 'end' ? 'END ' : ''}${shown.text.replaceAll('\n', ' / ')}` : 'nothing';
}
