import { describe, expect, test } from 'vitest';
import { signPayload } from '../../src/service/webhook/attempt.ts';
import { createLog } from '../../src/shared/log.ts';
import { findLeaks } from '../kit/leaks.ts';
import { createSilentLog } from '../kit/log.ts';
import { callbackUrl } from '../kit/phone.ts';
import { createTill, failedEvent, paidEvent, type Till, webhookSecret } from '../kit/till.ts';
import { takeLeaks } from '../kit/watch-log.ts';

/*
 * Text of a caller never ends a log line, forges one, or controls a terminal that shows it.
 */

const forgedMessage = 'forged by a caller';

/** Ends the line, adds one, and continues with sequences that clear a terminal and set its title. */
const hostile = `x\r\n{"level":"fatal","msg":"${forgedMessage}"}\r\n\u001b[2J\u001b]0;title\u0007\u0000\u009b1m\u2028y`;

/** The part that a header can carry. */
const hostileHeader = 'x\u001b[2J\u0007';

/** Returns the characters that end a line or that a terminal obeys, except the end of each line. */
function controlsOf(text: string): string[] {
  return [...text].filter((character) => /[\p{Cc}\p{Zl}\p{Zp}]/u.test(character) && character !== '\n');
}

function expectWholeLines(till: Till): Record<string, unknown>[] {
  const text = till.logged();
  expect(controlsOf(text)).toEqual([]);
  const lines = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  for (const line of lines)
    expect(line).toMatchObject({
      level: expect.stringMatching(/^(trace|debug|info|warn|error|fatal)$/),
      msg: expect.any(String),
    });
  expect(lines.map(({ msg }) => msg)).not.toContain(forgedMessage);
  return lines;
}

/** Names of fields in the requests of aggregators. */
const fieldNames = [
  ...'sessionId SessionId session_id sessionID sessionid USERID MSISDN msisdn phoneNumber'.split(' '),
  ...'Mobile mobile userID USERDATA text Message message ussdString msg data input'.split(' '),
  ...'networkCode Operator NETWORK network serviceCode ServiceCode shortcode Type type'.split(' '),
  ...['MSGTYPE', 'newSession', 'Sequence', 'status', 'errorMessage', 'hops', 'trafficId', 'reference'],
];

test('fields of every aggregator, in every encoding, stay within their log line', async () => {
  const till = await createTill();
  const before = till.logged().length;
  const hostileFields = Object.fromEntries(fieldNames.map((name) => [name, hostile]));
  for (const { id } of till.config.channels) {
    const url = callbackUrl(till, id);
    const query = new URLSearchParams(hostileFields);
    const requests: [url: string, init: RequestInit][] = [
      [url, { method: 'POST', body: query }],
      [`${url}?${query}`, { method: 'GET' }],
      [`${url}/${encodeURIComponent(hostile)}`, { method: 'PUT', body: hostile }],
      [
        url,
        {
          method: 'POST',
          headers: { 'content-type': 'application/json', 'user-agent': hostileHeader },
          body: JSON.stringify(hostileFields),
        },
      ],
    ];
    for (const [to, init] of requests) {
      expect((await till.gateway().app.request(to, init)).status).toBe(200);
    }
    await till.clock.advance(2_500);
    const session = till.session('0244123456', id, { session: hostile });
    await session.send([]);
    await till.clock.advance(2_500);
    await session.send([hostile]);
  }
  expect(till.logged().length).toBeGreaterThan(before);
  expect(expectWholeLines(till).length).toBeGreaterThan(till.config.channels.length);
});

test('paths and headers of strangers stay within their log line', async () => {
  const till = await createTill();
  const encoded = encodeURIComponent(hostile);
  const headers = {
    'content-type': 'application/json',
    'user-agent': hostileHeader,
    'x-forwarded-for': hostileHeader,
    'x-request-id': hostileHeader,
    'service-signature': `t=1,v1=${hostileHeader}`,
    authorization: `Bearer ${hostileHeader}`,
  };
  for (const path of [`/${encoded}`, `/ussd/${encoded}/x`, `/ussd/nalo/${encoded}`, `/webhooks/${encoded}`]) {
    const url = `http://gateway.test${path}`;
    await till.gateway().app.request(url, { method: 'POST', headers, body: hostile });
  }
  for (const path of ['/backoffice/merchants', `/backoffice/${encoded}`, `/v1/${encoded}`]) {
    await till.service.app.request(path, { method: 'POST', headers, body: hostile });
  }
  await till.clock.advance(60_000);
  const lines = expectWholeLines(till);
  expect(lines.some(({ msg }) => msg === 'the signature of a webhook does not match')).toBe(true);
});

test('fields of a signed event stay within their log line', async () => {
  const till = await createTill();
  const row = await till.prompted();
  const events = [
    { ...paidEvent(row), id: hostile.slice(0, 128) },
    { ...paidEvent(row, 'evt_1'), type: hostile.slice(0, 128) },
    paidEvent(row, 'evt_2', { id: hostile.slice(0, 128) }),
    paidEvent(row, 'evt_3', { id: 7, reason: hostile, status: hostile }),
    { ...paidEvent(row, 'evt_4'), created_at: hostile },
  ];
  for (const event of events) {
    const body = JSON.stringify(event);
    const header = signPayload([webhookSecret], till.clock.now(), body);
    expect((await till.deliver(body, { header })).status).toBe(200);
  }
  await till.clock.advance(5_000);
  const lines = expectWholeLines(till);
  // The id of an event is logged as it is, within the string of its field.
  expect(lines.some(({ event }) => event === hostile.slice(0, 128))).toBe(true);
});

test('answers of the service stay within their log line', async () => {
  const till = await createTill({
    overrides: () => ({
      fetch: async () =>
        Response.json({ error: { code: hostile, message: hostile, param: hostile } }, { status: 400 }),
    }),
  });
  await till.pay('0244123456', ['1', '20', '1']);
  await till.clock.advance(10_000);
  expectWholeLines(till);
});

test('S54 log-scan: the log of payments, rejections and forgeries contains no number, key, secret, reference or body', async () => {
  const till = await createTill();
  const paid = await till.prompted('0244123456');
  await till.approved();
  await till.pay('0201234567', ['3', 'INV-4711', '35', '1'], 'nalo');
  const row = await till.untilStatus('0201234567', 'initiated');
  await till.declined('0201234567');
  await till.deliver(failedEvent(paid, 'evt_late'));
  await till.deliver(paidEvent(row, 'evt_forged'), { secret: 'whsec_of_somebody_else_1234' });
  await till.deliver('{"broken', {});
  await till
    .gateway()
    .app.request('http://gateway.test/ussd/nalo/wrong-secret', { method: 'POST', body: '0551112223' });
  await till.phone('0551112223').dial();
  await till.clock.advance(5_000);

  const log = till.logged();
  expect(log.split('\n').length).toBeGreaterThan(30);
  const numbers = ['244123456', '201234567', '551112223'];
  const secrets = [
    till.config.merchants[0]?.key ?? '',
    webhookSecret,
    ...till.config.channels.map(({ secret }) => secret),
  ];
  const rows = await Promise.all([till.only('0244123456'), till.only('0201234567')]);
  const keys = rows.flatMap(({ createKey, initiateKey, createBody }) => [createKey, initiateKey, createBody]);
  const found = [...numbers, ...secrets, ...keys, 'INV-4711', 'goods_minor', '"pin"'].filter((one) =>
    log.includes(one),
  );
  expect(found).toEqual([]);
});

test('S54 log-scan: request headers and paths do not reach the log', async () => {
  const till = await createTill();
  const headers = {
    'x-request-id': '0244123456',
    'user-agent': '0244123456',
    'x-forwarded-for': '0244123456',
  };
  for (const path of ['/healthz', '/0244123456', '/ussd/nalo/0244123456', '/webhooks/0244123456'])
    for (const method of ['GET', 'POST']) {
      const answer = await till.gateway().app.request(`http://gateway.test${path}`, { method, headers });
      expect(answer.headers.get('x-request-id')).toMatch(/^req_[0-9a-z]{26}$/);
    }
  await till.deliver('{}', { header: 't=1,v1=0244123456', eventId: '0244123456' });
  expect(till.logged()).not.toContain('244123456');
});

describe('S54 log-scan: the scan of the logs of all tests', () => {
  test.each([
    ['a phone number', 'msg 233244123456'],
    ['a phone number', '{"payer":"0244123456"}'],
    ['a phone number', 'from +233 24 412 3456'],
    ['a phone number', 'number_0201234567'],
    ['a phone number', '244123456'],
    ['a secret key', '{"key":"sk_live_abcdef"}'],
    ['a signing secret', 'signed with whsec_test_0123456789abcdef'],
    ['a token', 'authorization: Bearer abcdefgh'],
    ['a token', 'wrong admin-token-0123456789'],
    ['a signature', 't=1772787600,v1=145114ced78878c02480c153c6dc8516'],
    ['the secret of a callback', 'POST /ussd/nalo/abc'],
    ['a body', '{"fault":"cannot parse {\\"amount_minor\\":2020}"}'],
    ['a body', '"got sessionId=s-1&phoneNumber=none"'],
  ])('sees %s in %j', (what, line) => {
    expect(findLeaks(line)).toContain(what);
  });

  test.each([
    '{"level":"info","time":"2026-03-06T09:00:00.000Z","request":"req_01kk0b2yr00000000000244123","ms":3}',
    '{"dialogue":"dlg_01kk0b2yr02441234560000000","turn":2,"reply":"continue"}',
    '{"url":"http://127.0.0.1:52441","environment":"test","at":1772787600000,"ms":12}',
    '{"merchant":"demo-shop","event":"evt_1","receipt":"stored","msg":"webhook"}',
  ])('sees nothing in %s', (line) => {
    expect(findLeaks(line)).toEqual([]);
  });

  test('scans every line of every log, including child logs and logs without a reader', () => {
    const before = takeLeaks().lines;
    const log = createLog({ level: 'info', pretty: false, destination: { write: () => {} } });
    log.info('harmless');
    log.child({ program: 'gateway' }).warn({ fault: 'no such payer: 0244123456' }, 'leaked');
    createSilentLog().debug({ about: { secret: 'whsec_0123456789' } }, 'leaked');
    log.debug('below its level, which is never made: 0244123456');
    const { leaks, lines } = takeLeaks();
    expect(lines - before).toBe(3);
    expect(leaks).toEqual([
      expect.stringMatching(/^a phone number in .*no such payer/),
      expect.stringMatching(/^a signing secret in .*leaked/),
    ]);
    expect(takeLeaks().leaks).toEqual([]);
  });
});
