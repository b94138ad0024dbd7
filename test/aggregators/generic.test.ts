import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { parse } from 'yaml';
import type { Dialect } from '../../src/aggregators/dialect.ts';
import { aggregator as generic } from '../../src/aggregators/generic/dialect.ts';
import { genericSettings } from '../../src/aggregators/generic/settings.ts';
import { simulated } from '../../src/aggregators/generic/simulated.ts';
import { loadFixtures } from '../../src/certify/fixture.ts';
import { replayFixture } from '../../src/certify/replay-fixture.ts';
import { loadConfig } from '../../src/gateway/config/load.ts';
import { UserError } from '../../src/shared/errors.ts';
import { type Operator, operators, parseMsisdn } from '../../src/shared/msisdn.ts';
import { aggregatorOf } from '../kit/dialects.ts';
import { temporaryFolder } from '../kit/folder.ts';

/** Shipped aggregators, as a merchant would have written them down from their documents. */
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
      operators: { "62001": mtn, "62002": telecel, "62003": at, "62006": at, "62007": glo }
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

/** Further forms that no shipped aggregator of JSON has. */
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
  'the whole request sent back': `
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
  'an end that is only a text with a word before it': `
    request: { session: sid, number: from, operator: net, input: msg }
    reply: { continue: "{text}", end: "BYE {text}" }`,
};

const settingsOf = (name: string): Record<string, unknown> => parse(described[name] ?? others[name] ?? '');

const known = Object.keys(described).flatMap((name) =>
  loadFixtures(name).map((fixture) => ({ name, ...fixture })),
);

describe('a shipped aggregator that a channel describes', () => {
  test.each(known)('is as the shipped one: $file', ({ name, ...fixture }) => {
    // What it allows is said beside the settings: `textLimit` and its like.
    const { style } = aggregatorOf(name);
    expect(replayFixture({ ...fixture, settings: settingsOf(name) }, { ...generic, style })).toEqual([]);
  });
});

function payer() {
  const msisdn = parseMsisdn('0244123456');
  if (!msisdn) throw new Error('unreadable number');
  return msisdn;
}

function dialOf(settings: Record<string, unknown>, dialled: string, operator: Operator = 'mtn') {
  return { session: 's-1', msisdn: payer(), operator, serviceCode: '*700*45#', dialled, settings };
}

function openGeneric(settings: Record<string, unknown>): Dialect {
  return generic.createDialect({ serviceCode: '*700*45#', operators: new Map(), settings });
}

/** What the gateway reads of a request of the simulated phone. */
function received(dialect: Dialect, { to, body }: { to: string; body: string }) {
  const query = Object.fromEntries(new URLSearchParams(to.replace(/^\?/, '')));
  return dialect.decode({ body, query, path: '' });
}

describe.each([...Object.keys(described), ...Object.keys(others)])(
  'the phone behind a described channel: %s',
  (name) => {
    const settings = settingsOf(name);
    const dialect = openGeneric(settings);
    const cumulative = Boolean((settings.request as { cumulative?: boolean }).cumulative);

    it('asks as the settings say', () => {
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

    it.each(operators)('is on the network of %s', (operator) => {
      const request = simulated.request(dialOf(settings, '*700*45#', operator), []);
      // Codes that the settings do not have are sent as names, which the gateway knows.
      expect(received(dialect, request)).toMatchObject({ request: { operator } });
    });

    it('reads the screens, and nothing that is not as the settings have it', () => {
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
          const { [field]: _, ...less } = JSON.parse(body);
          const spoilt = JSON.stringify({ ...less, [field]: [] });
          expect(simulated.read(contentType, JSON.stringify(less), dial), `without ${field}`).toBeUndefined();
          expect(simulated.read(contentType, spoilt, dial), `with another ${field}`).toBeUndefined();
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

test('the phone does not show a screen whose text is not the same in all of its places', () => {
  const settings = settingsOf('the whole request sent back');
  const dialect = openGeneric(settings);
  const dial = dialOf(settings, '*700*45#');
  const reading = received(dialect, simulated.request(dial, []));
  const { contentType, body } = dialect.encode({ kind: 'continue', text: 'Amount?' }, reading, 0);
  expect(simulated.read(contentType, body, dial)).toEqual({ kind: 'continue', text: 'Amount?' });
  const torn = JSON.stringify({ ...JSON.parse(body), again: 'Number?' });
  expect(simulated.read(contentType, torn, dial)).toBeUndefined();
});

test('the phone leaves with the notice that the settings have, and with none where they have none', () => {
  const leave = (name: string) => {
    const settings = settingsOf(name);
    const notice = simulated.endNotice?.(dialOf(settings, '*700*45#'), ['1']);
    return notice && received(openGeneric(settings), notice);
  };
  expect(leave('africastalking')).toMatchObject({ kind: 'notice', session: 's-1', ending: 'completed' });
  expect(leave('nalo')).toMatchObject({ kind: 'notice', session: 's-1', ending: 'ended' });
  expect(() => leave('arkesel')).toThrow('these settings know no notice');
});

test('a notice may be told by another field than the one that tells the first request', () => {
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

/** What is wrong with the settings, without their place in the file. */
function faultsOf(text: string): string[] {
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
  it('loads, and shows every setting that there is', () => {
    const [channel] = load(example).channels;
    const settings = genericSettings.parse(channel?.settings);
    const { request, reply } = genericSettings.shape;
    const shown = example.match(/^ +#? ?[a-zA-Z]+(?=:)/gm)?.map((key) => key.replace(/[ #]/g, ''));
    for (const key of [...Object.keys(request.shape), ...Object.keys(reply.shape)]) {
      expect(shown).toContain(key);
    }
    expect(genericSettings.parse(settings)).toEqual(settings);
  });

  it('is spoken between the gateway and the phone', () => {
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

const nameExpected = 'expected the name of a field, such as sessionId or payload.input, or a list of up to 8';
const replyExpected = 'expected a text, or a map of texts, numbers, true, false and further maps';
const wrong: [what: string, from: string, to: string, faults: string[]][] = [
  ['an unknown key', 'input: keyed', 'input: keyed\n        pin: "1"', ['request.pin: unknown key']],
  ['no number', '        number: subscriber.number', '       ', [`request.number: ${nameExpected}`]],
  ['a name with a blank', 'input: keyed', 'input: keyed input', [`request.input: ${nameExpected}`]],
  ['a name too deep', 'input: keyed', 'input: a.b.c.d', [`request.input: ${nameExpected}`]],
  ['a name too long', 'input: keyed', `input: ${'x'.repeat(65)}`, [`request.input: ${nameExpected}`]],
  ['a list of no names', 'input: keyed', 'input: []', [`request.input: ${nameExpected}`]],
  [
    'no session, and no number for it',
    '        session: dialogId',
    '       ',
    ['request.session: expected the name of a field, or numberAsSession'],
  ],
  [
    'a number without quotes',
    'is: OPEN',
    'is: 01',
    ['request.first.is: expected true, false, a text in quotes or a list of them'],
  ],
  [
    'two ways of being first',
    '# sameAs: dialled',
    'sameAs: dialled',
    ['request.first: expected either is or sameAs'],
  ],
  [
    'two places of what was dialled along',
    '# suffix: extension',
    'suffix: extension',
    ['request.dialled: expected dialled or suffix, not both'],
  ],
  [
    'a cumulative input beside a first value',
    'cumulative: false',
    'cumulative: true',
    [
      'request.first: expected nothing here: a cumulative input says it',
      'request.dialled: expected nothing here: a cumulative input says it',
    ],
  ],
  [
    'notices that would be every request',
    'others: input',
    'others: ended',
    ['request.ended: expected is, and no others: the first request is told by the same field'],
  ],
  [
    'an ending nobody knows',
    'HANGUP: cancelled',
    'HANGUP: gone',
    [
      'request.ended.is: expected a text in quotes, a list of them, or a map from them to completed, cancelled, timeout, failed, ended',
    ],
  ],
  [
    'an operator nobody knows',
    '"01": mtn',
    '"01": vodafone',
    ['request.operators.01: expected one of mtn, telecel, at, glo, unknown'],
  ],
  ['another method', 'method: POST', 'method: PATCH', ['request.method: expected POST or GET']],
  [
    'a content type that is none',
    'contentType: application/json',
    'contentType: JSON',
    ['reply.contentType: expected a content type, such as application/json'],
  ],
  [
    'a map that is no JSON',
    'contentType: application/json',
    'contentType: text/plain',
    ['reply.contentType: expected JSON for a map'],
  ],
  [
    'a reply without a screen',
    '{ text: "{text}", wait: true }',
    '{ text: "{txt}", wait: true }',
    ['reply.continue: expected {text} in it, where the screen goes'],
  ],
  [
    'replies that are the same',
    'wait: false',
    'wait: true',
    ['reply.end: expected another reply than continue: nothing would end a session'],
  ],
  ['a list in a reply', 'wait: true', 'wait: [true]', [`reply.continue.screen.wait: ${replyExpected}`]],
  [
    'a reply too deep',
    'wait: true',
    'wait: { a: { b: { c: 1 } } }',
    ['reply.continue.screen.wait.a.b: expected at most 4 maps within each other'],
  ],
  [
    'a reply of too many fields',
    'wait: true',
    `wait: { ${Array.from({ length: 29 }, (_, i) => `f${i}: 1`).join(', ')} }`,
    ['reply.continue: expected at most 32 fields'],
  ],
  [
    'a reply whose text is too long',
    'wait: true',
    `wait: ${'x'.repeat(513)}`,
    ['reply.continue.screen.wait: expected at most 512 characters'],
  ],
  [
    'a text beside a map',
    'notice: #',
    'notice: "{dialogId}"\n        ignored: #',
    ['reply.notice: expected a map, as continue is', 'reply.ignored: unknown key'],
  ],
];

test.each(wrong)('the settings refuse %s', (_, from, to, faults) => {
  expect(example).toContain(from);
  expect(faultsOf(example.replace(from, to))).toEqual(faults);
});

test('settings that are not there are refused with what is expected of them', () => {
  const nothing = example.slice(0, example.indexOf('    settings:'));
  expect(faultsOf(nothing)).toEqual([
    'request: expected a map with session, number and input',
    'reply: expected a map with continue and end',
  ]);
  const noScreens = example.slice(0, example.indexOf('        continue:'));
  expect(faultsOf(noScreens)).toEqual([`reply.continue: ${replyExpected}`, `reply.end: ${replyExpected}`]);
});
