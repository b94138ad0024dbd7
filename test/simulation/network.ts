import type { Answer, Fetch } from '../../src/gateway/collection/calls/client.ts';
import { maxRequestDelayMs } from '../../src/gateway/collection/decide/decision.ts';
import type { Chance } from './chance.ts';
import { openFaults } from './faults.ts';
import type { Feature } from './features.ts';
import type { OracleAnswer } from './oracle/answer.ts';
import type { OracleRequest } from './oracle/oracle.ts';
import type { World } from './world.ts';

export type NetworkDeps = {
  world: World;
  chance: Chance;
  has(feature: Feature): boolean;
  /** Resolves when calls of this kind, or their answers, are not blocked. */
  pass(kind: CallSeen['kind']): Promise<void>;
  /** What the service answers; nothing where nobody does. */
  answer(call: CallSeen): OracleAnswer | Promise<OracleAnswer | undefined>;
  tell(what: string): void;
  /** A fault befell a call. */
  count(fault: string): void;
  /** A call leaves the gateway, before anything can happen to it. */
  onCall(call: CallSeen): void;
  /** A call is over for the gateway: it has an answer, or gave up. `answer` is what it read. */
  onDone(call: CallSeen, answer: OracleAnswer | undefined): void;
};

/** A call as it leaves the gateway. */
export type CallSeen = OracleRequest & { number: number; kind: 'create' | 'initiate' | 'status'; at: number };

const second = 1000;
const minute = 60 * second;

/** What stands between the gateway and the service: it loses, delays, doubles and garbles, as the seed says. */
export function openNetwork(deps: NetworkDeps) {
  const { world, has, tell } = deps;
  const chance = deps.chance.fork('network');
  const faults = openFaults({ chance, has, count: deps.count });
  const { may, of } = faults;
  let calls = 0;
  let outageUntil = 0;

  function planOutage(): void {
    world.after(of('outages').int(30, 600) * minute, () => {
      if (!faults.isOn('outages')) return;
      outageUntil = world.now() + of('outages').pick([30 * second, 5 * minute, 40 * minute, 180 * minute]);
      tell(`the line is down for ${(outageUntil - world.now()) / second} s`);
      planOutage();
    });
  }
  if (has('outages')) planOutage();

  /** Brings the request to the service after a while, and returns what it said. */
  async function carry(call: CallSeen): Promise<OracleAnswer | undefined> {
    await world.sleep(chance.int(5, 300));
    // A request that is late is late by up to the time after which it is taken for lost.
    if (may('slow_network', 0.15)) await world.sleep(of('slow_network').pick([2, 8, 14, 40, 90]) * second);
    await deps.pass(call.kind);
    // None is on its way for longer than the gateway waits before it says that nobody was asked.
    if (world.now() - call.at >= maxRequestDelayMs) return undefined;
    const answer = await deps.answer(call);
    tell(`${name(call)} is ${answer ? `answered ${answer.status}` : 'answered by nobody'}`);
    return answer;
  }

  async function exchange(call: CallSeen): Promise<OracleAnswer | undefined> {
    if (world.now() < outageUntil) {
      faults.note('outages');
      return of('outages').happens(0.5) ? undefined : html(503);
    }
    if (may('throttled', 0.1)) return throttle(of('throttled'));
    if (may('requests_lost', 0.15)) {
      tell(`${name(call)} is lost on its way`);
      return undefined;
    }
    if (may('bad_answers', 0.06)) return garbage(of('bad_answers'));
    if (may('doubled_requests', 0.3))
      world.after(of('doubled_requests').int(100, 60_000), () => void carry(call));
    const answer = await carry(call);
    if (!answer) return undefined;
    await deps.pass(call.kind);
    if (world.now() < outageUntil || may('answers_lost', 0.25)) {
      tell(`the answer to ${name(call)} is lost`);
      return undefined;
    }
    const bad = of('bad_answers');
    if (may('bad_answers', 0.06)) return bad.happens(0.3) ? halfOf(answer) : garbage(bad);
    await world.sleep(chance.int(5, 300));
    // What was asked for is done, and the answer takes its time.
    if (may('slow_answers', 0.15)) await world.sleep(of('slow_answers').pick([2, 8, 11, 20, 60]) * second);
    return answer;
  }

  const fetch: Fetch = (url, { method, headers, body = '', signal }) => {
    const path = new URL(url).pathname;
    const kind = path.endsWith('/initiate') ? 'initiate' : path.endsWith('/status') ? 'status' : 'create';
    const call: CallSeen = { number: ++calls, kind, at: world.now(), method, path, headers, body };
    tell(`${name(call)} leaves`);
    deps.onCall(call);
    return new Promise<Answer>((resolve, reject) => {
      let isDone = false;
      const end = (answer?: OracleAnswer) => {
        if (isDone) return false;
        isDone = true;
        deps.onDone(call, answer);
        return true;
      };
      const giveUp = () => {
        if (end()) reject(signal.reason ?? new Error('aborted'));
      };
      signal.addEventListener('abort', giveUp, { once: true });
      exchange(call).then(
        (answer) => {
          signal.removeEventListener('abort', giveUp);
          if (answer) return end(answer) && resolve(answerOf(answer));
          // A lost packet is silence; a broken line is a reset.
          if (chance.happens(0.5)) {
            if (end()) reject(new Error('ECONNRESET'));
          } else signal.addEventListener('abort', giveUp, { once: true });
          return undefined;
        },
        (fault) => reject(fault),
      );
    });
  };

  return {
    fetch,
    heal(): void {
      faults.heal();
      outageUntil = 0;
    },
  };
}

function name({ number, kind, path }: CallSeen): string {
  const [, id] = /sessions\/([^/]+)\//.exec(path) ?? [];
  return `call ${number} ${kind}${id === undefined ? '' : ` ${id}`}`;
}

function html(status: number): OracleAnswer {
  return { status, headers: { 'content-type': 'text/html' }, body: '<html><h1>Bad gateway</h1></html>' };
}

function garbage(chance: Chance): OracleAnswer {
  return chance.pick([
    html(502),
    html(500),
    html(200),
    { status: 500, headers: {}, body: '{"error":{"code":"internal_error","message":"oops"}}' },
    { status: 504, headers: {}, body: '' },
    { status: 404, headers: {}, body: 'no such page' },
    { status: 200, headers: {}, body: '{"id":"pay_other","status":"paid","terminal":true}' },
  ]);
}

function halfOf(answer: OracleAnswer): OracleAnswer {
  return { ...answer, body: answer.body.slice(0, Math.floor(answer.body.length / 2)) };
}

function throttle(chance: Chance): OracleAnswer {
  const headers: Record<string, string> = chance.happens(0.5)
    ? { 'retry-after': String(chance.int(1, 30)) }
    : {};
  return { status: 429, headers, body: '{"error":{"code":"rate_limited","message":"slower"}}' };
}

function answerOf({ status, headers, body }: OracleAnswer): Answer {
  return {
    ok: status >= 200 && status < 300,
    status,
    headers: { get: (name) => headers[name] ?? null },
    body: (async function* () {
      yield Buffer.from(body);
    })(),
  };
}
