import { expect, test } from 'vitest';
import { openShop, resendGraceMs, type Shop } from './shop.ts';

const payer = '0244123456';
// Each starts the gateway twice, several at a time, on a machine that may have more to do.
const patient = { timeout: 90_000 };

const killed = { code: null, signal: 'SIGKILL' };

/** Paid exactly once, by the gateway's ledger and by the service's own book. */
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
  // No second push is proof enough only together with this: the service itself refuses a second one.
  expect(shop.received.filter(({ name }) => name === 'initiate')).toHaveLength(1);
  expect(await shop.verify()).toMatchObject({ ok: true, faults: [] });
}

type Point = {
  /** How the title of the test goes on. */
  title: string;
  /** Who kills: the process itself, the rail's taking of a prompt, or the END screen at the aggregator. */
  by: 'before create' | 'after create' | 'after initiate' | 'push' | 'END';
  /** What the dead process must have left behind. */
  left: object;
  /** How many create calls may have arrived in the end, from both processes. */
  creates: readonly number[];
  /** The screen named the fee: a create call had come before the yes. */
  quoteTimeoutSeconds?: number;
};

const points: Point[] = [
  {
    // From outside, the kill may meet any of the first steps under way.
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
    title: 'S06: a gateway killed before the answer to create was read',
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
    title: 'S08: a gateway killed before the answer to initiate was read',
    by: 'after initiate',
    left: { status: 'initiating', initiateSends: 1 },
    creates: [1],
  },
];

for (const { title, by, left, creates, quoteTimeoutSeconds = 0 } of points) {
  test.concurrent(`${title} comes back and collects once`, patient, async (context) => {
    const shop = await openShop(context, { quoteTimeoutSeconds });
    const first = await shop.start(by === 'push' || by === 'END' ? {} : { endAt: by, seen: true });
    if (by === 'push') shop.hooks.pushed = () => first.end('SIGKILL');
    await shop.agree(first, payer);
    if (by === 'END') first.signal('SIGKILL');
    expect(await first.ended).toEqual(killed);
    expect(await shop.only(payer)).toMatchObject(left);

    await shop.start();
    // The payer waits meanwhile: what the new process knows of the prompt, it has found out by itself.
    await shop.until(payer, { status: 'initiated' });
    await shop.approve(payer);
    await expectPaidOnce(shop);
    expect(creates).toContain(shop.received.filter(({ name }) => name === 'create').length);
  });
}

test.concurrent(
  'S08: a gateway killed before initiate leaves sends it once more, after a poll and the grace',
  patient,
  async (context) => {
    const shop = await openShop(context);
    const first = await shop.start({ endAt: 'before initiate', seen: true });
    await shop.agree(first, payer);
    expect(await first.ended).toEqual(killed);
    const { initiateSentAt, ...left } = await shop.only(payer);
    expect(left).toMatchObject({ status: 'initiating', initiateSends: 1 });
    expect(shop.received.map(({ name }) => name)).toEqual(['create']);

    await shop.start();
    await shop.approve(payer);
    await expectPaidOnce(shop);
    const names = shop.received.map(({ name }) => name);
    expect(names.slice(0, names.indexOf('initiate') + 1)).toEqual(['create', 'status', 'initiate']);
    const resentAt = shop.received.find(({ name }) => name === 'initiate')?.at ?? 0;
    expect(resentAt - (initiateSentAt ?? resentAt)).toBeGreaterThanOrEqual(resendGraceMs);
  },
);

test.concurrent(
  'a payer who types the PIN while the gateway is dead is booked when it comes back',
  patient,
  async (context) => {
    const shop = await openShop(context);
    const first = await shop.start();
    await shop.agree(first, payer);
    await shop.until(payer, { status: 'initiated' });
    expect(await first.end('SIGKILL')).toEqual(killed);
    await shop.approve(payer);
    await shop.start();
    await expectPaidOnce(shop);
  },
);

test.concurrent(
  'an event that was answered 2xx outlives the process, and is booked by the next',
  patient,
  async (context) => {
    const shop = await openShop(context);
    const first = await shop.start();
    await shop.agree(first, payer);
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
    // The service has its 2xx and sends nothing again: what was booked came from the inbox.
    expect(shop.deliveries).toEqual([200]);
  },
);
