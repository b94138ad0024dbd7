import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { parse } from 'yaml';
import type { Dialect } from '../../src/aggregators/aggregator.ts';
import { generic as entry } from '../../src/aggregators/generic/generic.ts';
import { genericSettings } from '../../src/aggregators/generic/settings.ts';
import { loadFixtures, replayFixture } from '../../src/certify/fixture.ts';
import { loadConfig } from '../../src/gateway/config/load.ts';
import { UserError } from '../../src/shared/errors.ts';
import { type Operator, operators } from '../../src/shared/msisdn.ts';
import { aggregatorOf } from '../kit/dialects.ts';
import { temporaryFolder } from '../kit/folder.ts';
import { msisdnOf } from '../kit/msisdn.ts';

const { aggregator: generic, simulated } = entry;

/** Built-in aggregators, as a merchant would describe them from their documents. */
const described: Record<string, string> = {
  nalo: `
    request:
      session: SESSIONID
      numberAsSession: true
      number: MSISDN
      operator: NETWORK
      input: USERDATA
      first: { field: MSGTYPE, is: true, needsDial: true }
      ended: { field: MSGTYPE, is: "2" }
    reply:
      continue: { USERID: "{USERID}", MSISDN: "{MSISDN}", MSG: "{text}", MSGTYPE: true }
      end: { USERID: "{USERID}", MSISDN: "{MSISDN}", MSG: "{text}", MSGTYPE: false }`,
  africastalking: `
    request:
      session: sessionId
      number: phoneNumber
      operator: networkCode
      operators: { "99999": unknown }
      input: text
      cumulative: true
      ended:
        field: status
        is: { Success: completed, Failed: failed, Incomplete: cancelled }
        others: ended
    reply:
      continue: CON {text}
      end: END {text}`,
  arkesel: `
    request:
      session: sessionID
      number: msisdn
      operator: network
      input: userData
      first: { field: newSession, is: true }
    reply:
      continue:
        sessionID: "{sessionID}"
        userID: "{userID}"
        msisdn: "{msisdn}"
        message: "{text}"
        continueSession: true
      end:
        sessionID: "{sessionID}"
        userID: "{userID}"
        msisdn: "{msisdn}"
        message: "{text}"
        continueSession: false`,
  moolre: `
    request:
      session: sessionid
      ussdRef: sessionid
      number: msisdn
      operator: network
      operators: { "3": mtn, "5": at, "6": telecel }
      input: message
      suffix: data
      first: { field: new, is: true }
    reply:
      continue: { message: "{text}", reply: true }
      end: { message: "{text}", reply: false }`,
  sendexa: `
    request:
      session: [sessionId, data.sessionId]
      number: phone
      operator: network
      input: input
      dialled: [input, serviceCode]
      first: { field: [type, event], is: new }
      ended:
        field: [type, event]
        is: { ussd.session.completed: ended, end: ended, timeout: timeout, cancel: cancelled }
    reply:
      continue: { message: "{text}", shouldClose: false }
      end: { message: "{text}", shouldClose: true }`,
};

/** Further formats, which none of the described aggregators has. */
const others: Record<string, string> = {
  'a query and one line of text': `
    request:
      method: GET
      session: sid
      number: from
      input: msg
      operator: net
      mark: hop
      first: { field: mode, is: [START, BEGIN] }
    reply:
      contentType: text/plain
      continue: "{sid}|GO|{text}|{hop}|{account}"
      end: "{sid}|STOP|{text}|{hop}|{account}"`,
  'an echo of the whole request': `
    request:
      session: sid
      number: payer.number
      operator: net
      input: said
      dialled: code
      first: { field: said, sameAs: code }
    reply:
      echo: true
      continue: { said: "{text}", again: "{text}", on: 1, at: "{at}" }
      end: { said: "{text}", again: "{text}", on: 0, at: "{at}" }`,
  'XML with a field in an attribute': `
    request: { session: sid, number: from, operator: net, input: msg }
    reply:
      contentType: text/xml; charset=utf-8
      continue: <ussd id="{sid}" more="1">{text}</ussd>
      end: <ussd id="{sid}" more="0">{text}</ussd>`,
  'an end reply with a word before the text': `
    request: { session: sid, number: from, operator: net, input: msg }
    reply: { continue: "{text}", end: "BYE {text}" }`,
};

const settingsOf = (name: string): Record<string, unknown> => parse(described[name] ?? others[name] ?? '');

const fixtures = Object.keys(described).flatMap((name) =>
  loadFixtures(name).map((fixture) => ({ name, ...fixture })),
);

describe('a description of a built-in aggregator', () => {
  test.each(fixtures)('behaves like the built-in one: $file', ({ name, ...fixture }) => {
    // Limits such as `textLimit` are settings of the channel.
    const { style } = aggregatorOf(name);
    expect(replayFixture({ ...fixture, settings: settingsOf(name) }, { ...generic, style })).toEqual([]);
  });
});

function payer() {
  return msisdnOf('0244123456');
}

function dialOf(settings: Record<string, unknown>, dialled: string, operator: Operator = 'mtn') {
  return { session: 's-1', msisdn: payer(), operator, serviceCode: '*700*45#', dialled, settings };
}

function openGeneric(settings: Record<string, unknown>): Dialect {
  return generic.createDialect({ serviceCode: '*700*45#', operators: new Map(), settings });
}

/** Returns the gateway's reading of a request of the simulated phone. */
function received(dialect: Dialect, { to, body }: { to: string; body: string }) {
  const query = Object.fromEntries(new URLSearchParams(to.replace(/^\?/, '')));
  return dialect.decode({ body, query, path: '' });
}

const fieldsOf = ({ body }: { body: string }) => JSON.parse(body);
const usual = { session: 'sid', number: 'from', input: 'in' };
const withRequest = (request: object, reply: object = { continue: 'CON {text}', end: 'END {text}' }) => ({
  request: { ...usual, ...request },
  reply,
});

/** Keys of the settings, and the fields beside the session and the number in a first request, and in the fourth one. */
test.each<[request: object, first: object, later: object]>([
  [{}, { in: '*700*45*5*20#' }, { in: '7' }],
  [
    { operator: 'net', operators: { A: 'at', M: 'mtn' } },
    { net: 'M', in: '*700*45*5*20#' },
    { net: 'M', in: '7' },
  ],
  [{ cumulative: true }, { in: '5*20' }, { in: '5*20*1*2*7' }],
  [{ dialled: 'code' }, { in: '', code: '*700*45*5*20#' }, { in: '7', code: '*700*45*5*20#' }],
  [{ dialled: ['IN', 'code'] }, { in: '', code: '*700*45*5*20#' }, { in: '7', code: '*700*45*5*20#' }],
  [{ suffix: 'ext' }, { in: '', ext: '5*20' }, { in: '7', ext: '' }],
  [
    { first: { field: 'in', sameAs: 'code' }, dialled: 'code' },
    { in: '*700*45*5*20#', code: '*700*45*5*20#' },
    { in: '7', code: '*700*45*5*20#' },
  ],
  [{ first: { field: 'new', is: false } }, { in: '*700*45*5*20#', new: false }, { in: '7', new: true }],
  [
    { first: { field: 'mode', is: ['START', 'BEGIN'] } },
    { in: '*700*45*5*20#', mode: 'START' },
    { in: '7', mode: 'not-START' },
  ],
  [
    { mark: 'hop', ussdRef: ['sid', 'ref'] },
    { in: '*700*45*5*20#', hop: '1', ref: 's-1' },
    { in: '7', hop: '4', ref: 's-1' },
  ],
])('with %j the phone sends %j, and later %j', (request, first, later) => {
  const dial = dialOf(withRequest(request), '*700*45*5*20#');
  const same = { sid: 's-1', from: '233244123456' };
  expect(fieldsOf(simulated.request(dial, []))).toEqual({ ...same, ...first });
  expect(fieldsOf(simulated.request(dial, ['1', '2', '7']))).toEqual({ ...same, ...later });
});

describe('the phone on a described channel', () => {
  it('sends a query where the settings have GET', () => {
    expect(simulated.request(dialOf(withRequest({ method: 'GET' }), '*700*45#'), [])).toEqual({
      method: 'GET',
      to: '?sid=s-1&from=233244123456&in=*700*45%23',
      contentType: '',
      body: '',
    });
  });

  it('sends no session and no suffix where there is none', () => {
    const settings = withRequest({ session: undefined, numberAsSession: true, cumulative: true });
    const request = simulated.request(dialOf(settings, '*701*45*5#'), []);
    expect(fieldsOf(request)).toEqual({ from: '233244123456', in: '' });
    expect(received(openGeneric(settings), request)).toMatchObject({ request: { session: '233244123456' } });
  });

  it('sends the fields that only a reply names', () => {
    const reply = { continue: '{sid} {account} {at} {text}', end: '{account} {ref.no} {text}' };
    expect(fieldsOf(simulated.request(dialOf(withRequest({}, reply), '*700*45#'), []))).toEqual({
      ...{ sid: 's-1', from: '233244123456', in: '*700*45#' },
      ...{ account: 'DIALTILL', ref: { no: 'DIALTILL' } },
    });
  });

  it('sends a notice by the first field, also one without a value', () => {
    const dial = dialOf(withRequest({ ended: { field: ['gone', 'over'] } }), '*700*45#');
    expect(simulated.endNotice?.(dial, [])?.body).toContain('"gone":"ended"}');
  });

  it.each([[], ['7'], ['1', '7']])(
    'reads replies that repeat what each request has, after %j',
    (...typed) => {
      const more = { dialled: 'code', mark: 'hop', first: { field: 'new', is: true } };
      const repeated = { last: '{in}', hop: '{hop}', new: '{new}', text: '{text}' };
      const reply = { continue: { ...repeated, on: 1 }, end: { ...repeated, on: 0 } };
      const dial = dialOf(withRequest(more, reply), '*700*45#');
      const dialect = openGeneric(dial.settings);
      const reading = received(dialect, simulated.request(dial, typed));
      const { contentType, body } = dialect.encode({ kind: 'end', text: 'A\r\nB' }, reading, 0);
      expect(simulated.read(contentType, body, dial)).toEqual({ kind: 'end', text: 'A\nB' });
    },
  );
});

describe.each([...Object.keys(described), ...Object.keys(others)])(
  'the simulated phone on a described channel: %s',
  (name) => {
    const settings = settingsOf(name);
    const dialect = openGeneric(settings);
    const cumulative = Boolean((settings.request as { cumulative?: boolean }).cumulative);

    it('sends requests that match the settings', () => {
      const dial = dialOf(settings, '*700*45*5*20#');
      const first = received(dialect, simulated.request(dial, []));
      const entry = cumulative
        ? { kind: 'cumulative', text: '5*20' }
        : { kind: 'dialled', suffix: ['5', '20'] };
      expect(first).toMatchObject({
        kind: 'request',
        request: { session: 's-1', dialler: '233244123456', entry },
      });
      const later = received(dialect, simulated.request(dial, ['1', '7']));
      const typed = cumulative ? { kind: 'cumulative', text: '5*20*1*7' } : { kind: 'typed', input: '7' };
      expect(later).toMatchObject({ kind: 'request', request: { session: 's-1', entry: typed } });
    });

    it.each(operators)('sends the network of %s', (operator) => {
      const request = simulated.request(dialOf(settings, '*700*45#', operator), []);
      // An operator without a code in the settings is sent by its name.
      expect(received(dialect, request)).toMatchObject({ request: { operator } });
    });

    it('reads replies that match the settings, and no others', () => {
      const dial = dialOf(settings, '*700*45#');
      const reading = received(dialect, simulated.request(dial, []));
      const text = 'Pay (GHS 20.00)?\n1. Yes $1';
      for (const kind of ['continue', 'end'] as const) {
        const { contentType, body } = dialect.encode({ kind, text }, reading, 1_700_000_000_000);
        expect(simulated.read(contentType, body, dial)).toEqual({ kind, text });
        expect(simulated.read('text/html', body, dial)).toBeUndefined();
        if (!body.startsWith('{')) continue;
        expect(simulated.read(contentType, body.slice(1), dial)).toBeUndefined();
        for (const field of Object.keys(JSON.parse(body))) {
          const { [field]: _, ...rest } = JSON.parse(body);
          const altered = JSON.stringify({ ...rest, [field]: [] });
          expect(simulated.read(contentType, JSON.stringify(rest), dial), `without ${field}`).toBeUndefined();
          expect(simulated.read(contentType, altered, dial), `with another ${field}`).toBeUndefined();
        }
      }
    });
  },
);

test('the phone does not show the screen of another session or number', () => {
  const settings = settingsOf('arkesel');
  const dialect = openGeneric(settings);
  const dial = dialOf(settings, '*700*45#');
  const reading = received(dialect, simulated.request({ ...dial, session: 's-2' }, []));
  const { contentType, body } = dialect.encode({ kind: 'end', text: 'Bye' }, reading, 0);
  expect(simulated.read(contentType, body, { ...dial, session: 's-2' })).toEqual({
    kind: 'end',
    text: 'Bye',
  });
  expect(simulated.read(contentType, body, dial)).toBeUndefined();
});

test('the phone does not show a screen whose texts differ', () => {
  const settings = settingsOf('an echo of the whole request');
  const dialect = openGeneric(settings);
  const dial = dialOf(settings, '*700*45#');
  const reading = received(dialect, simulated.request(dial, []));
  const { contentType, body } = dialect.encode({ kind: 'continue', text: 'Amount?' }, reading, 0);
  expect(simulated.read(contentType, body, dial)).toEqual({ kind: 'continue', text: 'Amount?' });
  const altered = JSON.stringify({ ...JSON.parse(body), again: 'Number?' });
  expect(simulated.read(contentType, altered, dial)).toBeUndefined();
});

test('the invented aggregator of the demo is that of the fixtures', () => {
  const dial = loadFixtures('generic').find(({ file }) => file === 'generic/dial.json');
  expect(entry.demoSettings).toEqual(dial?.settings);
});

test('the phone sends the end notice of the settings, and none if they define none', () => {
  const endNotice = (name: string) => {
    const settings = settingsOf(name);
    const notice = simulated.endNotice?.(dialOf(settings, '*700*45#'), ['1']);
    return notice && received(openGeneric(settings), notice);
  };
  expect(endNotice('africastalking')).toMatchObject({ kind: 'notice', session: 's-1', ending: 'completed' });
  expect(endNotice('nalo')).toMatchObject({ kind: 'notice', session: 's-1', ending: 'ended' });
  expect(endNotice('arkesel')).toBeUndefined();
});

describe('an XML reply', () => {
  const settings = settingsOf('XML with a field in an attribute');
  const dialect = openGeneric(settings);

  it('escapes the screen and the fields that it repeats, so that neither adds an element', () => {
    const dial = { ...dialOf(settings, '*700*45#'), session: `s"/><more>'&` };
    const reading = received(dialect, simulated.request(dial, []));
    const text = 'Kofi & Sons <b>\n1. "Pay"\u0000';
    const { body, contentType } = dialect.encode({ kind: 'continue', text }, reading, 0);
    expect(body).toBe(
      '<ussd id="s&quot;/&gt;&lt;more&gt;&apos;&amp;" more="1">Kofi &amp; Sons &lt;b&gt;\n1. &quot;Pay&quot;</ussd>',
    );
    expect(simulated.read(contentType, body, dial)).toEqual({
      kind: 'continue',
      text: 'Kofi & Sons <b>\n1. "Pay"',
    });
  });

  it('leaves plain text and JSON as they are', () => {
    const plain = openGeneric(settingsOf('an end reply with a word before the text'));
    const reading = received(plain, simulated.request(dialOf(settings, '*700*45#'), []));
    expect(plain.encode({ kind: 'end', text: 'A & B' }, reading, 0).body).toBe('BYE A & B');
  });
});

test('the field of a notice can differ from the field that marks the first request', () => {
  const dialect = openGeneric(
    parse(`
      request:
        session: sid
        number: from
        input: msg
        first: { field: new, is: true }
        ended: { field: state, is: [gone] }
      reply: { continue: "CON {text}", end: "END {text}" }`),
  );
  const read = (more: object) =>
    dialect.decode({
      body: JSON.stringify({ sid: 's-1', from: '0244123456', msg: '1', ...more }),
      query: {},
      path: '',
    });
  expect(read({ new: true, state: 'Gone' })).toMatchObject({ kind: 'notice', ending: 'ended' });
  expect(read({ new: true, state: 'open' })).toMatchObject({ request: { entry: { kind: 'dialled' } } });
  expect(read({ new: false, state: 'open' })).toMatchObject({ request: { entry: { kind: 'typed' } } });
});

const example = readFileSync('fixtures/channels/generic.yaml', 'utf8');
const head = `environment: test
database: { file: till.db }
service: { url: http://127.0.0.1:9000 }
merchants:
  - id: demo
    name: Demo Shop
    key: sk_test_0123456789
    webhookSecrets: [whsec_0123456789abcdefghij]
    menu: ${resolve('fixtures/menus/shop.yaml')}
`;

function load(text: string) {
  const file = join(temporaryFolder(), 'dialtill.yaml');
  writeFileSync(file, head + text);
  return loadConfig(file, { ACME_SECRET: 'acme_0123456789abcdefghij' }, { generic });
}

/** Returns the errors of the settings, without their place in the file. */
function errorsOf(text: string): string[] {
  try {
    load(text);
    return [];
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    const [, ...lines] = error.message.split('\n');
    return lines.map((line) => line.replace(/^\S+:\d+ channels\[0\]\.settings\.?/, ''));
  }
}

describe('the example of a described channel', () => {
  it('loads, and contains every setting', () => {
    const [channel] = load(example).channels;
    const settings = genericSettings.parse(channel?.settings);
    const { request, reply } = genericSettings.shape;
    const shown = example.match(/^ +#? ?[a-zA-Z]+(?=:)/gm)?.map((key) => key.replace(/[ #]/g, ''));
    for (const key of [...Object.keys(request.shape), ...Object.keys(reply.shape)]) {
      expect(shown).toContain(key);
    }
    expect(genericSettings.parse(settings)).toEqual(settings);
  });

  it('is understood by the gateway and by the phone', () => {
    const settings = load(example).channels[0]?.settings ?? {};
    const dialect = openGeneric(settings);
    const dial = dialOf(settings, '*700*45*5#', 'at');
    const reading = received(dialect, simulated.request(dial, []));
    expect(reading).toMatchObject({
      kind: 'request',
      request: {
        operator: 'at',
        entry: { kind: 'dialled', suffix: ['5'] },
        mark: '1',
        ussdRef: 's-1',
      },
    });
    const { contentType, body } = dialect.encode({ kind: 'continue', text: 'Amount?' }, reading, 0);
    expect(JSON.parse(body)).toEqual({
      dialogId: 's-1',
      hop: '1',
      screen: { text: 'Amount?', wait: true },
    });
    expect(simulated.read(contentType, body, dial)).toEqual({ kind: 'continue', text: 'Amount?' });
  });
});

/** Errors of the schema, with their paths in the file: `settings.test.ts` has the others. */
const invalid: [setting: string, from: string, to: string, errors: string[]][] = [
  ['an unknown key', 'input: keyed', 'input: keyed\n        pin: "1"', ['request.pin: unknown key']],
  [
    'a number without quotes',
    'is: OPEN',
    'is: 01',
    ['request.first.is: expected true, false, a text in quotes or a list of them'],
  ],
  [
    'a list in a reply',
    'wait: true',
    'wait: [true]',
    ['reply.continue.screen.wait: expected a text, or a map of texts, numbers, true, false and further maps'],
  ],
  [
    'a text next to a map',
    'notice: #',
    'notice: "{dialogId}"\n        ignored: #',
    ['reply.notice: expected a map, like continue', 'reply.ignored: unknown key'],
  ],
];

test.each(invalid)('the settings reject %s', (_, from, to, errors) => {
  expect(example).toContain(from);
  expect(errorsOf(example.replace(from, to))).toEqual(errors);
});

test('missing settings are reported with the expected value', () => {
  const withoutSettings = example.slice(0, example.indexOf('    settings:'));
  expect(errorsOf(withoutSettings)).toEqual([
    'request: expected a map with session, number and input',
    'reply: expected a map with continue and end',
  ]);
});
