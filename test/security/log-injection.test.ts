import { expect, test } from 'vitest';
import { signPayload } from '../../src/service/webhook/send.ts';
import { callbackUrl } from '../kit/phone.ts';
import { createTill, paidEvent, type Till, webhookSecret } from '../kit/till.ts';

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
