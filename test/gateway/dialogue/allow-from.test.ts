import { describe, expect, test } from 'vitest';
import { serve } from '../../kit/local-server.ts';
import { callbackUrl } from '../../kit/phone.ts';
import { createTill } from '../../kit/till.ts';

/*
 * Allowed callers over real sockets. The peer is 127.0.0.1, and a request cannot change the caller's address unless it
 * comes through a trusted proxy.
 */

const dial = 'sessionId=s-1&phoneNumber=%2B233244123456&networkCode=62001&text=';

async function openGate(lists: { allowFrom?: string[]; trustedProxies?: string[] }) {
  const till = await createTill({
    configure(config) {
      config.listen.trustedProxies = lists.trustedProxies ?? [];
      for (const channel of config.channels) {
        if (channel.id === 'africastalking') channel.allowFrom = lists.allowFrom;
      }
    },
  });
  const server = await serve(till.gateway().app);
  return {
    till,
    async dial(headers: Record<string, string> = {}, to = callbackUrl(till, 'africastalking')) {
      const url = `${server.url}${new URL(to).pathname}`;
      const answer = await fetch(url, { method: 'POST', body: dial, headers });
      return { status: answer.status, body: await answer.text() };
    },
  };
}

const rejection = 'rejected a USSD request from an address outside allowFrom';

describe('a channel with allowed addresses', () => {
  test.each([
    ['the address of this machine', ['127.0.0.1']],
    ['a network that this machine is in', ['203.0.113.0/24', '127.0.0.0/8']],
  ])('answers %s', async (_, allowFrom) => {
    const gate = await openGate({ allowFrom });
    const { status, body } = await gate.dial();
    expect(status).toBe(200);
    expect(body).toMatch(/^CON Demo Shop/);
    expect(gate.till.logged()).not.toContain(rejection);
  });

  test('answers every other address with 404, writes nothing, and logs a warning without a number', async () => {
    const gate = await openGate({ allowFrom: ['52.50.116.54', '10.0.0.0/8'] });
    const refused = await gate.dial();
    expect(refused.status).toBe(404);
    expect(refused).toEqual(await gate.dial({}, 'http://gateway.test/nothing/here'));
    const lines = gate.till.logged().split('\n');
    const warned = lines.filter((line) => line.includes(rejection));
    // The address is logged: this is the only sign of an aggregator address that the list lacks.
    expect(warned.map((line) => JSON.parse(line))).toMatchObject([
      { level: 'warn', channel: 'africastalking', caller: '127.0.0.1' },
    ]);
    expect(gate.till.logged()).not.toContain('"turn"');
    for (const secret of ['244123456', 'secret-of-']) expect(gate.till.logged()).not.toContain(secret);
  });

  test('answers a wrong secret with the same 404 and logs no warning', async () => {
    const gate = await openGate({ allowFrom: ['52.50.116.54'] });
    const wrong = `${callbackUrl(gate.till, 'africastalking')}x`;
    expect((await gate.dial({}, wrong)).status).toBe(404);
    expect(gate.till.logged()).not.toContain(rejection);
  });

  test('does not restrict other channels', async () => {
    const gate = await openGate({ allowFrom: ['52.50.116.54'] });
    expect((await gate.dial({}, callbackUrl(gate.till, 'nalo'))).status).toBe(200);
  });
});

describe('x-forwarded-for', () => {
  test('is ignored from a caller that is not a trusted proxy', async () => {
    const gate = await openGate({ allowFrom: ['52.50.116.54'] });
    expect((await gate.dial({ 'x-forwarded-for': '52.50.116.54' })).status).toBe(404);
  });

  test('of a trusted proxy names the caller', async () => {
    const gate = await openGate({ allowFrom: ['52.50.116.54'], trustedProxies: ['127.0.0.1'] });
    expect((await gate.dial({ 'x-forwarded-for': '52.50.116.54' })).status).toBe(200);
    expect((await gate.dial({ 'x-forwarded-for': '203.0.113.9' })).status).toBe(404);
    expect((await gate.dial()).status).toBe(404);
  });

  test('of a trusted proxy is read from its end, because a caller can forge the entries before', async () => {
    const gate = await openGate({ allowFrom: ['52.50.116.54'], trustedProxies: ['127.0.0.1', '10.0.0.0/8'] });
    expect((await gate.dial({ 'x-forwarded-for': '52.50.116.54, 203.0.113.9' })).status).toBe(404);
    expect((await gate.dial({ 'x-forwarded-for': '203.0.113.9, 52.50.116.54, 10.0.0.7' })).status).toBe(200);
  });

  test.each([
    '52.50.116.54:41234',
    '52.50.116.54:17085, 127.0.0.1:5512',
    '"52.50.116.54:41234"',
    '::ffff:52.50.116.54',
    '[::ffff:52.50.116.54]:443, , ',
  ])('of a trusted proxy can have ports, brackets and quotes: %s', async (forwardedFor) => {
    const gate = await openGate({ allowFrom: ['52.50.116.54'], trustedProxies: ['127.0.0.1'] });
    expect((await gate.dial({ 'x-forwarded-for': forwardedFor })).status).toBe(200);
    expect((await gate.dial({ 'x-forwarded-for': `${forwardedFor}, 203.0.113.9:80` })).status).toBe(404);
    expect((await gate.dial({ 'x-forwarded-for': `${forwardedFor}, unknown` })).status).toBe(404);
  });
});
