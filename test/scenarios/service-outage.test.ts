import { describe, expect, test } from 'vitest';
import { inconclusiveAnswers } from '../kit/network-faults.ts';
import { createShop } from '../kit/payers.ts';
import { scrape } from '../kit/scrape.ts';
import { createTill, payer, type Till } from '../kit/till.ts';

const refused = 'Sorry, payment to Demo Shop is not possible now. Nothing was paid.';
const down = () => new Response('', { status: 503 });

/** Dials, opens the payment and types the amount. Returns the screen after it. */
async function typeAmount(till: Till, number: string): Promise<string> {
  const phone = till.phone(number);
  await phone.dial();
  await phone.type('1');
  await till.clock.advance(2_500);
  return phone.send('20');
}

async function readiness(till: Till): Promise<Record<string, unknown>> {
  const answer = await till.gateway().app.request('http://gateway.test/readyz');
  return { httpStatus: answer.status, ...((await answer.json()) as object) };
}

const logLines = (till: Till, text: string) =>
  till
    .logged()
    .split('\n')
    .filter((line) => line.includes(text));

/** A till whose service stops answering while a payment is confirmed. */
async function inOutage(answer = down, duringOutage: 'refuse' | 'warn' = 'refuse'): Promise<Till> {
  const till = await createTill({
    configure: ({ service }) => {
      service.outage.duringOutage = duringOutage;
    },
  });
  till.faults.call = async () => answer();
  await till.pay(payer);
  await till.clock.advance(20_000);
  return till;
}

describe.each(
  Object.entries(inconclusiveAnswers).filter(([name]) =>
    ['a 503 page', 'cut JSON', 'a reset'].includes(name),
  ),
)('while the service answers with %s', (_, fault) => {
  test('one alarm is raised, the gateway stays ready and says so, and payers are refused', async () => {
    const till = await inOutage(fault);
    expect(till.alarms()).toEqual(['service_unavailable']);
    expect(await readiness(till)).toMatchObject({
      httpStatus: 200,
      status: 'ready',
      serviceUnavailable: true,
    });
    expect(await typeAmount(till, '0244000001')).toContain('Pay GHS 20.00');
    expect(await typeAmount(till, '0244000002')).toBe(refused);
    await till.clock.advance(60_000);
    expect(till.alarms()).toEqual(['service_unavailable']);
  });
});

test('after an outage the call of one payer ends the refusals, without quotes and without another payment', async () => {
  const till = await inOutage();
  await till.clock.advance(200_000);
  expect((await till.only(payer)).status).toBe('abandoned');
  const calls = till.calls.length;
  delete till.faults.call;
  await till.pay('0244000001');
  await till.untilStatus('0244000001', 'initiated', 5_000);
  expect(till.calls.length).toBeGreaterThan(calls);
  expect(await readiness(till)).not.toHaveProperty('serviceUnavailable');
  expect(logLines(till, 'the service answers again')).toHaveLength(1);
  expect(await typeAmount(till, '0244000002')).toContain('Pay GHS 20.00');
});

test('with quotes, a payer whose quote proves nothing is refused, and the first quote after the outage is shown', async () => {
  const till = await createShop();
  till.faults.call = async () => down();
  for (let n = 0; n < 5; n++) await typeAmount(till, `024400000${n}`);
  expect(till.alarms()).toEqual(['service_unavailable']);
  expect(await typeAmount(till, '0244000006')).toBe(refused);
  const calls = till.calls.length;
  expect(await typeAmount(till, '0244000007')).toBe(refused);
  // A refused payer costs no call.
  expect(till.calls).toHaveLength(calls);
  delete till.faults.call;
  await till.clock.advance(10_000);
  expect(await typeAmount(till, '0244000008')).toContain('total GHS 20.20');
  expect(await typeAmount(till, '0244000009')).toContain('total GHS 20.20');
  expect(await till.storedCollections()).toEqual([]);
});

test('with warn, payers may pay during an outage and read a warning', async () => {
  const till = await inOutage(down, 'warn');
  for (const number of ['0244000001', '0244000002'])
    expect(await typeAmount(till, number)).toContain('Payments may fail now.');
  delete till.faults.call;
  await till.pay('0244000003');
  await till.untilStatus('0244000003', 'initiated', 5_000);
  expect(await typeAmount(till, '0244000004')).not.toContain('Payments may fail now.');
});

test('fewer calls than the limit, calls apart, or calls with a rejection in between are no outage', async () => {
  const till = await createTill({
    configure: ({ service }) => {
      service.outage.withinMs = 10_000;
    },
  });
  let calls = 0;
  till.faults.call = async () =>
    calls++ % 4 === 3
      ? Response.json({ error: { code: 'invalid_msisdn', message: 'no' } }, { status: 400 })
      : down();
  for (let n = 0; n < 4; n++) await till.pay(`024400001${n}`);
  await till.clock.advance(60_000);
  expect(till.alarms()).toEqual([]);
  expect(await typeAmount(till, '0244000002')).toContain('Pay GHS 20.00');
});

test('a 429 is logged once for each pause, and shown by the readiness and the metrics', async () => {
  const till = await createTill();
  till.faults.call = async () => new Response('', { status: 429, headers: { 'retry-after': '3600' } });
  await till.pay(payer);
  await till.clock.advance(1_000);
  expect(logLines(till, 'all of them are paused')).toHaveLength(1);
  expect(await readiness(till)).toMatchObject({ httpStatus: 200, rateLimited: true });
  expect(await scrape(till, 'rate_limited', { merchant: 'demo-shop' })).toBe(1);
  expect(till.alarms()).toEqual([]);
});

test('the metrics count calls by outcome and collections by the class of their reason', async () => {
  const till = await inOutage();
  await till.clock.advance(200_000);
  const merchant = 'demo-shop';
  const failed = await scrape(till, 'calls_total', { merchant, call: 'create', outcome: 'unknown' });
  expect(failed).toBe(till.calls.length);
  expect(await scrape(till, 'service_unavailable', { merchant })).toBe(1);
  const ended = { merchant, status: 'abandoned', reason: 'not_prompted' };
  expect(await scrape(till, 'collections_closed_total', ended)).toBe(1);
});
