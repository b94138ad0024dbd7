import type { Dial, SimulatedAggregator } from '../../src/aggregators/simulated-aggregator.ts';
import { type Msisdn, operators } from '../../src/shared/msisdn.ts';
import { createNoise, mutateRequest, type RequestToSend } from '../kit/hostile-request.ts';
import { hostileText } from '../kit/hostile-values.ts';
import { createRandom, type Random } from '../kit/random.ts';

export type FuzzRequest = {
  request: RequestToSend;
  /** The session of the request. */
  dial: Dial;
  /** True for a request that the aggregator could send: the answer must be a screen that it shows. */
  isIntact: boolean;
};

/** Inputs that lead through the shop's menu. */
const paths: readonly (readonly string[])[] = [
  ['1', '20', '1'],
  // A long merchant name divides the confirm screen into pages.
  ['1', '20', '#', '1'],
  ['1', '30', '#', '1'],
  ['3', 'INV-1234', '40', '#', '1'],
  ['1', '1', '7'],
  ['1', '20', '2'],
  ['1', '0', '20.50', '1'],
  ['2', '0201234567', '2', '30', '1'],
  ['2', '12', '0271234567', '3', '5', '1'],
  ['3', 'INV-1234', '40', '1'],
  ['3', 'nothing', 'INV-0007', '40', '2'],
  ['4', '1', '21', '1'],
  ['9', '9', '9'],
];

/** The longest text that a phone can send. Longer ones come from mutations only. */
const maxInput = 182;

const numbers = Array.from({ length: 16 }, (_, n) => `2332${4 + (n % 4)}41234${String(n).padStart(2, '0')}`);

/** A running session of one phone. `at` counts the inputs so far. A payer of a `steady` call types to the end, and no request is mutated. */
type Call = { dial: Dial; path: readonly string[]; at: number; steady: boolean };

export type FuzzChannel = { simulated: SimulatedAggregator; serviceCode: string; settings: Dial['settings'] };

const callsAtOnce = 60;

/**
 * Generates requests of one aggregator without end: intact ones of many sessions at any step, in and out of order, and
 * mutations of them. They depend only on the seed, not on the answers.
 */
export function* fuzzRequests(channel: FuzzChannel, seed: number): Generator<FuzzRequest, never> {
  const random = createRandom(`aggregators ${seed}`);
  let sessions = 0;
  const newCall = (): Call => ({
    dial: newDial(channel, random, sessions++),
    path: random.pick(paths),
    at: 0,
    steady: random.happens(0.3),
  });
  const calls = Array.from({ length: callsAtOnce }, newCall);
  for (;;) {
    const which = random.int(0, calls.length - 1);
    const call = calls[which] as Call;
    const one = nextRequest(channel, random, call, random.pick(calls).dial);
    // Some calls continue after their end: a late request must change nothing.
    if (call.at > call.path.length + 3 || random.happens(0.03)) calls[which] = newCall();
    if (call.steady || random.happens(0.7)) yield one;
    else
      yield {
        ...one,
        request: random.happens(0.05) ? createNoise(random) : mutateRequest(random, one.request),
        isIntact: false,
      };
  }
}

function newDial({ serviceCode, settings }: FuzzChannel, random: Random, n: number): Dial {
  const suffix = random.pick(['', '', '', '*1', '*1*20', '*1*20*1', '*2*0201234567', '*9', '*', '*1**2']);
  return {
    session: random.happens(0.1) ? `${16590115252429751n + BigInt(n)}` : `ussd-${n}`,
    msisdn: random.pick(numbers) as Msisdn,
    operator: random.pick(operators),
    serviceCode,
    dialled: random.happens(0.03) ? '*999*1#' : serviceCode.replace('#', `${suffix}#`),
    settings,
  };
}

/** Session ids that no aggregator is likely to generate. */
const strangeSessions = [
  '',
  ' ',
  'a b',
  'a|b^c',
  'ü',
  'a/b',
  '%2F',
  's'.repeat(128),
  's'.repeat(129),
  '0',
  '1e5',
];

/** Returns the next intact request of a call. `other` is the session of another call. */
function nextRequest({ simulated }: FuzzChannel, random: Random, call: Call, other: Dial): FuzzRequest {
  const { dial, path, at } = call;
  const typed = path.slice(0, at);
  const after = at > path.length ? [...path, ...Array.from({ length: at - path.length }, () => '1')] : typed;
  const ask = (input: readonly string[], as = dial) => ({
    request: simulated.request(as, input),
    dial: as,
    isIntact: true,
  });
  const kind = random.int(0, 99);
  if (call.steady || kind < 50) {
    call.at++;
    return ask(after);
  }
  // Repeats the last request, or an earlier one out of order.
  if (kind < 58) return ask(path.slice(0, Math.max(0, at - 1)));
  if (kind < 63) return ask(path.slice(0, random.int(0, path.length)));
  if (kind < 73) return ask([...typed, hostileText(random).slice(0, maxInput)]);
  if (kind < 77) return ask([]);
  if (kind < 80) return ask(after, { ...dial, session: other.session });
  if (kind < 83) return ask(after, { ...dial, msisdn: other.msisdn });
  if (kind < 87) return ask(after, { ...dial, operator: random.pick(operators) });
  if (kind < 90) {
    const session = random.pick(strangeSessions);
    return { ...ask(after, { ...dial, session }), isIntact: false };
  }
  if (kind < 92) return ask([...typed, '9'.repeat(random.pick([181, 182, 183, 300]))]);
  const notice = simulated.endNotice?.(dial, typed);
  return notice ? { request: notice, dial, isIntact: false } : ask(typed);
}
