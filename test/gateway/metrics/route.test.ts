import { Hono } from 'hono';
import { describe, expect, test } from 'vitest';
import { createMetrics } from '../../../src/gateway/metrics/metrics.ts';
import { metricsRoute } from '../../../src/gateway/metrics/route.ts';
import { recordBackup } from '../../../src/gateway/upkeep/last-backup-store.ts';
import { createAddressList } from '../../../src/shared/http/addresses.ts';
import { backUpTill, restoreTill } from '../../kit/backup-till.ts';
import { serve } from '../../kit/local-server.ts';
import { callbackUrl } from '../../kit/phone.ts';
import { queryPlansOf } from '../../kit/query-plans.ts';
import { scrape } from '../../kit/scrape.ts';
import { createTill, minute, type Till } from '../../kit/till.ts';
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

/*
 * The gauges of the state of a gateway. The one of a full disk is in scenarios/disk-full.
 */

const shop = { merchant: 'demo-shop' };

const unplaced = (till: Till) => scrape(till, 'unplaced_payments', shop);

const suspended = (till: Till) => scrape(till, 'unplaced_pesewas', shop);

/** An event of a session that no collection has. */
const event = (n: number, type: string) => ({
  ...{ id: `evt_${n}`, type, created_at: '2026-03-06T09:00:00.000Z' },
  data: {
    ...{ id: `pay_other_${n}`, status: 'paid', goods_minor: 2_000, amount_minor: 2_020 },
    ...{ expected_fee_minor: 20, expected_net_minor: 2_000, paid_minor: 2_020 },
  },
});

test('unplaced payments are counted after a quarter of an hour, with their amount; other events are not counted', async () => {
  const till = await createTill();
  expect(await unplaced(till)).toBe(0);
  const types = ['paid', 'review_amount_mismatch', 'failed', 'paid'].map((name) => `payment.session.${name}`);
  for (const [n, type] of types.entries()) expect((await till.deliver(event(n, type))).status).toBe(200);
  await till.clock.advance(14 * minute);
  expect(await unplaced(till)).toBe(0);
  await till.clock.advance(minute);
  expect(await unplaced(till)).toBe(3);
  expect(await suspended(till)).toBe(3 * 2_020);
});

test('a payment whose session becomes known is no longer counted', async () => {
  const till = await createTill();
  let created: string | undefined;
  till.faults.call = async ({ name }, pass) => {
    if (name !== 'create') return pass();
    created ??= ((await (await pass()).json()) as { id: string }).id;
    throw new Error('the answer was lost');
  };
  await till.pay('0244123456');
  await till.until(() => created !== undefined);
  const early = { ...event(1, 'payment.session.paid'), data: { id: created, status: 'paid' } };
  await till.deliver(early);
  await till.clock.advance(2_000);
  delete till.faults.call;
  await till.until(async () => (await till.only('0244123456')).review !== null);
  await till.clock.advance(20 * minute);
  expect(await unplaced(till)).toBe(0);
});

test('the count reads only open unplaced payments, however many were decided', async () => {
  const till = await createTill();
  const plans = await queryPlansOf(till.config.database.file, () => unplaced(till));
  const counting = plans.find(({ sql }) => sql.includes('"unplaced_payment"'));
  expect(counting?.steps).toContain(
    'SEARCH unplaced_payment USING COVERING INDEX unplaced_payment_open (received_at<?)',
  );
});

test('the recovery gauge is 1 during a recovery, and the gateway is ready', async () => {
  // The worker ends the recovery, and wakes as often as in a running gateway.
  const till = await createTill({ overrides: () => ({ maxIdleMs: 1_000 }) });
  const { file } = await backUpTill(till);
  const stands = async () => [await scrape(till, 'recovering'), await scrape(till, 'ready')];
  expect(await stands()).toEqual([0, 1]);
  await restoreTill(till, file);
  await till.clock.advance(1_000);
  expect(await stands()).toEqual([1, 1]);
  await till.clock.skip(7 * minute);
  await till.clock.advance(5_000);
  expect(await stands()).toEqual([0, 1]);
  till.gateway().drain();
  expect(await stands()).toEqual([0, 0]);
});

test('collections without a result are counted with the age of the oldest, until they end', async () => {
  const till = await createTill();
  const open = async () => [
    await scrape(till, 'open_collections', shop),
    await scrape(till, 'oldest_open_seconds', shop),
  ];
  expect(await open()).toEqual([0, 0]);
  await till.pay('0244123456');
  await till.clock.advance(minute);
  await till.pay('0201234567');
  const [count, oldest = 0] = await open();
  expect(count).toBe(2);
  expect(oldest).toBeGreaterThanOrEqual(60);
  expect(oldest).toBeLessThan(120);
  await till.clock.advance(8_000);
  for (const phone of ['0244123456', '0201234567']) await till.approve(phone);
  await till.until(async () => (await till.only('0201234567')).status === 'paid');
  await till.clock.advance(5_000);
  expect(await open()).toEqual([0, 0]);
  expect(await scrape(till, 'webhooks_total', { ...shop, outcome: 'stored' })).toBeGreaterThanOrEqual(2);
  expect(await scrape(till, 'time_to_result_seconds_count')).toBe(2);
  expect(await scrape(till, 'call_seconds_count', { call: 'initiate' })).toBe(2);
  expect(await scrape(till, 'commit_seconds_count')).toBeGreaterThan(10);
});

test('reviews are counted with their age, and the suspended money is the balance of its account', async () => {
  const till = await createTill();
  await till.deliver(event(1, 'payment.session.paid'));
  await till.clock.advance(2_000);
  expect(await scrape(till, 'suspense_pesewas')).toBe(2_020);
  expect(await scrape(till, 'reviews', shop)).toBe(0);
});

test('the age of the last backup is that of its record, and infinite for a live ledger without one', async () => {
  const till = await createTill();
  const age = () => scrape(till, 'last_backup_age_seconds');
  expect(await age()).toBe(0);
  till.config.environment = 'live';
  await till.restart();
  expect(await age()).toBe(Number.POSITIVE_INFINITY);
  recordBackup(till.config.database.file ?? '', { at: till.clock.now() - 900_000, file: 'copies/a.db' });
  expect(await age()).toBe(900);
});

test('the gauges of what waits read indexes of what waits, however large the ledger is', async () => {
  const till = await createTill();
  const plans = await queryPlansOf(till.config.database.file, () => scrape(till, 'reviews', shop));
  const steps = plans.filter(({ sql }) => sql.includes('min("opened_at")')).flatMap((plan) => plan.steps);
  expect(steps).toEqual([
    expect.stringContaining('SEARCH collection USING INDEX sqlite_autoindex_collection_1 (id=?)'),
    expect.stringContaining('USING INDEX sqlite_autoindex_job_1 FOR IN-OPERATOR'),
    expect.stringContaining('TEMP B-TREE'),
    expect.stringContaining('USING INDEX collection_review'),
    expect.stringContaining('TEMP B-TREE'),
  ]);
});
