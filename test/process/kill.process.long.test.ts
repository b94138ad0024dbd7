import { expect, test } from 'vitest';
import { createPayer } from './payer.ts';
import { resendGraceMs, type Shop, startShop } from './shop.ts';

const payer = '0244123456';

const killed = { code: null, signal: 'SIGKILL' };

/** Expects exactly one payment in the gateway's ledger and in the service's statement. */
async function expectPaidOnce(shop: Shop): Promise<void> {
  const row = await shop.until(payer, { status: 'paid' });
  expect(row).toMatchObject({ amountMinor: 2_020, feeMinor: 20, netMinor: 2_000, review: null });
  const { postings } = await shop.file(payer);
  expect(postings.map(({ account, amountMinor }) => [account, amountMinor])).toEqual([
    ['payers', -2_020],
    ['merchant:demo-shop', 2_000],
    ['service_fees', 20],
  ]);
  const { sessions, pushes, chargedMinor } = await shop.service.statement();
  expect(sessions.filter((session) => session.pushes > 0)).toMatchObject([
    { sessionId: row.sessionId, pushes: 1, chargedMinor: 2_020, status: 'paid' },
  ]);
  expect({ pushes, chargedMinor }).toEqual({ pushes: 1, chargedMinor: 2_020 });
  // The service rejects a second push, so the calls are counted too.
  expect(shop.received.filter(({ name }) => name === 'initiate')).toHaveLength(1);
  expect(await shop.verify()).toMatchObject({ ok: true, faults: [] });
}

type Point = {
  /** The start of the test title. */
  title: string;
  /** What triggers the kill: a point of the process, the push at the rail, or the END screen. */
  by: 'before create' | 'after create' | 'after initiate' | 'push' | 'END';
  /** What the killed process must have stored. */
  left: object;
  /** The possible numbers of create calls of both processes. */
  creates: readonly number[];
  /** The screen showed the fee, so a create call came before the confirmation. */
  quoteTimeoutSeconds?: number;
};

const points: Point[] = [
  {
    // The kill can hit any of the first steps.
    title: 'a gateway killed as soon as END arrived',
    by: 'END',
    left: { closedAt: null },
    creates: [1, 2],
  },
  {
    title: 'a gateway killed as soon as END arrived, with a quote',
    by: 'END',
    left: { closedAt: null },
    creates: [2, 3],
    quoteTimeoutSeconds: 1,
  },
  {
    title: 'a gateway killed before create left',
    by: 'before create',
    left: { status: 'accepted', sessionId: null },
    creates: [1],
  },
  {
    title: 'S06: a gateway killed before it read the response to create',
    by: 'after create',
    left: { status: 'accepted', sessionId: null },
    creates: [2],
  },
  {
    title: 'S08: a gateway killed before initiate was answered',
    by: 'push',
    left: { status: 'initiating', initiateSends: 1 },
    creates: [1],
  },
  {
    title: 'S08: a gateway killed before it read the response to initiate',
    by: 'after initiate',
    left: { status: 'initiating', initiateSends: 1 },
    creates: [1],
  },
];

for (const { title, by, left, creates, quoteTimeoutSeconds = 0 } of points) {
  test.concurrent(`${title} recovers and collects once`, async (context) => {
    const shop = await startShop(context, { quoteTimeoutSeconds });
    const first = await shop.start(by === 'push' || by === 'END' ? {} : { endAt: by, afterReply: true });
    if (by === 'push') shop.hooks.pushed = () => first.end('SIGKILL');
    await createPayer(shop, payer).confirm();
    if (by === 'END') first.signal('SIGKILL');
    expect(await first.ended).toEqual(killed);
    expect(await shop.only(payer)).toMatchObject(left);

    await shop.start();
    // The payer has not answered yet, so the new process must find the prompt by itself.
    await shop.until(payer, { status: 'initiated' });
    await shop.approve(payer);
    await expectPaidOnce(shop);
    expect(creates).toContain(shop.received.filter(({ name }) => name === 'create').length);
  });
}

test.concurrent('S08: a gateway killed before initiate leaves resends it after a poll and the grace period', async (context) => {
  const shop = await startShop(context);
  const first = await shop.start({ endAt: 'before initiate', afterReply: true });
  await createPayer(shop, payer).confirm();
  expect(await first.ended).toEqual(killed);
  const { initiateSentAt, ...left } = await shop.only(payer);
  expect(left).toMatchObject({ status: 'initiating', initiateSends: 1 });
  expect(shop.received.map(({ name }) => name)).toEqual(['create']);

  await shop.start();
  await shop.approve(payer);
  await expectPaidOnce(shop);
  // A process that starts fast also polls within the grace period: only the last poll allows the resend.
  const untilResend = shop.received.slice(0, shop.received.findIndex(({ name }) => name === 'initiate') + 1);
  const [create, ...polls] = untilResend.slice(0, -1);
  expect(create?.name).toBe('create');
  expect(new Set(polls.map(({ name }) => name))).toEqual(new Set(['status']));
  const graceEndsAt = Number(initiateSentAt) + resendGraceMs;
  expect(graceEndsAt).toBeGreaterThan(resendGraceMs);
  expect(polls.at(-1)?.at).toBeGreaterThanOrEqual(graceEndsAt);
  expect(untilResend.at(-1)?.at).toBeGreaterThanOrEqual(graceEndsAt);
});

test.concurrent('a payment that is approved while the gateway is down is booked after its restart', async (context) => {
  const shop = await startShop(context);
  const first = await shop.start();
  await createPayer(shop, payer).confirm();
  await shop.until(payer, { status: 'initiated' });
  expect(await first.end('SIGKILL')).toEqual(killed);
  await shop.approve(payer);
  await shop.start();
  await expectPaidOnce(shop);
});

test.concurrent('an acknowledged event survives a kill and is booked by the next process', async (context) => {
  const shop = await startShop(context);
  const first = await shop.start();
  await createPayer(shop, payer).confirm();
  await shop.until(payer, { status: 'initiated' });
  await first.end('SIGKILL');

  const second = await shop.start({ work: false });
  shop.hooks.delivered = () => second.end('SIGKILL');
  await shop.approve(payer);
  expect(await second.ended).toEqual(killed);
  expect(await shop.file(payer)).toMatchObject({
    collection: { status: 'initiated' },
    events: [{ type: 'payment.session.paid', state: 'waiting' }],
  });

  delete shop.hooks.delivered;
  await shop.start();
  await expectPaidOnce(shop);
  await shop.until(payer, { amountSource: 'webhook' });
  // The service has its 2xx and sends nothing again, so the booking came from the inbox.
  expect(shop.deliveries).toEqual([200]);
});
