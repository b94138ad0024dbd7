import { describe, expect, it, test } from 'vitest';
import { aggregatorNames, simulatedAggregators } from '../../src/aggregators/registry.ts';
import { type Operator, operators } from '../../src/shared/msisdn.ts';
import { createPhone } from '../../src/simulator/phone.ts';
import { testClock } from '../kit/clock.ts';
import { createDialect, demoChannelOf } from '../kit/dialects.ts';
import { msisdnOf } from '../kit/msisdn.ts';
import { closedUrl, countingIds, startPeer, startServer } from './peer.ts';

function payerNumber() {
  return msisdnOf('0244123456');
}

function simulatedOf(name: string) {
  const simulated = simulatedAggregators[name];
  if (!simulated) throw new Error(`no simulated aggregator ${name}`);
  return simulated;
}

function phoneOn(url: string, name = 'nalo', operator: Operator = 'mtn') {
  const clock = testClock();
  const simulated = simulatedOf(name);
  const { settings } = demoChannelOf(name);
  const options = {
    url,
    aggregator: simulated,
    msisdn: payerNumber(),
    operator,
    serviceCode: '*713*5#',
    settings,
  };
  return { clock, phone: createPhone({ ...options, fetch, clock, ids: countingIds() }) };
}

test('every aggregator has a simulated side', () => {
  expect(Object.keys(simulatedAggregators)).toEqual(aggregatorNames);
});

describe.each(aggregatorNames)('a phone behind %s', (name) => {
  it('shows each screen until the session ends', async () => {
    const peer = await startPeer();
    const { phone } = phoneOn(`${peer.url}/ussd/${name}/s3cret`, name);
    expect(phone.ended()).toBe(true);
    expect(await phone.dial('*713*5#')).toEqual({
      ok: true,
      screen: { kind: 'continue', text: 'Demo Shop\n1. Pay\n2. Exit' },
    });
    expect(phone.ended()).toBe(false);
    await phone.send('1');
    await phone.send('20.50');
    expect(phone.screen()?.text).toBe('Pay GHS 20.50?\n1. Yes');
    await phone.send('1');
    expect(phone.screen()).toEqual({ kind: 'end', text: 'Approve the prompt on your phone.' });
    expect(phone.ended()).toBe(true);
    expect(new Set(peer.requests.map((one) => one.session))).toEqual(new Set(['ussd_1']));
  });

  it('sends the dialled suffix, and opens a new session with each dial', async () => {
    const peer = await startPeer();
    const { phone } = phoneOn(`${peer.url}/ussd/${name}/s3cret`, name);
    await phone.dial('*713*5*1*20#');
    expect(phone.screen()?.text).toBe('Pay GHS 20.00?\n1. Yes');
    await phone.dial('*713*5#');
    expect(phone.screen()?.text).toBe('Demo Shop\n1. Pay\n2. Exit');
    expect(peer.requests.map((one) => one.session)).toEqual(['ussd_1', 'ussd_2']);
  });

  /** The operators that the gateway reads for aggregators without a network field. */
  const unnamed: Readonly<Record<string, Operator>> = {
    kairos: 'unknown',
    mnotify: 'unknown',
    'mtn-madapi': 'mtn',
  };

  test.each(operators.filter((one) => name === 'africastalking' || one !== 'unknown'))(
    'sends the network of %s, and the gateway reads it',
    async (operator) => {
      const peer = await startPeer();
      const { phone } = phoneOn(`${peer.url}/ussd/${name}/s3cret`, name, operator);
      await phone.dial('*713*5#');
      const read = unnamed[name] ?? operator;
      expect(peer.requests[0]).toMatchObject({ operator: read, dialler: '233244123456' });
    },
  );

  it('shows the reply to an unreadable request, or rejects it for missing ids', () => {
    const dialect = createDialect(name, '*713*5#');
    const unread = dialect.decode({ body: '', query: {}, path: '' });
    const reply = dialect.encode({ kind: 'end', text: 'Please dial again.' }, unread, 0);
    const dial = {
      session: 's',
      msisdn: payerNumber(),
      operator: 'mtn',
      serviceCode: '*713*5#',
      dialled: '',
    };
    const screen = simulatedOf(name).read(reply.contentType, reply.body, { ...dial, operator: 'mtn' });
    // Aggregators that require an echo drop the reply, because the request contained nothing to echo; the others show it.
    expect([undefined, { kind: 'end', text: 'Please dial again.' }]).toContainEqual(screen);
  });
});

describe('the phone shows no screen', () => {
  it('if the port is closed', async () => {
    const { phone } = phoneOn(`${await closedUrl()}/ussd/nalo/s3cret`);
    expect(await phone.dial('*713*5#')).toMatchObject({
      ok: false,
      reason: 'unreachable',
      detail: expect.stringContaining('ECONNREFUSED'),
    });
    expect(phone.ended()).toBe(true);
  });

  it('if the gateway does not answer within 10 s', async () => {
    const server = await startServer();
    const { phone, clock } = phoneOn(server.url);
    const result = phone.dial('*713*5#');
    await server.asked;
    await clock.advance(9_999);
    expect(clock.nextWake()).toBe(clock.now() + 1);
    await clock.advance(1);
    expect(await result).toMatchObject({ ok: false, reason: 'timeout' });
  });

  const json = { headers: { 'content-type': 'application/json' } };
  const body = '{"USERID":"DIALTILL","MSISDN":"","MSG":"Hello","MSGTYPE":true}';
  test.each([
    ['an error page', () => new Response('<h1>Not found</h1>', { status: 404 })],
    ['a screen with a status of 500', () => new Response(body, { ...json, status: 500 })],
    ['a redirect', () => new Response(null, { status: 302, headers: { location: '/elsewhere' } })],
    ['another format', () => new Response('{"message":"Hello"}', json)],
    ['the format with another content type', () => new Response(body)],
  ])('if the answer is %s', async (_, answer) => {
    const server = await startServer(answer());
    const { phone } = phoneOn(server.url);
    expect(await phone.dial('*713*5#')).toMatchObject({ ok: false, reason: 'bad_screen' });
  });

  it('if the answer is larger than 64 KiB', async () => {
    const server = await startServer(new Response('x'.repeat(65 * 1024)));
    const { phone } = phoneOn(server.url);
    expect(await phone.dial('*713*5#')).toMatchObject({ ok: false, reason: 'unreachable' });
  });

  it('breaks the session off, and sending into it is a fault of the caller', async () => {
    const server = await startServer(new Response('oops'));
    const { phone } = phoneOn(server.url);
    await phone.dial('*713*5#');
    expect(() => phone.send('1')).toThrow('no USSD session is open');
  });
});
