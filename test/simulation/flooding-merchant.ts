import { merchantApiPath } from '../../src/contract/merchant/merchant-api.ts';
import type { Database } from '../../src/sqlite/driver.ts';
import { basic, staffTokens } from '../kit/staff.ts';
import type { Feature } from './features.ts';
import type { Host } from './machine.ts';
import type { CallSeen } from './network.ts';
import { hour, minute, type Scene, second } from './scene.ts';

export type FloodingMerchantDeps = {
  scene: Scene;
  /** The merchant who floods, and another one; and their keys at the service. */
  merchants: { flooding: string; other: string };
  keyOf(merchant: string): string;
  /** Lets payers dial a merchant at the same moment: all but one at the flooding merchant, and that one at the other. */
  gather(merchants: FloodingMerchantDeps['merchants']): void;
  machine: Pick<Host, 'gateways' | 'request' | 'wasDownSince'>;
};

/** A payer's call waits no longer for calls of another merchant, where nothing else delays it. */
const maxWaitMs = 2 * second;

/** More than a merchant's systems may send at once. */
const requestsAtOnce = 80;

/** Whatever else can delay a call of the gateway, or the rate of a key. */
const delaying: readonly Feature[] = [
  ...(['disk_full', 'disk_fails', 'foreign_locks', 'clock_jumps', 'clock_skew'] as const),
  ...(['blocked_parties', 'rate_limited', 'payers_limited'] as const),
];

/**
 * Simulates a merchant who floods: the service answers its calls slowly, its payers all confirm at once, and its systems send more
 * requests than they may. The payers and the systems of another merchant must not notice.
 */
export function createFloodingMerchant({ scene, merchants, keyOf, gather, machine }: FloodingMerchantDeps) {
  const { scheduler, plan, count, history, has, violate } = scene;
  const { now } = scheduler;
  const random = scene.random.fork('merchant_floods');
  const isChecked = machine.gateways === 1 && !delaying.some(has);
  const keys = new Map<string, string>();
  let floodsUntil = 0;
  /** The calls of the other merchant that are in flight, and when the last one ended. */
  let othersInFlight = 0;
  let idleSince = 0;

  const isOf = (merchant: string, call: CallSeen) =>
    call.headers.authorization === `Bearer ${keyOf(merchant)}`;

  async function addKey(merchantId: string): Promise<void> {
    const headers = { authorization: basic('adwoa', staffTokens.adwoa), 'content-type': 'application/json' };
    const init = { method: 'POST', headers, body: JSON.stringify({ merchantId, scopes: ['payments:read'] }) };
    while (!keys.has(merchantId)) {
      // A request to a process that is killed meanwhile has no answer.
      const added = machine.request('http://gateway.test/staff/v1/merchant-keys', init);
      const answer = await Promise.race([added, scheduler.sleep(minute)]);
      if (answer?.status === 200) keys.set(merchantId, ((await answer.json()) as { secret: string }).secret);
      else await scheduler.sleep(random.int(1, 10) * minute);
    }
  }

  /** Sends a request of a merchant's system. Returns its status; undefined without an answer. */
  async function read(merchant: string): Promise<number | undefined> {
    const headers = { authorization: `Bearer ${keys.get(merchant)}` };
    const url = `http://gateway.test${merchantApiPath}/payments?limit=1`;
    const answer = await Promise.race([machine.request(url, { headers }), scheduler.sleep(minute)]);
    return answer?.status;
  }

  async function floodApi(): Promise<void> {
    const { flooding, other } = merchants;
    if (!keys.has(flooding) || !keys.has(other)) return;
    const sent = Array.from({ length: requestsAtOnce }, () => read(flooding));
    const others = await Promise.all([read(other), read(other)]);
    const answers = (await Promise.all(sent)).filter((status) => status !== undefined);
    count('merchant requests refused', answers.filter((status) => status === 429).length);
    if (others.includes(429))
      violate('fairness', `a request of ${other} is refused for those of ${flooding}`);
    if (machine.gateways === 1 && answers.length === requestsAtOnce && !answers.includes(429))
      violate('fairness', `${flooding} sent ${requestsAtOnce} requests at once, and none was refused`);
  }

  async function flood(): Promise<void> {
    count('fault merchant_floods');
    history.record('merchant', `${merchants.flooding} floods`);
    floodsUntil = now() + random.int(2, 5) * minute;
    gather(merchants);
    await scheduler.sleep(random.int(0, 60) * second);
    await floodApi();
  }

  return {
    begin(): void {
      if (!has('merchant_floods')) return;
      for (const merchant of Object.values(merchants)) void addKey(merchant);
      for (let floods = random.int(1, 3); floods > 0; floods--)
        scheduler.after(random.int(0, plan.hours * hour), () => void flood());
    },
    /** Resolves when the service answers a call. */
    async answers(call: CallSeen): Promise<void> {
      if (now() < floodsUntil && isOf(merchants.flooding, call))
        await scheduler.sleep(random.int(5, 11) * second);
    },
    onCall(call: CallSeen): void {
      if (isOf(merchants.other, call)) othersInFlight += 1;
    },
    onDone(call: CallSeen): void {
      if (!isOf(merchants.other, call)) return;
      othersInFlight = Math.max(0, othersInFlight - 1);
      idleSince = now();
    },
    /** Resets the state when the process ends. */
    reset(): void {
      othersInFlight = 0;
      idleSince = now();
    },
    heal(): void {
      floodsUntil = 0;
    },
    /** Checks that no payer of the other merchant waits for the calls of the one who floods. */
    step(file: Database): void {
      if (!isChecked || now() >= floodsUntil || othersInFlight > 0 || now() - idleSince < maxWaitMs) return;
      const waiting = file
        .prepare(
          `SELECT collection_id AS id, max(next_at, lease_until) AS due FROM job
           WHERE merchant_id = ? AND urgency = 0 AND max(next_at, lease_until) <= ?`,
        )
        .get(merchants.other, now() - maxWaitMs) as { id: string; due: number } | undefined;
      if (waiting && !machine.wasDownSince(waiting.due))
        violate(
          'fairness',
          `${waiting.id} waits for ${now() - waiting.due} ms, and its merchant has no call in flight`,
        );
    },
  };
}
