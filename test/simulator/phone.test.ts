import { describe, expect, it, test } from 'vitest';
import { aggregatorNames, simulatedAggregators } from '../../src/aggregators/registry.ts';
import { type Operator, operators, parseMsisdn } from '../../src/shared/msisdn.ts';
import { createPhone } from '../../src/simulator/phone.ts';
import { testClock } from '../kit/clock.ts';
import { createDialect, demoChannelOf } from '../kit/dialects.ts';
import { closedUrl, countingIds, startPeer, startServer } from './peer.ts';

function payerNumber() {
  const msisdn = parseMsisdn('0244123456');
  if (!msisdn) throw new Error('unreadable number');
  return msisdn;
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

test('the phone stands behind every aggregator that the gateway speaks', () => {
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

  it('brings the answers dialled along, and opens a new session with each dial', async () => {
    const peer = await startPeer();
    const { phone } = phoneOn(`${peer.url}/ussd/${name}/s3cret`, name);
    await phone.dial('*713*5*1*20#');
    expect(phone.screen()?.text).toBe('Pay GHS 20.00?\n1. Yes');
    await phone.dial('*713*5#');
    expect(phone.screen()?.text).toBe('Demo Shop\n1. Pay\n2. Exit');
    expect(peer.requests.map((one) => one.session)).toEqual(['ussd_1', 'ussd_2']);
  });

  /** Aggregators that name no network: what the gateway makes of it. */
  const unnamed: Readonly<Record<string, Operator>> = { kairos: 'unknown', 'mtn-madapi': 'mtn' };

  test.each(operators.filter((one) => name === 'africastalking' || one !== 'unknown'))(
    'is on the network of %s, as the gateway reads it',
    async (operator) => {
      const peer = await startPeer();
      const { phone } = phoneOn(`${peer.url}/ussd/${name}/s3cret`, name, operator);
      await phone.dial('*713*5#');
      const read = unnamed[name] ?? operator;
      expect(peer.requests[0]).toMatchObject({ operator: read, dialler: '233244123456' });
    },
  );

  it('reads what the gateway writes when it could not read the request', () => {
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
    // Who is asked to send back what was never read drops the reply; the others show it.
    expect([undefined, { kind: 'end', text: 'Please dial again.' }]).toContainEqual(screen);
  });
});

describe('no screen', () => {
  it('comes from a port where nobody listens', async () => {
    const { phone } = phoneOn(`${await closedUrl()}/ussd/nalo/s3cret`);
    expect(await phone.dial('*713*5#')).toMatchObject({
      ok: false,
      reason: 'unreachable',
      detail: expect.stringContaining('ECONNREFUSED'),
    });
    expect(phone.ended()).toBe(true);
  });

  it('comes from a gateway that keeps silent for 10 s', async () => {
    const server = await startServer();
    const { phone, clock } = phoneOn(server.url);
    const hop = phone.dial('*713*5#');
    await server.asked;
    await clock.advance(9_999);
    expect(clock.nextWake()).toBe(clock.now() + 1);
    await clock.advance(1);
    expect(await hop).toMatchObject({ ok: false, reason: 'timeout' });
  });

  const json = { headers: { 'content-type': 'application/json' } };
  const body = '{"USERID":"DIALTILL","MSISDN":"","MSG":"Hello","MSGTYPE":true}';
  test.each([
    ['an error page', () => new Response('<h1>Not found</h1>', { status: 404 })],
    ['a screen with a status of 500', () => new Response(body, { ...json, status: 500 })],
    ['a redirect', () => new Response(null, { status: 302, headers: { location: '/elsewhere' } })],
    ['another shape', () => new Response('{"message":"Hello"}', json)],
    ['the shape with another content type', () => new Response(body)],
  ])('comes from %s', async (_, answer) => {
    const server = await startServer(answer());
    const { phone } = phoneOn(server.url);
    expect(await phone.dial('*713*5#')).toMatchObject({ ok: false, reason: 'bad_screen' });
  });

  it('comes from an answer larger than 64 KiB', async () => {
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
