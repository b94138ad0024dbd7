import { expect } from 'vitest';
import { z } from 'zod';

/** The address of the service, and the merchant's key. */
export type Door = { url: string; key: string };

/** How the prompt of an order ends: a person approves or declines it, or a magic number approves it. */
const payers = ['approves', 'by itself', 'approves', 'declines'] as const;
type Payer = (typeof payers)[number];

/** An order as the shop has recorded it. */
export type Order = {
  number: number;
  payer: Payer;
  msisdn: string;
  /** The body of the 201 response to the create call. */
  created?: Record<string, unknown>;
  id?: string;
  /** The initiate call succeeded. */
  initiated?: true;
  approved?: true;
  /** Number of calls without an answer. */
  unanswered: { create: number; initiate: number; approve: number };
};

export type Done = 'create' | 'initiate' | 'approve';

type Answer = { status: number; replayed: boolean; body: Record<string, unknown> };

const record = z.record(z.string(), z.unknown());

export function createBody({ number, msisdn }: Order) {
  return {
    msisdn,
    amount_minor: 1_000 + number,
    network: 'mtn',
    mode: 'offline',
    reference: `ORD-${number}`,
  };
}

/**
 * Creates a shop that continues while the service is killed and restarted. It repeats each call that got no answer, as the
 * interface allows, and records the answers.
 */
export function openShoppers(deps: {
  /** Resolves when a service is running. */
  door(): Promise<Door>;
  /** Called for each call that succeeded. */
  done(call: Done): void;
}) {
  const orders: Order[] = [];

  /** Sends a request. Returns `undefined` when there was no answer. */
  async function send(method: 'GET' | 'POST', path: string, body?: object, idempotencyKey?: string) {
    const { url, key } = await deps.door();
    try {
      const answer = await fetch(url + path, {
        method,
        headers: {
          authorization: `Bearer ${key}`,
          ...(body ? { 'content-type': 'application/json' } : {}),
          ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
        },
        ...(body ? { body: JSON.stringify(body) } : {}),
      });
      return {
        status: answer.status,
        replayed: answer.headers.get('idempotent-replayed') === 'true',
        body: record.parse(await answer.json()),
      } satisfies Answer;
    } catch {
      // The process may have ended unnoticed: the next attempt waits 10 ms.
      await new Promise((resolve) => setTimeout(resolve, 10));
      return undefined;
    }
  }

  /** Repeats a request until it is answered, at most 500 times. */
  async function insist(order: Order, call: Done | undefined, ...what: Parameters<typeof send>) {
    for (let tries = 0; tries < 500; tries++) {
      const answer = await send(...what);
      if (answer) return answer;
      if (call) order.unanswered[call]++;
    }
    throw new Error(`no answer to ${what[1]}`);
  }

  async function create(order: Order): Promise<string> {
    const sent = ['POST', '/v1/payments/sessions', createBody(order), `order-${order.number}`] as const;
    const answer = await insist(order, 'create', ...sent);
    expect(answer).toMatchObject({ status: 201 });
    deps.done('create');
    order.created = answer.body;
    order.id = String(answer.body.id);
    return order.id;
  }

  /** Initiates a session. Every second order sends an idempotency key. */
  async function initiate(order: Order, id: string): Promise<void> {
    const key = order.number % 2 === 0 ? `initiate-${order.number}` : undefined;
    const answer = await insist(order, 'initiate', 'POST', `/v1/payments/sessions/${id}/initiate`, {}, key);
    const lost = order.unanswered.initiate > 0;
    expect(answer.status === 200 || (lost && answer.status === 409), JSON.stringify(answer)).toBe(true);
    if (answer.status !== 200 || answer.replayed) return;
    order.initiated = true;
    deps.done('initiate');
  }

  async function act(order: Order): Promise<void> {
    const seen = await insist(order, undefined, 'GET', `/handset/prompts?msisdn=${order.msisdn}`);
    const [prompt] = z.array(z.object({ id: z.string() })).parse(seen.body.data);
    // The process ended after the session became `initiated` and before the push: there is no prompt.
    if (!prompt && !order.initiated) return;
    expect(prompt, `the prompt of order ${order.number}`).toBeDefined();
    const verb = order.payer === 'declines' ? 'decline' : 'approve';
    const body = verb === 'approve' ? { pin: '1234' } : {};
    const answer = await insist(order, 'approve', 'POST', `/handset/prompts/${prompt?.id}/${verb}`, body);
    const lost = order.unanswered.approve > 0;
    expect(answer.status === 200 || (lost && answer.status === 409), JSON.stringify(answer)).toBe(true);
    if (verb === 'decline' || answer.status !== 200) return;
    order.approved = true;
    deps.done('approve');
  }

  return {
    orders,
    insist,
    /** Serves one customer from the first call to the last. */
    async serve(): Promise<void> {
      const number = orders.length;
      const payer = payers[number % payers.length] ?? 'approves';
      const msisdn = `23324${String(number).padStart(4, '0')}${payer === 'by itself' ? '901' : '100'}`;
      const order: Order = { number, payer, msisdn, unanswered: { create: 0, initiate: 0, approve: 0 } };
      orders.push(order);
      const id = await create(order);
      await initiate(order, id);
      if (payer !== 'by itself') await act(order);
    },
  };
}
