import { Hono } from 'hono';
import { describe, expect, test } from 'vitest';
import { createMetrics } from '../../../src/gateway/metrics/metrics.ts';
import { metricsRoute } from '../../../src/gateway/metrics/route.ts';
import { createAddressList } from '../../../src/shared/http/addresses.ts';
import { serve } from '../../kit/local-server.ts';
import { callbackUrl } from '../../kit/phone.ts';
import { createTill } from '../../kit/till.ts';
import { countOf, readMetrics } from './read-metrics.ts';

/*
 * Who may read, over real sockets: what is connected with is 127.0.0.1, and nothing that a request says changes that
 * unless it comes through a trusted proxy.
 */

const thisMachine = ['127.0.0.0/8', '::1'];

async function openRoute(lists: { allowFrom?: string[]; trustedProxies?: string[] } = {}) {
  const app = new Hono();
  const route = metricsRoute({
    metrics: createMetrics({ channels: [], merchants: ['shop'] }),
    allowed: createAddressList(lists.allowFrom ?? thisMachine),
    trustedProxies: createAddressList(lists.trustedProxies ?? []),
  });
  app.route('/', route);
  const server = await serve(app);
  return async (headers: Record<string, string> = {}, path = '/metrics') => {
    const answer = await fetch(`${server.url}${path}`, { headers });
    return { status: answer.status, headers: answer.headers, body: await answer.text() };
  };
}

test('an allowed caller gets valid text that must not be cached', async () => {
  const get = await openRoute();
  const { status, headers, body } = await get();
  expect(status).toBe(200);
  expect(headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
  expect(headers.get('cache-control')).toBe('no-store');
  expect(readMetrics(body).get('dialtill_collections_opened_total')?.samples).toHaveLength(1);
});

describe('access', () => {
  test('is limited to this machine by default', async () => {
    expect((await (await openRoute())()).status).toBe(200);
    expect((await (await openRoute({ allowFrom: ['10.0.0.0/8'] }))()).status).toBe(404);
    expect((await (await openRoute({ allowFrom: [] }))()).status).toBe(404);
  });

  test.each(['x-forwarded-for', 'forwarded', 'x-real-ip', 'via', 'x-forwarded-proto', 'x-forwarded-host'])(
    'is denied behind an untrusted proxy on this machine that sends %s',
    async (header) => {
      const get = await openRoute();
      expect((await get({ [header]: '127.0.0.1' })).status).toBe(404);
    },
  );

  test('is decided by the address that a trusted proxy sends', async () => {
    const get = await openRoute({ allowFrom: [...thisMachine, '10.1.0.9'], trustedProxies: ['127.0.0.1'] });
    expect((await get({ 'x-forwarded-for': '10.1.0.9', via: '1.1 proxy' })).status).toBe(200);
    expect((await get({ 'x-forwarded-for': '203.0.113.9' })).status).toBe(404);
    expect((await get({ 'x-forwarded-for': '127.0.0.1, 203.0.113.9' })).status).toBe(404);
    expect((await get({ 'x-forwarded-for': '10.1.0.9:41234' })).status).toBe(200);
    expect((await get({ 'x-forwarded-for': 'unix:' })).status).toBe(404);
    expect((await get({ via: '1.1 proxy' })).status).toBe(404);
    expect((await get()).status).toBe(200);
  });

  test('is denied without a socket', async () => {
    const allowed = { has: () => true };
    const app = metricsRoute({ metrics: createMetrics(), allowed, trustedProxies: createAddressList([]) });
    expect((await app.request('/metrics')).status).toBe(404);
  });

  test('is denied with the same 404 as an unknown path', async () => {
    const get = await openRoute({ allowFrom: ['10.0.0.0/8'] });
    const [refused, missing] = [await get(), await get({}, '/nothing')];
    expect([refused.status, refused.body]).toEqual([missing.status, missing.body]);
  });
});

describe('the gateway', () => {
  async function openGateway(allowFrom = thisMachine) {
    const till = await createTill({
      configure(config) {
        config.metrics.allowFrom = allowFrom;
      },
    });
    const server = await serve(till.gateway().app);
    return { till, get: () => fetch(`${server.url}/metrics`) };
  }

  test('serves /metrics as configured, with its channels and merchants from the start', async () => {
    const { till, get } = await openGateway();
    const found = readMetrics(await (await get()).text());
    const channels = found.get('dialtill_turns_total')?.samples.map(({ labels }) => labels.channel);
    expect(new Set(channels)).toEqual(new Set(till.config.channels.map(({ id }) => id)));
    const merchants = found.get('dialtill_collections_opened_total')?.samples;
    expect(merchants?.map(({ labels }) => labels.merchant)).toEqual(
      till.config.merchants.map(({ id }) => id),
    );
    expect((await (await openGateway(['10.0.0.0/8'])).get()).status).toBe(404);
  });

  test('counts each reply to a payer, including repeats, and no other request; no series contains a phone number', async () => {
    const { till, get } = await openGateway();
    const dial = 'sessionId=s-1&phoneNumber=%2B233244123456&networkCode=62001&text=';
    const url = callbackUrl(till, 'africastalking');
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const unlisted = dial.replace('62001', 'Surfline').replace('s-1', 's-2');
    for (const body of [dial, dial, unlisted, 'nothing=to-read']) {
      await till.gateway().app.request(url, { method: 'POST', headers, body });
    }
    const text = await (await get()).text();
    const found = readMetrics(text);
    const turns = (reply: string) =>
      countOf(found, 'dialtill_turns_total', { channel: 'africastalking', reply });
    expect([turns('continue'), turns('end')]).toEqual([3, 0]);
    expect(countOf(found, 'dialtill_turn_seconds_count')).toBe(3);
    expect(countOf(found, 'dialtill_unlisted_networks_total', { channel: 'africastalking' })).toBe(1);
    for (const secret of ['244123456', 's-1', 'secret-of']) expect(text).not.toContain(secret);
  });
});
