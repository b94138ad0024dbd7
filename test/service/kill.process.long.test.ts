import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { statementReader } from '../../src/service/statement-query.ts';
import { createSqliteReader } from '../../src/sqlite/sqlite.ts';
import { temporaryFolder } from '../kit/folder.ts';
import { sized } from '../kit/size.ts';
import { type Life, openLives } from './kill-lives.ts';
import { openKillReceiver } from './kill-receiver.ts';
import { createBody, type Done, type Door, type Order, openShoppers } from './kill-shoppers.ts';

const secret = 'secret-of-the-kill-test';
const shoppers = 8;

/** Maximum life of a process whose moment does not come. */
const maxLifeMs = 2_500;

/** When a process is killed. `at random` does not depend on its state. */
const moments = [
  'at random',
  'at random',
  'at random',
  'a create was answered',
  'an initiate was answered',
  'an approval was answered',
  'a webhook has arrived',
  'a webhook was answered',
  'before the push',
  'after the push',
] as const;
type Moment = (typeof moments)[number];
const rounds = sized({ quick: 1, all: 5 });

/** Makes callers wait while no process serves. */
function createGate() {
  let open: (door: Door) => void = () => {};
  let door = new Promise<Door>((resolve) => {
    open = resolve;
  });
  return {
    door: () => door,
    open: (to: Door) => open(to),
    close() {
      door = new Promise((resolve) => {
        open = resolve;
      });
    },
  };
}

const after = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

test(`a service killed ${rounds * moments.length} times under load loses nothing and charges no payer twice`, async (context) => {
  const file = join(temporaryFolder(context.onTestFinished), 'service.db');
  const receiver = await openKillReceiver(context, secret);
  const lives = openLives(context, {
    ...{ file, adminToken: 'admin-token-of-the-kill-test', merchants: ['Abena Stores'] },
    webhook: { url: receiver.url, secret },
    config: {
      rail: { magicDelayMs: 20 },
      webhook: { retryDelaysMs: Array(300).fill(100), timeoutMs: 1_000 },
    },
  });
  const gate = createGate();
  let happened: (moment: Moment) => void = () => {};
  const answered: Record<Done, Moment> = {
    create: 'a create was answered',
    initiate: 'an initiate was answered',
    approve: 'an approval was answered',
  };
  receiver.arrived = () => happened('a webhook has arrived');
  receiver.answered = () => happened('a webhook was answered');
  const shop = openShoppers({ door: gate.door, done: (call) => happened(answered[call]) });

  let key = '';
  async function startLife(moment?: Moment): Promise<Life> {
    const life = await lives.next(moment);
    key ||= life.merchants[0]?.key ?? '';
    gate.open({ url: life.url, key });
    return life;
  }

  let kills = 0;
  let met = 0;
  async function liveUntil(moment: Moment): Promise<void> {
    const life = await startLife(moment);
    const kill = () => life.signal('SIGKILL');
    // Skips some events of this kind, so that the process has work in flight when it is killed.
    let before = Math.floor(Math.random() * 5);
    happened = (now) => {
      if (now !== moment || before-- > 0) return;
      met++;
      happened = () => {};
      kill();
    };
    const late = moment === 'at random' ? 20 + Math.random() * 400 : maxLifeMs;
    await Promise.race([life.ended, after(late)]);
    gate.close();
    kill();
    expect((await life.ended).signal).toBe('SIGKILL');
    kills++;
  }

  let closing = false;
  const serving = Promise.all(
    Array.from({ length: shoppers }, async () => {
      while (!closing) await shop.serve();
    }),
  );
  for (let round = 0; round < rounds; round++) for (const moment of moments) await liveUntil(moment);
  closing = true;
  const last = await startLife();
  await serving;

  const { orders, insist } = shop;
  const replays = [];
  for (const order of orders) {
    const sent = ['POST', '/v1/payments/sessions', createBody(order), `order-${order.number}`] as const;
    replays.push(await insist(order, undefined, ...sent));
  }
  expect(replays.map(({ status, replayed, body }) => ({ status, replayed, body }))).toEqual(
    orders.map(({ created }) => ({ status: 201, replayed: true, body: created })),
  );

  const found = async ({ id }: Order) => {
    const order = orders.find((one) => one.id === id) as Order;
    return (await insist(order, undefined, 'GET', `/v1/payments/sessions/${id}`)).body;
  };
  const sessions = await vi.waitFor(
    async () => {
      const all: Record<string, unknown>[] = [];
      for (const order of orders) all.push(await found(order));
      const unpaid = orders.filter((order, at) => order.approved && all[at]?.status !== 'paid');
      expect(unpaid, 'approved, but not paid').toEqual([]);
      const unreported = all.filter(
        (one) => one.closed_at !== undefined && !receiver.events.has(String(one.id)),
      );
      expect(unreported, 'closed, and no event received').toEqual([]);
      return all;
    },
    { timeout: 20_000, interval: 250 },
  );
  for (const [at, { created }] of orders.entries()) {
    const { status: _, ...fields } = created ?? {};
    expect(sessions[at]).toMatchObject(fields);
  }
  expect((await last.end('SIGTERM')).signal).toBe(null);

  const reader = createSqliteReader(file, { anyVersion: true });
  const book = await statementReader(reader)();
  await reader.close();
  expect(book.sessions.map(({ reference }) => reference).toSorted()).toEqual(
    orders.map(({ number }) => `ORD-${number}`).toSorted(),
  );
  expect(book.sessions.filter(({ pushes }) => pushes > 1)).toEqual([]);
  const paid = book.sessions.filter(({ status }) => status === 'paid');
  expect(
    book.sessions.filter((one) => one.chargedMinor !== (one.status === 'paid' ? one.amountMinor : 0)),
  ).toEqual([]);
  expect(book.chargedMinor).toBe(paid.reduce((sum, { amountMinor }) => sum + amountMinor, 0));
  // An initiate that was answered has its one prompt.
  const pushes = new Map(book.sessions.map((one) => [one.sessionId, one.pushes]));
  expect(orders.filter(({ id = '', initiated }) => initiated && pushes.get(id) !== 1)).toEqual([]);
  const closed = book.sessions.filter(({ status }) => status === 'paid' || status === 'failed');
  expect(new Map([...receiver.events].map(([id, { type }]) => [id, type]))).toEqual(
    new Map(closed.map(({ sessionId, status }) => [sessionId, `payment.session.${status}`])),
  );
  expect([...receiver.events.values()].filter(({ ids }) => ids.size !== 1)).toEqual([]);
  expect(receiver.unsigned).toBe(0);
  expect(kills).toBeGreaterThanOrEqual(rounds * moments.length);

  const sum = (of: (order: Order) => number) => orders.reduce((all, order) => all + of(order), 0);
  const times = [...receiver.events.values()].reduce((all, one) => all + one.times, 0);
  console.log(
    `${kills} kills (${met} at their moment), ${orders.length} creates acknowledged, ${sessions.length} present, ` +
      `unanswered: ${sum((one) => one.unanswered.create)} creates, ${sum((one) => one.unanswered.initiate)} initiates, ` +
      `${sum((one) => one.unanswered.approve)} approvals; ${book.pushes} pushes, ${paid.length} charges of ` +
      `${book.chargedMinor} pesewas, ${receiver.events.size} events in ${times} deliveries`,
  );
}, 180_000);
