import { callHandler } from '../../../gateway/lookup/call-handler.ts';
import {
  callUrl,
  createLookupTransport,
  type LookupResult,
  resolveAddress,
  toBody,
} from '../../../gateway/lookup/call-url.ts';
import { applyEffectResult } from '../../../menu/effects/apply-result.ts';
import { lookupRequest, lookupUrl, readFields } from '../../../menu/effects/lookup.ts';
import { problemOfAnswer } from '../../../menu/effects/problem.ts';
import { proxyRequest, readProxyAnswer } from '../../../menu/effects/proxy.ts';
import type { MerchantScreen } from '../../../menu/schema.ts';
import type { LookupAnswer, LookupRequest, MenuContext } from '../../../menu/state/state.ts';
import type { Values } from '../../../menu/state/value.ts';
import { type Clock, withTimeout } from '../../../shared/clock.ts';
import type { Ids } from '../../../shared/ids.ts';
import { operatorByPrefix, perOperator } from '../../../shared/msisdn.ts';
import { signRequest } from '../../../shared/standard-webhook.ts';
import { localTimeAt } from '../../../shared/time-text.ts';
import type { Trial } from './options.ts';

/** What was sent, what came of it, and what the payer would see. */
export type Tried = {
  lookup: string;
  /** Absent for a function of a menu in TypeScript, and when a value of the address is unknown. */
  request?: { url: string; headers: Record<string, string>; body: string };
  outcome: LookupResult['outcome'] | 'not_sent';
  /** Milliseconds until the result. */
  ms: number;
  /** The fields of the answer as they arrived. */
  answer?: object;
  /** The values that the menu takes from the answer; absent for a screen. */
  values?: Values;
  /** Why there is no usable answer. */
  problem?: string;
  /** The screen that follows: its name in the menu, and its text. */
  next: { screen: string; text: string };
};

type TryDeps = { clock: Clock; ids: Ids };

/** A channel without a narrow limit, so that the screen is shown whole. */
const screenLimit = 160;

/** Sends the request of a lookup once, as the gateway would, and applies the answer to the dialogue. Never throws. */
export async function tryLookup(deps: TryDeps, trial: Trial): Promise<Tried> {
  const { menu, screen, state, turn, dialler, merchantName } = trial;
  const context: MenuContext = {
    ...{ merchant: merchantName, dialler, operator: operatorByPrefix(dialler), sequenced: true },
    ...{ limit: screenLimit, alphabet: 'gsm', now: deps.clock.now(), shortReference: () => '00000000' },
    localTime: localTimeAt(deps.clock.now(), trial.timeZone),
    ...{ isAttendant: false, blocksRequests: false },
    networks: perOperator((operator) => operator),
    approvals: perOperator(() => ''),
  };
  const request = lookupRequest(state.screen, state, context);
  const turnRequest = proxyRequest(state.screen, state, context, turn);
  const isProxy = screen.kind === 'proxy';
  const path = screen.url === undefined ? undefined : lookupUrl(screen.url, state, context);
  const startedAt = deps.clock.now();
  const sent = await send(deps, trial, isProxy ? turnRequest : request, path);
  const ms = deps.clock.now() - startedAt;
  const { result } = sent;
  const values = result.outcome === 'found' ? findValues(screen, result.fields) : undefined;
  const problem = findProblem(trial, result);
  const answer = toAnswer(result);
  const step = isProxy
    ? applyEffectResult(
        menu,
        { kind: 'proxy', state, request: turnRequest },
        { kind: 'proxy', answer },
        context,
      )
    : applyEffectResult(menu, { kind: 'lookup', state, request }, { kind: 'lookup', answer }, context);
  return {
    lookup: state.screen,
    ...(sent.request && { request: sent.request }),
    ...{ outcome: result.outcome, ms },
    ...(result.outcome === 'found' && { answer: result.fields }),
    ...(values && { values }),
    ...(problem !== undefined && { problem }),
    next: { screen: step.state.screen, text: step.reply.text },
  };
}

type Sent = {
  request?: Tried['request'];
  result: LookupResult | { outcome: 'not_sent'; detail: string };
};

async function send(
  { clock, ids }: TryDeps,
  { lookups, handler, livemode, timeoutMs }: Trial,
  request: LookupRequest,
  path: string | undefined,
): Promise<Sent> {
  const limited = (ask: (signal: AbortSignal) => Promise<LookupResult>) =>
    withTimeout(clock, timeoutMs, ask).catch((): LookupResult => ({ outcome: 'timeout' }));
  if (handler) return { result: await limited((signal) => callHandler(handler, request, signal)) };
  if (path === '') return { result: { outcome: 'not_sent', detail: 'a value of the address is unknown' } };
  const address = lookups && path !== undefined ? resolveAddress(lookups.url, path) : undefined;
  if (!lookups || !address) {
    return { result: { outcome: 'not_sent', detail: 'the address would leave the URL of the lookups' } };
  }
  const transport = createLookupTransport({ livemode });
  const body = toBody(request);
  const headers = signRequest([lookups.secret], { id: ids.next('lkp'), at: clock.now(), body });
  try {
    const signed = { body, signature: headers, allowNetworks: lookups.allowNetworks };
    const call = { fetch: transport.fetch, networkClock: clock };
    const result = await limited((signal) => callUrl(call, address, signed, signal));
    return { request: { url: address.href, headers, body }, result };
  } finally {
    await transport.close();
  }
}

function toAnswer(result: Sent['result']): LookupAnswer {
  if (result.outcome === 'found') return { kind: 'found', fields: result.fields };
  return { kind: result.outcome === 'not_found' ? 'not_found' : 'none' };
}

/** Returns the values that the menu takes; `undefined` for an unusable answer, and for a screen. */
function findValues(screen: MerchantScreen, fields: object): Values | undefined {
  if (screen.kind === 'lookup') {
    const read = readFields(screen.take, fields);
    return read.ok ? read.values : undefined;
  }
  const read = readProxyAnswer(screen, fields);
  return read.ok && read.kind === 'done' ? read.values : undefined;
}

function findProblem({ menu, screen, state }: Trial, result: Sent['result']): string | undefined {
  if (result.outcome === 'found') return problemOfAnswer(menu, state.screen, result.fields);
  if (result.outcome === 'not_found') {
    return screen.kind === 'proxy' ? 'expected a screen, or done: 404 leads to fallback' : undefined;
  }
  return 'detail' in result && result.detail !== undefined ? result.detail : result.outcome;
}
