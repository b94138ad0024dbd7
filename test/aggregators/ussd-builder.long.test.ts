import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { aggregatorNames, simulatedAggregators } from '../../src/aggregators/registry.ts';
import type { Dial, WireRequest } from '../../src/aggregators/simulated-aggregator.ts';
import { type Msisdn, operators } from '../../src/shared/msisdn.ts';
import type { Entry, UssdReply } from '../../src/shared/ussd.ts';
import UssdMenu from '../../tools/peers/ussd-builder.ts';
import { createDialect, demoChannelOf } from '../kit/dialects.ts';

/*
 * The independent package ussd-builder serves menus behind some of these aggregators. These tests compare its reading of
 * the simulated requests, and its replies, with the dialects of the gateway.
 */

/** The parts of the package's menu that are used here. Its own types lack most providers. */
type Menu = {
  args: { sessionId: string; phoneNumber: string; text: string };
  result: unknown;
  mapArgs(request: Record<string, unknown>): void;
  con(text: string): void;
  end(text: string): void;
};
const Menu = UssdMenu as unknown as new (options: { provider: string }) => Menu;

type Quirks = {
  provider: string;
  /** It identifies a session by the number, because the oldest requests have no session id. */
  numberIsSession?: true;
  /**
   * It ignores the dialled suffix. For Nalo, it uses the dialled string as the service code; for the others, every dial
   * opens the first screen.
   */
  noSuffix?: true;
  /** It removes the service code by its length. The sub-code is not part of that code, so it remains as the first answer. */
  subCodeInSuffix?: true;
  /** It writes the actions of the older API, `Response` and `Release`. */
  olderCase?: true;
  /** It echoes numbers with a plus that it has added. */
  plusInNumber?: readonly string[];
  /** Fields that it fills with values of its own. */
  ownFields?: readonly string[];
};

const quirks: Readonly<Record<string, Quirks>> = {
  africastalking: { provider: 'africasTalking' },
  hubtel: { provider: 'hubtel', subCodeInSuffix: true, olderCase: true },
  emergent: { provider: 'emergent' },
  nalo: { provider: 'nalo', numberIsSession: true, noSuffix: true, plusInNumber: ['MSISDN'] },
  arkesel: { provider: 'arkesel', noSuffix: true, plusInNumber: ['msisdn'] },
  // `option` is the last input that its own menu has accepted. `ussdParameter` is the list of the request; the gateway reads
  // no lists, and sends an empty text.
  southpawsl: { provider: 'southpawsl', noSuffix: true, ownFields: ['option', 'ussdParameter'] },
  // A reply that continues has no `session_id`, because the package reads it from a field that is never set.
  beem: { provider: 'beem', noSuffix: true, plusInNumber: ['msisdn'] },
};

const compared = Object.entries(quirks).map(([name, own]) => ({ name, ...own }));

test('every compared aggregator is built in', () => {
  expect(aggregatorNames).toEqual(expect.arrayContaining(Object.keys(quirks)));
});

/** Parses a body, JSON or a form, like a server in front of the package's menu. */
function parsed({ body }: WireRequest): Record<string, unknown> {
  return body.startsWith('{') ? JSON.parse(body) : Object.fromEntries(new URLSearchParams(body));
}

function textOf(entry: Entry): string {
  if (entry.kind === 'dialled') return entry.suffix.join('*');
  return entry.kind === 'typed' ? entry.input : entry.text;
}

const dials = fc.record({
  session: fc.stringMatching(/^[A-Za-z0-9_-]{1,40}$/),
  msisdn: fc.stringMatching(/^233[25]\d{8}$/) as fc.Arbitrary<Msisdn>,
  operator: fc.constantFrom(...operators),
  suffix: fc.array(fc.stringMatching(/^\d{1,9}$/), { maxLength: 4 }),
});
const inputs = fc.array(fc.stringMatching(/^[A-Za-z0-9.#-]{1,20}$/), { maxLength: 5 });

/** Returns a simulated request and its parsed body. */
function ask(
  name: string,
  from: Omit<Dial, 'serviceCode' | 'dialled'> & { suffix: string[] },
  typed: string[],
) {
  const simulated = simulatedAggregators[name];
  if (!simulated) throw new Error(`no simulated aggregator ${name}`);
  const { serviceCode } = demoChannelOf(name);
  const dialled = `${[serviceCode.replace('#', ''), ...from.suffix].join('*')}#`;
  const request = simulated.request({ ...from, serviceCode, dialled }, typed);
  const reading = createDialect(name, serviceCode).decode({ body: request.body, query: {}, path: '' });
  return { serviceCode, request: parsed(request), reading };
}

/** Returns every value in an answer by its path. A body that is a text has the path ''. A list is one value, its JSON. */
function leaves(value: unknown, path = ''): [string, unknown][] {
  if (Array.isArray(value)) return [[path, JSON.stringify(value)]];
  if (typeof value !== 'object' || value === null) return [[path, value]];
  return Object.entries(value).flatMap(([name, inner]) =>
    leaves(inner, path === '' ? name : `${path}.${name}`),
  );
}

const marker = 'TextOfTheScreen';

/** Returns the path of the text in a reply of the package, the prefix of the text, and all other values. */
function replyOf(provider: string, request: Record<string, unknown>, verb: 'con' | 'end') {
  const menu = new Menu({ provider });
  menu.mapArgs({ ...request });
  menu[verb](marker);
  const all = new Map(leaves(JSON.parse(JSON.stringify(menu.result))));
  const [at, text] = [...all].find(([, value]) => String(value).endsWith(marker)) ?? [];
  if (at === undefined) throw new Error('no text');
  all.delete(at);
  return { at, before: String(text).replace(marker, ''), rest: all };
}

/** Creates a reader of replies from the package's own replies that continue and that end. */
function learn({ provider, olderCase }: Quirks, request: Record<string, unknown>) {
  const goOn = replyOf(provider, request, 'con');
  const end = replyOf(provider, request, 'end');
  expect(goOn.at).toBe(end.at);
  // The value that differs between both is the action. In a body that is a text, it is the prefix.
  const verbs = [...goOn.rest.keys()].filter(
    (path) => end.rest.has(path) && goOn.rest.get(path) !== end.rest.get(path),
  );
  expect(verbs).toHaveLength(goOn.at === '' ? 0 : 1);
  const [verb = ''] = verbs;
  const same = (one: unknown, other: unknown) =>
    one === other || (olderCase === true && String(one).toLowerCase() === String(other).toLowerCase());

  return {
    verb,
    rest: { continue: goOn.rest, end: end.rest },
    read(reply: ReadonlyMap<string, unknown>): UssdReply | undefined {
      const text = reply.get(goOn.at);
      if (typeof text !== 'string') return undefined;
      for (const [kind, { before, rest }] of [['continue', goOn] as const, ['end', end] as const]) {
        const spoken = verb === '' || same(reply.get(verb), rest.get(verb));
        if (spoken && text.startsWith(before)) return { kind, text: text.slice(before.length) };
      }
      return undefined;
    },
  };
}

/** Texts of screens: characters of the GSM alphabet, and characters that are special in JSON and in prefixes. */
const texts = fc.oneof(
  fc.constantFrom(
    'Demo Shop\n1. Pay\n2. Exit',
    'CON ',
    'END of it',
    '"Yes"\\n',
    '{"Type":"release"}',
    '',
    'true',
  ),
  fc.string({ unit: 'grapheme-ascii', maxLength: 182 }),
);

describe.each(compared)('ussd-builder and $name', ({ name, ...own }) => {
  it('reads each request like the gateway', () => {
    fc.assert(
      fc.property(dials, inputs, (from, typed) => {
        const { serviceCode, request, reading } = ask(name, from, typed);
        if (reading.kind !== 'request') throw new Error(`read as ${reading.kind}`);
        const { session, dialler, entry } = reading.request;
        expect(session).toBe(from.session);
        expect(dialler).toBe(from.msisdn);
        const menu = new Menu({ provider: own.provider });
        menu.mapArgs({ ...request });
        const subCode = serviceCode.replace('#', '').split('*').slice(2);
        const opens = entry.kind === 'dialled';
        const text = [...(opens && own.subCodeInSuffix ? subCode : []), textOf(entry)].filter(
          (one) => one !== '',
        );
        expect(menu.args).toMatchObject({
          sessionId: own.numberIsSession ? dialler : session,
          phoneNumber: `+${dialler}`,
          text: opens && own.noSuffix ? '' : text.join('*'),
        });
      }),
    );
  });

  it('reads each reply of the gateway with its kind and text', () => {
    const dialect = createDialect(name, demoChannelOf(name).serviceCode);
    const kinds = fc.constantFrom('continue', 'end');
    fc.assert(
      fc.property(dials, inputs, kinds, texts, (from, typed, kind, text) => {
        const { request, reading } = ask(name, from, typed);
        const learnt = learn(own, request);
        const { body } = dialect.encode({ kind, text }, reading, 0);
        const reply = new Map(leaves(body.startsWith('{') ? JSON.parse(body) : body));
        expect(learnt.read(reply)).toEqual({ kind, text });

        // The reply has every other value of the package's reply, such as the required ids.
        for (const [path, value] of learnt.rest[kind]) {
          if (path === learnt.verb || own.ownFields?.includes(path)) continue;
          const expected = own.plusInNumber?.includes(path) ? String(value).replace('+', '') : value;
          expect(reply.get(path), path).toBe(expected);
        }
      }),
    );
  });
});
