import { expect, test } from 'vitest';
import { run } from '../cli/support.ts';
import { serve, startServer } from '../kit/local-server.ts';
import { type Bench, json, newLiveMerchant, newMerchant, openBench, post, refusal } from './support.ts';
import { delivery, idOf, pay, withEndpoint } from './webhook-support.ts';

const get = (bench: Bench, path: string, key: string) =>
  bench.service.app.request(path, { headers: { authorization: `Bearer ${key}` } });

test('the delivery log has the sent bytes and the first 1 KiB of each answer', async () => {
  const bench = openBench();
  const { key } = await withEndpoint(bench);
  bench.answers.webhook = async () => new Response('ɔ'.repeat(2_000), { status: 500 });
  await pay(bench, key);
  bench.answers.webhook = async () => new Response(null, { status: 204 });
  await bench.clock.advance(6_000);
  const [sent] = bench.received;
  const log = await delivery(bench, idOf(sent));
  expect(log).toMatchObject({
    request_body: sent?.body,
    log: [
      { status: 500, response_body: 'ɔ'.repeat(512) },
      { status: 204, response_body: null },
    ],
  });
});

test('an answer over HTTP that never ends is logged as far as it came, and delays no delivery', async () => {
  const { url } = await startServer((response) => response.writeHead(200).write('{"received"'));
  const bench = openBench({ fetch: fetchOf(`${url}/hook`) });
  const { key } = await withEndpoint(bench);
  await pay(bench, key);
  const [row] = (await json(await get(bench, '/v1/deliveries', key))).data as Record<string, unknown>[];
  await expect.poll(() => delivery(bench, row?.event_id)).toMatchObject({ state: 'delivered' });
  expect(await delivery(bench, row?.event_id)).toMatchObject({ log: [{ status: 200, response_body: null }] });
  await bench.clock.advance(1_000);
  await expect
    .poll(async () => (await delivery(bench, row?.event_id)).log[0]?.response_body)
    .toBe('{"received"');
});

/** A fetch that sends everything to one address. */
const fetchOf =
  (url: string): typeof fetch =>
  (_, init) =>
    fetch(url, init);

test('a merchant lists, shows and resends its own deliveries, and finds no others', async () => {
  const bench = openBench();
  const { key } = await withEndpoint(bench);
  await pay(bench, key);
  await pay(bench, key);
  const page = await json(await get(bench, '/v1/deliveries?limit=1&state=delivered', key));
  expect(page).toMatchObject({ data: [{ event_id: idOf(bench.received[1]) }], has_more: true });
  const id = idOf(bench.received[0]);
  const older = await json(await get(bench, `/v1/deliveries?cursor=${page.next_cursor}`, key));
  expect(older).toMatchObject({ data: [{ event_id: id, state: 'delivered' }], has_more: false });

  const resent = await post(bench, `/v1/events/${id}/resend`, { key, idempotencyKey: 'again' });
  expect(await json(resent)).toMatchObject({ event_id: id, state: 'waiting' });
  await post(bench, `/v1/events/${id}/resend`, { key, idempotencyKey: 'again' });
  await bench.clock.advance(0);
  expect(bench.received.map(idOf).filter((one) => one === id)).toHaveLength(2);
  const log = await json(await get(bench, `/v1/events/${id}/delivery`, key));
  expect(log).toMatchObject({ attempts: 2, attempts_log: [{ response_body: '{"received":true}' }, {}] });

  const other = await newLiveMerchant(bench, 'Kofi Stores');
  for (const foreign of [other.key, other.liveKey]) {
    expect(await json(await get(bench, '/v1/deliveries', foreign))).toMatchObject({ data: [] });
    expect(await refusal(await get(bench, `/v1/events/${id}/delivery`, foreign))).toMatchObject({
      code: 'event_not_found',
    });
    expect(await refusal(await post(bench, `/v1/events/${id}/resend`, { key: foreign }))).toMatchObject({
      code: 'event_not_found',
    });
  }
  expect(bench.received).toHaveLength(3);
});

test('with a key of its merchant, the deliveries commands show and resend the deliveries of that merchant', async () => {
  const bench = openBench();
  const { key } = await withEndpoint(bench);
  await newMerchant(bench, 'Kofi Stores');
  await pay(bench, key);
  const { url } = await serve(bench.service.served);
  const env = { DIALTILL_SERVICE_URL: url, DIALTILL_SERVICE_KEY: key };
  const id = idOf(bench.received[0]);
  expect((await run(['deliveries'], { env })).out).toContain(`${id}  payment.session.paid`);
  expect((await run(['deliveries', 'resend', id], { env })).out).toContain(`${id}: waiting`);
  const { out } = await run(['deliveries', 'show', id], { env });
  expect(out).toContain('{"received":true}');
  expect(out).toContain(`body         ${bench.received[0]?.body}`);
  const none = await run(['deliveries', 'list', '--state', 'given_up'], { env });
  expect(none).toMatchObject({ code: 0, out: 'no events\n' });
});
