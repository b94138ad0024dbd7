import type { UssdChannel } from '../../gateway/dialogue/channel.ts';
import type { Ids } from '../../shared/ids.ts';
import { type Exchange, exchange, type HttpDeps } from '../../simulator/exchange.ts';
import type { RawRequest } from '../dialect.ts';
import type { Dial, Wire, WireRequest } from '../simulated.ts';
import type { Exchanged, Wrong } from './certified.ts';
import { type Expected, judge, type Shape } from './judge.ts';

/** A channel of a gateway that listens, seen from its aggregator. */
export type Line = {
  /** The aggregator, as people call it. */
  readonly title: string;
  readonly wire: Wire;
  /** The channel's callback URL with this secret in its path. */
  callback(secret: string): string;
  readonly secret: string;
  /** How the channel's answers must be written, by its definition. */
  readonly channel: Pick<UssdChannel, 'decode' | 'encode' | 'style' | 'replyWithinMs'>;
  readonly dialler: Pick<Dial, 'msisdn' | 'operator' | 'serviceCode' | 'settings'>;
};

export type LineDeps = HttpDeps & { ids: Ids };

type Step = {
  name: string;
  dial: Dial;
  request: WireRequest;
  expected: Expected;
  secret?: string;
  /** The step that was the same request: its answer must come again. */
  sameAs?: string;
  /** The gateway does not take the body in. */
  unread?: true;
};

/** On no screen a choice, an amount or a number, and never the key that agrees to pay. */
const strayInput = '0';
/** The first choice. What is dialled along is never the key that agrees to pay, and nothing is typed after it. */
const suffix = '1';
/** No request of an aggregator has a tenth of it. */
const oversizeBytes = 70 * 1024;
/** Shorter than the secret of any channel may be. */
const wrongSecret = 'wrong-secret';

/**
 * Plays a session to a gateway over HTTP, as the channel's aggregator would: dials, dials the same again, types
 * what no screen takes, leaves, types on, and sends what is broken, too large, or has a wrong secret.
 *
 * It agrees to nothing: in every session it leaves at the first screen or the one after it, so no collection can come
 * of it. Its session ids begin with `certify-`.
 */
export async function certifyLine(deps: LineDeps, line: Line): Promise<Exchanged[]> {
  const done: Exchanged[] = [];
  const answers = new Map<string, Exchange>();
  for (const step of stepsOf(line, deps.ids)) {
    const url = `${line.callback(step.secret ?? line.secret)}${step.request.to}`;
    const startedAt = deps.clock.now();
    const answer = await exchange(deps, url, initOf(step.request));
    const ms = deps.clock.now() - startedAt;
    answers.set(step.name, answer);
    const wrong = judge(step.expected, shapeOf(line, step), answer, ms);
    wrong.push(...judgeRepeat(step.sameAs === undefined ? undefined : answers.get(step.sameAs), answer));
    done.push(told(line, step, answer, ms, wrong));
  }
  return done;
}

function stepsOf({ wire, dialler }: Line, ids: Ids): Step[] {
  const { serviceCode } = dialler;
  const open = (dialled: string): Dial => {
    return { ...dialler, session: ids.next('certify').replace('_', '-'), dialled };
  };
  const dial = open(serviceCode);
  const along = open(`${serviceCode.replace(/#$/, '')}*${suffix}#`);
  const first = { dial, request: wire.request(dial, []) };
  const stray = { dial, request: wire.request(dial, [strayInput]) };
  const withBody = first.request.method !== 'GET';
  const brokenName = withBody ? 'a broken body' : 'a broken query';
  return [
    { ...first, name: 'first dial', expected: 'open' },
    { ...first, name: 'the same dial again', expected: 'open', sameAs: 'first dial' },
    { ...stray, name: 'an input that no screen takes', expected: 'screen' },
    ...leaving(wire, dial),
    {
      dial: along,
      request: wire.request(along, []),
      name: 'a dial with an answer along',
      expected: 'screen',
    },
    { dial, request: broken(first.request), name: brokenName, expected: 'valid' },
    ...(withBody ? [oversize(dial, first.request)] : []),
    { ...first, name: 'a wrong secret', expected: 'refused', secret: wrongSecret },
  ];
}

/** The payer hangs up on the second screen; then an input comes that was overtaken. */
function leaving(wire: Wire, dial: Dial): Step[] {
  const notice = wire.leave?.(dial, [strayInput]);
  if (!notice) return [];
  const late = wire.request(dial, [strayInput, strayInput]);
  return [
    { dial, request: notice, name: 'the notice that the payer has left', expected: 'noted' },
    { dial, request: late, name: 'an input after that', expected: 'over' },
  ];
}

function broken(request: WireRequest): WireRequest {
  return request.method === 'GET' ? { ...request, to: '?%' } : { ...request, body: '{"' };
}

function oversize(dial: Dial, request: WireRequest): Step {
  const body = '0'.repeat(oversizeBytes);
  return { dial, request: { ...request, body }, name: 'an oversize body', expected: 'valid', unread: true };
}

function initOf({ method, contentType, body }: WireRequest): RequestInit {
  return method === 'GET' ? { method } : { method, headers: { 'content-type': contentType }, body };
}

function shapeOf({ title, wire, channel }: Line, step: Step): Shape {
  const { contentType } = channel.encode({ kind: 'end', text: '' }, channel.decode(rawOf(step)), 0);
  const { style, replyWithinMs } = channel;
  const read = (body: string) => wire.read(contentType, body, step.dial);
  return { title, contentType, style, replyWithinMs, read };
}

/** The request as the gateway's route hands it to the dialect. */
function rawOf({ request: { to, body }, unread }: Step): RawRequest {
  const { pathname, searchParams } = new URL(`http://line.test/-${to}`);
  const path = pathname.slice(2).replace(/^\/+|\/+$/g, '');
  return unread ? { body: '', query: {}, path } : { body, query: Object.fromEntries(searchParams), path };
}

function judgeRepeat(before: Exchange | undefined, now: Exchange): Wrong[] {
  if (!before?.ok || !now.ok) return [];
  const same =
    before.status === now.status && before.contentType === now.contentType && before.body === now.body;
  return same ? [] : [{ field: 'body', message: 'expected the same bytes as before, got others' }];
}

function told(line: Line, step: Step, answer: Exchange, ms: number, wrong: readonly Wrong[]): Exchanged {
  const hide = (text: string) => text.replaceAll(line.secret, '***');
  const { method, to, contentType, body } = step.request;
  const url = new URL(line.callback(step.secret ?? '***'));
  return {
    name: step.name,
    sent: {
      method,
      path: hide(`${url.pathname}${to}`),
      contentType: method === 'GET' ? '' : contentType,
      body: method === 'GET' ? '' : cut(hide(body)),
    },
    ...(answer.ok && {
      answered: {
        status: answer.status,
        contentType: hide(answer.contentType),
        body: cut(hide(answer.body)),
        ms,
      },
    }),
    wrong: wrong.map(({ field, message }) => ({ field, message: hide(message) })),
  };
}

const maxToldLength = 2_000;

function cut(body: string): string {
  return body.length > maxToldLength ? `${body.slice(0, 60)}... (${body.length} characters)` : body;
}
