import type { RawRequest } from '../aggregators/description/request-fields.ts';
import type { Dial, SimulatedAggregator, WireRequest } from '../aggregators/simulated-aggregator.ts';
import type { UssdChannel } from '../gateway/dialogue/channel.ts';
import { type Exchange, exchange, type HttpDeps } from '../shared/http/exchange.ts';
import type { Ids } from '../shared/ids.ts';
import {
  type AnswerFormat,
  type CertifiedExchange,
  checkAnswer,
  type ExpectedAnswer,
  type Problem,
} from './certification.ts';

/** A channel of a running gateway, as its aggregator reaches it. */
export type CertifiedChannel = {
  readonly title: string;
  readonly aggregator: SimulatedAggregator;
  /** Returns the channel's callback URL with this secret in its path. */
  callback(secret: string): string;
  readonly secret: string;
  /** The format of the channel's answers, from its configuration. */
  readonly channel: Pick<UssdChannel, 'decode' | 'encode' | 'style' | 'replyWithinMs'>;
  readonly dialler: Pick<Dial, 'msisdn' | 'operator' | 'serviceCode' | 'settings'>;
};

export type CertifyChannelDeps = HttpDeps & { ids: Ids };

type Step = {
  name: string;
  dial: Dial;
  request: WireRequest;
  expected: ExpectedAnswer;
  secret?: string;
  /** The name of an earlier step with the same request: both answers must have the same bytes. */
  repeats?: string;
  /** The body exceeds the gateway's limit, so the gateway answers without reading it. */
  isOversize?: true;
};

/** No screen accepts it as a choice, an amount or a number, and no confirm screen accepts it as a confirmation. */
const unexpectedInput = '0';
/** The first choice. A dialled suffix never confirms a payment, and no input follows it. */
const suffix = '1';
/** Above the limit of 64 KiB for request bodies. */
const oversizeBytes = 70 * 1024;
/** Shorter than any valid secret of a channel. */
const wrongSecret = 'wrong-secret';

/**
 * Plays a session to a gateway over HTTP, as the channel's aggregator does: a dial, the same dial again, an unexpected
 * input, an end notice, a late input, a broken request, an oversize body, and a wrong secret.
 *
 * It confirms no payment: every session ends on its first or second screen, so no collection can result. Session ids
 * begin with `certify-`.
 */
export async function certifyChannel(
  deps: CertifyChannelDeps,
  target: CertifiedChannel,
): Promise<CertifiedExchange[]> {
  const exchanges: CertifiedExchange[] = [];
  const answers = new Map<string, Exchange>();
  for (const step of listSteps(target, deps.ids)) {
    const url = `${target.callback(step.secret ?? target.secret)}${step.request.to}`;
    const startedAt = deps.clock.now();
    const answer = await exchange(deps, url, toInit(step.request));
    const ms = deps.clock.now() - startedAt;
    answers.set(step.name, answer);
    const problems = [
      ...checkAnswer(step.expected, getFormat(target, step), answer, ms),
      ...checkRepeat(step.repeats === undefined ? undefined : answers.get(step.repeats), answer),
    ];
    exchanges.push(report(target, step, { answer, ms, problems }));
  }
  return exchanges;
}

function listSteps({ aggregator, dialler }: CertifiedChannel, ids: Ids): Step[] {
  const { serviceCode } = dialler;
  const newDial = (dialled: string): Dial => {
    return { ...dialler, session: ids.next('certify').replace('_', '-'), dialled };
  };
  const dial = newDial(serviceCode);
  const directDial = newDial(`${serviceCode.replace(/#$/, '')}*${suffix}#`);
  const first = { dial, request: aggregator.request(dial, []) };
  const unexpected = { dial, request: aggregator.request(dial, [unexpectedInput]) };
  const hasBody = first.request.method !== 'GET';
  return [
    { ...first, name: 'first dial', expected: 'continue' },
    { ...first, name: 'repeated dial', expected: 'continue', repeats: 'first dial' },
    { ...unexpected, name: 'unexpected input', expected: 'screen' },
    ...endNoticeSteps(aggregator, dial),
    {
      dial: directDial,
      request: aggregator.request(directDial, []),
      name: 'direct-dial string',
      expected: 'screen',
    },
    {
      dial,
      request: breakRequest(first.request),
      name: hasBody ? 'broken body' : 'broken query',
      expected: 'valid',
    },
    ...(hasBody ? [oversizeStep(dial, first.request)] : []),
    { ...first, name: 'wrong secret', expected: 'not_found', secret: wrongSecret },
  ];
}

/** The payer hangs up on the second screen. Then a delayed input of the same session arrives. */
function endNoticeSteps(aggregator: SimulatedAggregator, dial: Dial): Step[] {
  const notice = aggregator.endNotice?.(dial, [unexpectedInput]);
  if (!notice) return [];
  const lateInput = aggregator.request(dial, [unexpectedInput, unexpectedInput]);
  return [
    { dial, request: notice, name: 'end notice', expected: 'acknowledged' },
    { dial, request: lateInput, name: 'input after the end notice', expected: 'end' },
  ];
}

function breakRequest(request: WireRequest): WireRequest {
  return request.method === 'GET' ? { ...request, to: '?%' } : { ...request, body: '{"' };
}

function oversizeStep(dial: Dial, request: WireRequest): Step {
  const body = '0'.repeat(oversizeBytes);
  return { dial, request: { ...request, body }, name: 'oversize body', expected: 'valid', isOversize: true };
}

function toInit({ method, contentType, body }: WireRequest): RequestInit {
  return method === 'GET' ? { method } : { method, headers: { 'content-type': contentType }, body };
}

function getFormat({ title, aggregator, channel }: CertifiedChannel, step: Step): AnswerFormat {
  const { contentType } = channel.encode({ kind: 'end', text: '' }, channel.decode(toRaw(step)), 0);
  const { style, replyWithinMs } = channel;
  const read = (body: string) => aggregator.read(contentType, body, step.dial);
  return { title, contentType, style, replyWithinMs, read };
}

/** Returns the request as the gateway's route passes it to the dialect. */
function toRaw({ request: { to, body }, isOversize }: Step): RawRequest {
  const { pathname, searchParams } = new URL(`http://gateway.test/-${to}`);
  const path = pathname.slice(2).replace(/^\/+|\/+$/g, '');
  return isOversize ? { body: '', query: {}, path } : { body, query: Object.fromEntries(searchParams), path };
}

function checkRepeat(earlier: Exchange | undefined, repeated: Exchange): Problem[] {
  if (!earlier?.ok || !repeated.ok) return [];
  const isSame =
    earlier.status === repeated.status &&
    earlier.contentType === repeated.contentType &&
    earlier.body === repeated.body;
  return isSame ? [] : [{ field: 'body', message: 'expected the bytes of the first answer, got others' }];
}

type StepResult = { answer: Exchange; ms: number; problems: readonly Problem[] };

/** Returns the exchange for the report, without the channel's secret. */
function report(
  target: CertifiedChannel,
  step: Step,
  { answer, ms, problems }: StepResult,
): CertifiedExchange {
  const redact = (text: string) => text.replaceAll(target.secret, '***');
  const { method, to, contentType, body } = step.request;
  const url = new URL(target.callback(step.secret ?? '***'));
  return {
    name: step.name,
    request: {
      method,
      path: redact(`${url.pathname}${to}`),
      contentType: method === 'GET' ? '' : contentType,
      body: method === 'GET' ? '' : shorten(redact(body)),
    },
    ...(answer.ok && {
      answer: {
        status: answer.status,
        contentType: redact(answer.contentType),
        body: shorten(redact(answer.body)),
        ms,
      },
    }),
    problems: problems.map(({ field, message }) => ({ field, message: redact(message) })),
  };
}

const maxReportedLength = 2_000;

function shorten(body: string): string {
  return body.length > maxReportedLength ? `${body.slice(0, 60)}... (${body.length} characters)` : body;
}
