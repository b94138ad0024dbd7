import { expect, test } from 'vitest';
import { Database } from '../../../src/sqlite/driver.ts';
import { needsFile } from '../../kit/engine.ts';
import { paidInFull } from '../../kit/scenes.ts';
import { createTill, paidEvent, payer, type Till } from '../../kit/till.ts';
import { unplacedEventsIn } from '../../kit/unplaced.ts';

const url = 'http://gateway.test/webhooks/demo-shop';
const wrong = 'whsec_wrong_0123456789abcdef';

const event = {
  id: 'evt_1',
  type: 'payment.session.paid',
  created_at: '2026-03-06T09:00:30.000Z',
  data: { id: 'pay_unknown' },
};

async function codeOf(answer: Response): Promise<string> {
  return ((await answer.json()) as { error: { code: string } }).error.code;
}

test('a delivery is acknowledged in JSON', async () => {
  const till = await createTill();
  const answer = await till.deliver(event, { eventId: event.id });
  expect(answer.status).toBe(200);
  expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
  expect(await answer.text()).toBe('{"received":true}');
});

/** Returns everything of a response that does not change from request to request. */
async function constantParts(answer: Response) {
  const headers = [...answer.headers].filter(([name]) => name !== 'x-request-id');
  return { status: answer.status, headers, body: await answer.text() };
}

test.each([
  ['a wrong signature', { secret: wrong }, event],
  ['no readable signature', { header: 'none' }, event],
  ['no event', { secret: wrong }, '{"broken'],
  ['another event id', { secret: wrong, eventId: 'evt_2' }, event],
])(
  'S48: the response to a delivery with %s is the same with and without such a merchant',
  async (_, options, sent) => {
    const till = await createTill();
    const known = await constantParts(await till.deliver(sent, options));
    const unknown = await constantParts(await till.deliver(sent, { ...options, merchant: 'another-shop' }));
    expect(unknown).toEqual(known);
    expect(known.status).toBe(401);
    expect(await till.inbox()).toEqual([]);
  },
);

test('S48: a delivery that is signed with a valid secret is rejected when the address names no merchant', async () => {
  const till = await createTill();
  const answer = await till.deliver(event, { merchant: 'another-shop' });
  expect([answer.status, await codeOf(answer)]).toEqual([401, 'bad_signature']);
  expect(await till.inbox()).toEqual([]);
});

test('a flood of forged deliveries causes one log line at once and one per minute', async () => {
  const till = await createTill();
  const lines = () =>
    till
      .logged()
      .split('\n')
      .filter((line) => line.includes('the signature of a webhook does not match'))
      .map((line) => JSON.parse(line));
  for (let n = 0; n < 200; n++) {
    await till.deliver(event, { secret: wrong });
    await till.deliver(event, { secret: wrong, merchant: `shop-${n}` });
  }
  expect(lines()).toMatchObject([{ level: 'warn', reason: 'wrong_signature', merchant: 'demo-shop' }]);
  await till.clock.advance(60_000);
  expect(lines()).toMatchObject([
    { reason: 'wrong_signature' },
    { level: 'warn', counts: { wrong_signature: 199, unknown_merchant: 200 } },
  ]);
  expect(till.logged()).not.toContain('shop-7');
});

test.each(['GET', 'PUT', 'DELETE'])('%s is not accepted', async (method) => {
  const till = await createTill();
  expect((await till.gateway().app.request(url, { method })).status).toBe(404);
});

test.each([undefined, 'text/plain', 'application/x-www-form-urlencoded', 'application/jsonp'])(
  'a delivery with the content type %s is rejected',
  async (type) => {
    const till = await createTill();
    const headers = type === undefined ? {} : { 'content-type': type };
    const body = new TextEncoder().encode(JSON.stringify(event));
    const answer = await till.gateway().app.request(url, { method: 'POST', headers, body });
    expect([answer.status, await codeOf(answer)]).toEqual([415, 'unsupported_media_type']);
  },
);

test('a body of 64 KiB is accepted and one byte more is rejected, with and without a content length', async () => {
  const till = await createTill();
  const sized = (bytes: number) => {
    const empty = JSON.stringify({ ...event, filler: '' }).length;
    return JSON.stringify({ ...event, filler: 'x'.repeat(bytes - empty) });
  };
  expect((await till.deliver(sized(65_536))).status).toBe(200);
  const answer = await till.deliver(sized(65_537));
  expect([answer.status, await codeOf(answer)]).toEqual([413, 'body_too_large']);
  const stream = new Blob([sized(1_000_000)]).stream();
  const headers = { 'content-type': 'application/json' };
  const streamed = new Request(url, { method: 'POST', headers, body: stream, duplex: 'half' } as RequestInit);
  expect((await till.gateway().app.request(streamed)).status).toBe(413);
  expect(await till.inbox()).toHaveLength(1);
});

test.each([
  ['no JSON', 'received'],
  ['half of it', JSON.stringify(event).slice(0, -10)],
  ['nothing', ''],
  ['a list', '[]'],
  ['null', 'null'],
  ['no id', JSON.stringify({ ...event, id: undefined })],
  ['an empty id', JSON.stringify({ ...event, id: '' })],
  ['an id without end', JSON.stringify({ ...event, id: 'e'.repeat(129) })],
  ['no type', JSON.stringify({ ...event, type: undefined })],
  ['no data', JSON.stringify({ ...event, data: undefined })],
])('a signed body that is not an event (%s) is rejected and not stored', async (_, body) => {
  const till = await createTill();
  const answer = await till.deliver(body);
  expect([answer.status, await codeOf(answer)]).toEqual([400, 'unreadable_event']);
  expect(await till.inbox()).toEqual([]);
});

test('an event id in the header must equal the one in the body; the header is optional', async () => {
  const till = await createTill();
  const answer = await till.deliver(event, { eventId: 'evt_2' });
  expect([answer.status, await codeOf(answer)]).toEqual([400, 'unreadable_event']);
  expect(await till.inbox()).toEqual([]);
  expect((await till.deliver(event)).status).toBe(200);
  expect(await till.inbox()).toMatchObject([{ id: 'evt_1' }]);
});

type Forgery = (till: Till, row: Parameters<typeof paidEvent>[0]) => Promise<Response>;

const forgeries: Record<string, Forgery> = {
  'with a wrong secret': (till, row) => till.deliver(paidEvent(row), { secret: wrong }),
  'with an empty secret': (till, row) => till.deliver(paidEvent(row), { secret: '' }),
  'with an empty header': (till, row) => till.deliver(paidEvent(row), { header: '' }),
  'with a time only': (till, row) => till.deliver(paidEvent(row), { header: 't=1772787600' }),
  'without a signature': async (till, row) =>
    till.gateway().app.request(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(paidEvent(row)),
    }),
  'with an altered byte': async (till, row) => {
    const { header, body } = await captured(till, row);
    return send(till, header, body.replace('"amount_minor":2020', '"amount_minor":2021'));
  },
  'with an added blank': async (till, row) => {
    const { header, body } = await captured(till, row);
    return send(till, header, `${body} `);
  },
};

/** Returns a genuine signature and its body, captured from another delivery. */
async function captured(till: Till, row: Parameters<typeof paidEvent>[0]) {
  const body = JSON.stringify(paidEvent(row));
  const app = till.gateway().app;
  const request = app.request;
  let header = '';
  app.request = async (_, init) => {
    header = new Headers(init?.headers).get('service-signature') ?? '';
    return new Response();
  };
  await till.deliver(body);
  app.request = request;
  return { header, body };
}

async function send(till: Till, signature: string, body: string): Promise<Response> {
  const headers = { 'content-type': 'application/json', 'service-signature': signature };
  return till.gateway().app.request(url, { method: 'POST', headers, body });
}

test.each(Object.keys(forgeries))(
  'S48: a delivery %s is rejected with 401, not stored, and changes nothing',
  async (kind) => {
    const till = await createTill();
    const row = await till.prompted();
    const before = await till.record(row.id);
    const calls = till.calls.length;
    const answer = await forgeries[kind]?.(till, row);
    expect(answer?.status).toBe(401);
    expect(await answer?.json()).toEqual({
      error: { code: 'bad_signature', message: 'the signature does not match' },
    });
    await till.clock.advance(2_000);
    expect(await till.inbox()).toEqual([]);
    expect(await till.record(row.id)).toEqual(before);
    expect(till.calls.length).toBe(calls);
  },
);

test('S48: the secret of one merchant is not valid for another', async () => {
  const till = await createTill({
    configure(config) {
      const [merchant] = config.merchants;
      const other = { id: 'other-shop', key: 'sk_test_0123456789abcdef', webhookSecrets: [wrong] };
      if (merchant) config.merchants.push({ ...merchant, ...other });
    },
  });
  const row = await till.prompted();
  expect((await till.deliver(paidEvent(row), { merchant: 'other-shop' })).status).toBe(401);
  // Signed with the other shop's secret, the event is unplaced there.
  const signed = { merchant: 'other-shop', secret: wrong };
  expect((await till.deliver(paidEvent(row), signed)).status).toBe(200);
  await till.clock.advance(5_000);
  expect(await till.inbox()).toMatchObject([{ state: 'parked' }]);
  expect(await till.booked(row.id)).toEqual([]);
});

needsFile('locks the file')(
  'no delivery is acknowledged while the database cannot be written; the retry is accepted and booked',
  async () => {
    const till = await createTill();
    const row = await till.prompted();
    const file = new Database(till.config.database.file);
    file.exec('BEGIN IMMEDIATE');
    const [answer] = await Promise.all([till.deliver(paidEvent(row)), till.clock.advance(10_000)]);
    file.exec('ROLLBACK');
    file.close();
    expect(answer.status).toBe(503);
    expect(await till.inbox()).toEqual([]);

    await till.clock.advance(1_000);
    expect((await till.deliver(paidEvent(row))).status).toBe(200);
    await till.untilStatus(payer, 'paid', 10_000);
    expect(await till.booked(row.id)).toEqual(paidInFull);
  },
);

test('the log contains neither the body nor the phone number of a delivery', async () => {
  const till = await createTill();
  const row = await till.paidPayment();
  await till.deliver(paidEvent(row), { secret: wrong });
  await till.deliver('{"id":"evt_x"}');
  for (const secret of ['233244123456', '0244123456', 'amount_minor', 'evt_x', wrong])
    expect(till.logged()).not.toContain(secret);
});

test.each([null, 7, '', undefined])(
  'a signed event of money with the session id %j is stored, acknowledged and listed as unplaced',
  async (id) => {
    const till = await createTill();
    const body = { ...event, type: 'payment.session.paid', data: { id } };
    expect((await till.deliver(body)).status).toBe(200);
    await till.clock.advance(1_000);
    expect(await till.read(unplacedEventsIn)).toMatchObject([
      { eventId: event.id, sessionId: null, state: 'dead' },
    ]);
    expect(till.logged()).toContain('event_without_session');
  },
);
