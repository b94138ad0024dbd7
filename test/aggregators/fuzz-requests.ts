import type { Dial, SimulatedAggregator, WireRequest } from '../../src/aggregators/simulated-aggregator.ts';
import { type Msisdn, operators } from '../../src/shared/msisdn.ts';
import { type Chance, chance } from './chance.ts';
import { mutated, noise } from './fuzz-mutations.ts';

/** A request on its way: `body` may be bytes that are no text. */
export type Sent = Omit<WireRequest, 'body'> & { body: string | Uint8Array<ArrayBuffer> };

export type FuzzRequest = {
  request: Sent;
  /** The session that it is of, as its aggregator knows it. */
  dial: Dial;
  /** As the aggregator would send it and show its answer: a screen must come back. */
  whole: boolean;
};

/** What may be dialled and typed on the shop's menu to get somewhere. */
const paths: readonly (readonly string[])[] = [
  ['1', '20', '1'],
  ['1', '1', '7'],
  ['1', '20', '2'],
  ['1', '0', '20.50', '1'],
  ['2', '0201234567', '30', '1'],
  ['2', '12', '0271234567', '5', '1'],
  ['3', 'INV-1234', '40', '1'],
  ['3', 'nothing', 'INV-0007', '40', '2'],
  ['4', '1', '21', '1'],
  ['9', '9', '9'],
];

/** What nobody would type on a menu, and some could. */
const strays = [
  '',
  '0',
  '*',
  '#',
  '1*2',
  '99',
  '#0',
  ' 1 ',
  '\n',
  '"',
  '{',
  '%',
  '%31',
  '&=+',
  '|',
  '^',
  '\\',
];
const wilder = [
  '\u{1F600}',
  'Ɔdɔ',
  '１',
  '\0',
  '\ud800',
  '*713*5#',
  'null',
  'true',
  '-1',
  '1e9',
  'x'.repeat(182),
];

const numbers = Array.from({ length: 16 }, (_, n) => `2332${4 + (n % 4)}41234${String(n).padStart(2, '0')}`);

/** One phone's session in the middle of things. */
type Call = { dial: Dial; path: readonly string[]; at: number };

export type FuzzLine = { wire: SimulatedAggregator; serviceCode: string; settings: Dial['settings'] };

const callsAtOnce = 60;

/**
 * Requests of one aggregator without end: whole ones of many sessions at any step, in and out of order, and broken
 * ones made of them. Which ones depends on the seed alone, not on the answers.
 */
export function* fuzzRequests(line: FuzzLine, seed: number): Generator<FuzzRequest, never> {
  const luck = chance(seed);
  let sessions = 0;
  const open = (): Call => ({ dial: newDial(line, luck, sessions++), path: luck.pick(paths), at: 0 });
  const calls = Array.from({ length: callsAtOnce }, open);
  for (;;) {
    const which = luck.below(calls.length);
    const call = calls[which] as Call;
    const one = next(line, luck, call, luck.pick(calls).dial);
    // Some go on after their end: what comes late must change nothing.
    if (call.at > call.path.length + 3 || luck.in100(3)) calls[which] = open();
    if (luck.in100(70)) yield one;
    else yield { ...one, request: luck.in100(5) ? noise(luck) : mutated(luck, one.request), whole: false };
  }
}

function newDial({ serviceCode, settings }: FuzzLine, luck: Chance, n: number): Dial {
  const suffix = luck.pick(['', '', '', '*1', '*1*20', '*1*20*1', '*2*0201234567', '*9', '*', '*1**2']);
  return {
    session: luck.in100(10) ? `${16590115252429751n + BigInt(n)}` : `ussd-${n}`,
    msisdn: luck.pick(numbers) as Msisdn,
    operator: luck.pick(operators),
    serviceCode,
    dialled: luck.in100(3) ? '*999*1#' : serviceCode.replace('#', `${suffix}#`),
    settings,
  };
}

/** Session ids that an aggregator would hardly make. */
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

/** The next request of a call, whole; `other` is another call's session. */
function next({ wire }: FuzzLine, luck: Chance, call: Call, other: Dial): FuzzRequest {
  const { dial, path, at } = call;
  const typed = path.slice(0, at);
  const after = at > path.length ? [...path, ...Array.from({ length: at - path.length }, () => '1')] : typed;
  const ask = (input: readonly string[], as = dial) => ({
    request: wire.request(as, input),
    dial: as,
    whole: true,
  });
  const kind = luck.below(100);
  if (kind < 50) {
    call.at++;
    return ask(after);
  }
  // The last one again, and those before it out of their order.
  if (kind < 58) return ask(path.slice(0, Math.max(0, at - 1)));
  if (kind < 63) return ask(path.slice(0, luck.below(path.length + 1)));
  if (kind < 73) return ask([...typed, luck.pick(luck.in100(50) ? strays : wilder)]);
  if (kind < 77) return ask([]);
  if (kind < 80) return ask(after, { ...dial, session: other.session });
  if (kind < 83) return ask(after, { ...dial, msisdn: other.msisdn });
  if (kind < 87) return ask(after, { ...dial, operator: luck.pick(operators) });
  if (kind < 90) {
    const session = luck.pick(strangeSessions);
    return { ...ask(after, { ...dial, session }), whole: false };
  }
  if (kind < 92) return ask([...typed, '9'.repeat(luck.pick([181, 182, 183, 300]))]);
  const notice = wire.endNotice?.(dial, typed);
  return notice ? { request: notice, dial, whole: false } : ask(typed);
}
