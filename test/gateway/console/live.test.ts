import { expect, test } from 'vitest';
import { liveLimits } from '../../../src/gateway/console/payment-live.ts';
import { type Browser, createAccount, createConsoleTill } from '../../kit/console.ts';
import type { Till } from '../../kit/till.ts';
import { createTwoShops, payer } from './two-shops.ts';

type Stream = { status: number; events: string[]; isOpen(): boolean; leave(): Promise<void> };

/** Opens the stream of a payment as a page does, and collects its events. */
async function openStream(till: Till, browser: Browser, id: string): Promise<Stream> {
  const headers = { cookie: browser.cookie() ?? '' };
  const answer = await till.gateway().app.request(`/console/payments/${id}/live`, { headers });
  const reader = answer.body?.getReader();
  const stream = { events: [] as string[], open: answer.headers.get('content-type') === 'text/event-stream' };
  const collect = async () => {
    for (let part = await reader?.read(); part && !part.done; part = await reader?.read())
      stream.events.push(
        ...(Buffer.from(part.value)
          .toString()
          .match(/(?<=event: )\w+/g) ?? []),
      );
    stream.open = false;
  };
  if (stream.open) void collect();
  await till.clock.advance(0);
  return {
    status: answer.status,
    events: stream.events,
    isOpen: () => stream.open,
    leave: async () => reader?.cancel(),
  };
}

async function start() {
  const till = await createConsoleTill();
  const holder = await createAccount(till, 'efua', 'agent');
  const browser = await holder.signIn();
  const { id } = await till.prompted(payer);
  return { till, holder, browser, id };
}

test('an open page hears of each change of the payment and of each action about it', async () => {
  const { till, browser, id } = await start();
  const stream = await openStream(till, browser, id);
  await till.clock.advance(2_000);
  const before = stream.events.filter((event) => event === 'change').length;
  expect(before).toBeGreaterThan(0);
  await browser.post(`/payments/${id}/notes`, { text: 'called' });
  await till.clock.advance(2_500);
  const noted = stream.events.filter((event) => event === 'change').length;
  expect(noted).toBeGreaterThan(before);
  await till.approved(payer);
  await till.clock.advance(2_500);
  expect(stream.events.filter((event) => event === 'change').length).toBeGreaterThan(noted);
  await stream.leave();
});

test('a stream does not prolong the session, and ends with it', async () => {
  const { till, browser, id } = await start();
  const stream = await openStream(till, browser, id);
  for (let minute = 0; minute < 31; minute++) await till.clock.advance(60_000);
  expect(stream.events.at(-1)).toBe('ended');
  expect(stream.isOpen()).toBe(false);
  expect((await browser.get('/me')).location).toBe('/console/sign-in?ended=1');
});

test('a page that reads itself again does not prolong the session', async () => {
  const { till, browser, id } = await start();
  const cookie = browser.cookie() ?? '';
  const ask = () =>
    till.gateway().app.request(`/console/payments/${id}`, { headers: { cookie, 'x-live': '1' } });
  expect((await ask()).status).toBe(200);
  for (let minute = 0; minute < 31; minute++) {
    await till.clock.advance(60_000);
    await ask();
  }
  expect((await ask()).headers.get('location')).toMatch(/^\/console\/sign-in\b/);
});

test('a stream ends when the person signs out, is disabled or gets another role', async () => {
  const { till, holder, browser, id } = await start();
  const admin = await (await createAccount(till, 'kwame', 'admin')).signIn();
  const changes: (() => Promise<unknown>)[] = [
    () => admin.post('/staff/efua/role', { role: 'auditor', merchant: '' }),
    () => browser.post('/sign-out'),
  ];
  for (const change of changes) {
    const stream = await openStream(till, browser, id);
    expect(stream.isOpen()).toBe(true);
    await change();
    await till.clock.advance(2_500);
    expect(stream.events.at(-1)).toBe('ended');
  }
  const again = await holder.signIn();
  const stream = await openStream(till, again, id);
  await admin.post('/staff/efua/disable');
  await till.clock.advance(2_500);
  expect(stream.events.at(-1)).toBe('ended');
});

test('a person of a merchant has no stream of a payment of another merchant', async () => {
  const { till, browser, own, other } = await createTwoShops();
  expect((await openStream(till, browser, other.id)).status).toBe(404);
  const stream = await openStream(till, browser, own.id);
  expect(stream.status).toBe(200);
  await stream.leave();
});

test('a person has a bounded number of streams, and a closed one makes place for another', async () => {
  const { till, browser, id } = await start();
  const streams: Stream[] = [];
  for (let count = 0; count < liveLimits.perKey; count++) streams.push(await openStream(till, browser, id));
  expect((await openStream(till, browser, id)).status).toBe(429);
  await streams[0]?.leave();
  await till.clock.advance(2_500);
  expect((await openStream(till, browser, id)).status).toBe(200);
});

test('a stopping gateway ends every stream', async () => {
  const { till, browser, id } = await start();
  const stream = await openStream(till, browser, id);
  expect(stream.isOpen()).toBe(true);
  till.gateway().drain();
  await till.clock.advance(0);
  await expect.poll(() => stream.isOpen()).toBe(false);
});
