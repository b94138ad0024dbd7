import type { Fetch, ServiceAnswer } from '../../src/gateway/collection/calls/client.ts';
import { maxRequestDelayMs } from '../../src/gateway/collection/decide/decision.ts';
import { minute, second } from '../kit/clock.ts';
import type { Random } from '../kit/random.ts';
import { createFaults } from './faults.ts';
import type { OracleAnswer } from './oracle/answer.ts';
import type { OracleRequest } from './oracle/oracle.ts';
import type { Part } from './scene.ts';

export type NetworkDeps = Part & {
  /** Resolves as soon as calls of this kind and their responses are not blocked. */
  pass(kind: CallSeen['kind']): Promise<void>;
  /** Returns the response of the service, or `undefined` when there is none. */
  answer(call: CallSeen): OracleAnswer | Promise<OracleAnswer | undefined>;
  record(what: string): void;
  /** Called when a call leaves the gateway, before any fault. */
  onCall(call: CallSeen): void;
  /** Called when the gateway has a response, or gave up. `answer` is what it received. */
  onDone(call: CallSeen, answer: OracleAnswer | undefined): void;
};

/** A call that left the gateway. */
export type CallSeen = OracleRequest & { number: number; kind: 'create' | 'initiate' | 'status'; at: number };

/** Simulates the network between the gateway and the service: it loses, delays, duplicates and corrupts messages. */
export function createNetwork(deps: NetworkDeps) {
  const { scheduler, has, record } = deps;
  const random = deps.random.fork('network');
  const faults = createFaults({ random, has, count: deps.count });
  const { may, of } = faults;
  let calls = 0;
  let outageUntil = 0;

  function planOutage(): void {
    scheduler.after(of('outages').int(30, 600) * minute, () => {
      if (!faults.isOn('outages')) return;
      outageUntil =
        scheduler.now() + of('outages').pick([30 * second, 5 * minute, 40 * minute, 180 * minute]);
      record(`the network is down for ${(outageUntil - scheduler.now()) / second} s`);
      planOutage();
    });
  }
  if (has('outages')) planOutage();

  /** Delivers the request to the service after a delay and returns its response. */
  async function carry(call: CallSeen): Promise<OracleAnswer | undefined> {
    await scheduler.sleep(random.int(5, 300));
    // A late request is delayed by at most the time after which it counts as lost.
    if (may('slow_network', 0.15))
      await scheduler.sleep(of('slow_network').pick([2, 8, 14, 40, 90]) * second);
    await deps.pass(call.kind);
    // No request arrives later than the time after which the gateway may report that no prompt was sent.
    if (scheduler.now() - call.at >= maxRequestDelayMs) return undefined;
    const answer = await deps.answer(call);
    record(`${name(call)} is ${answer ? `answered ${answer.status}` : 'not answered'}`);
    return answer;
  }

  async function exchange(call: CallSeen): Promise<OracleAnswer | undefined> {
    if (scheduler.now() < outageUntil) {
      faults.note('outages');
      return of('outages').happens(0.5) ? undefined : html(503);
    }
    if (may('rate_limited', 0.1)) return throttle(of('rate_limited'));
    if (may('requests_lost', 0.15)) {
      record(`${name(call)} is lost`);
      return undefined;
    }
    if (may('bad_answers', 0.06)) return garbage(of('bad_answers'));
    if (may('requests_duplicated', 0.3))
      scheduler.after(of('requests_duplicated').int(100, 60_000), () => void carry(call));
    const answer = await carry(call);
    if (!answer) return undefined;
    await deps.pass(call.kind);
    if (scheduler.now() < outageUntil || may('answers_lost', 0.25)) {
      record(`the response to ${name(call)} is lost`);
      return undefined;
    }
    const bad = of('bad_answers');
    if (may('bad_answers', 0.06)) return bad.happens(0.3) ? halfOf(answer) : garbage(bad);
    await scheduler.sleep(random.int(5, 300));
    // The service has done the work; only the response is slow.
    if (may('slow_answers', 0.15))
      await scheduler.sleep(of('slow_answers').pick([2, 8, 11, 20, 60]) * second);
    return answer;
  }

  const fetch: Fetch = (url, { method, headers, body = '', signal }) => {
    const path = new URL(url).pathname;
    const kind = path.endsWith('/initiate') ? 'initiate' : path.endsWith('/status') ? 'status' : 'create';
    const call: CallSeen = { number: ++calls, kind, at: scheduler.now(), method, path, headers, body };
    record(`${name(call)} leaves`);
    deps.onCall(call);
    return new Promise<ServiceAnswer>((resolve, reject) => {
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
          // A lost packet causes silence, a broken connection a reset.
          if (random.happens(0.5)) {
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

function garbage(random: Random): OracleAnswer {
  return random.pick([
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

function throttle(random: Random): OracleAnswer {
  const headers: Record<string, string> = random.happens(0.5)
    ? { 'retry-after': String(random.int(1, 30)) }
    : {};
  return { status: 429, headers, body: '{"error":{"code":"rate_limited","message":"slower"}}' };
}

function answerOf({ status, headers, body }: OracleAnswer): ServiceAnswer {
  return {
    ok: status >= 200 && status < 300,
    status,
    headers: { get: (name) => headers[name] ?? null },
    body: (async function* () {
      yield Buffer.from(body);
    })(),
  };
}
