import { expect, test } from 'vitest';
import { settle } from '../kit/clock.ts';
import { type Bench, newLiveMerchant, openBench } from './support.ts';
import { hangs, pay, payingRail, payLive, takes } from './webhook-support.ts';

/** A merchant whose events of both modes go to a URL of its own. */
async function withUrl(bench: Bench, url: string) {
  const merchant = await newLiveMerchant(bench);
  for (const livemode of [false, true]) {
    await bench.service.setWebhook({ merchantId: merchant.merchantId, livemode, url });
  }
  return merchant;
}

const countOf = (bench: Bench, url: string) => bench.received.filter((one) => one.url === url).length;

/** Creates shops at `slow*.example`, whose requests get no response until they time out. */
async function withSlowShops(count: number, events: number) {
  const bench = openBench({
    liveRail: payingRail,
    config: { webhook: { maxInFlight: 8, maxInFlightPerEndpoint: 4 } },
  });
  bench.answers.webhook = (request, signal) =>
    request.url.includes('slow') ? hangs(request, signal) : takes();
  for (let shop = 0; shop < count; shop++) {
    const { key } = await withUrl(bench, `https://slow${shop}.example/`);
    for (let event = 0; event < events; event++) await pay(bench, key);
  }
  return bench;
}

test('a live event never waits for slow test endpoints', async () => {
  const bench = await withSlowShops(12, 1);
  expect(bench.received).toHaveLength(8);
  const { liveKey } = await withUrl(bench, 'https://live.example/');
  await payLive(bench, liveKey);
  expect(countOf(bench, 'https://live.example/')).toBe(1);
});

test('slow endpoints leave slots for other endpoints of their mode', async () => {
  const bench = await withSlowShops(3, 6);
  const { key } = await withUrl(bench, 'https://other.example/');
  for (let count = 0; count < 6; count++) await pay(bench, key);
  expect(countOf(bench, 'https://other.example/')).toBe(6);
});

test('a single busy endpoint uses the whole limit per endpoint', async () => {
  const bench = await withSlowShops(1, 6);
  expect(bench.received).toHaveLength(4);
});

test('a free slot goes to the endpoint with the fewest deliveries in flight, not to the longest queue', async () => {
  const bench = openBench({ config: { webhook: { maxInFlight: 8, maxInFlightPerEndpoint: 4 } } });
  const ends: (() => void)[] = [];
  bench.answers.webhook = () => new Promise((resolve) => ends.push(() => resolve(Response.json({}))));
  for (const shop of ['a', 'b', 'c', 'd', 'e']) {
    const { key } = await withUrl(bench, `https://${shop}.example/`);
    for (let event = 0; event < 6; event++) await pay(bench, key);
  }
  const inFlight = () => ['a', 'b', 'c', 'd', 'e'].map((shop) => countOf(bench, `https://${shop}.example/`));
  expect(inFlight()).toEqual([4, 2, 1, 1, 0]);
  ends[0]?.();
  await settle();
  expect(inFlight()).toEqual([4, 2, 1, 1, 1]);
  while (ends.length > 0) {
    ends.shift()?.();
    await settle();
  }
  expect(inFlight()).toEqual([6, 6, 6, 6, 6]);
});
