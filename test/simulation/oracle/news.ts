import { createHmac } from 'node:crypto';
import type { Chance } from '../chance.ts';
import type { Feature } from '../features.ts';
import type { World } from '../world.ts';
import type { OracleSession } from './session.ts';

export type News = { id: string; type: string; merchant: string; body: string; sessionId: string };

/** Posts a delivery to a merchant's address. Resolves with the HTTP status; `undefined` when no answer came. */
export type Post = (
  merchant: string,
  headers: Record<string, string>,
  body: string,
) => Promise<number | undefined>;

type NewsDeps = {
  merchants: readonly string[];
  world: World;
  chance: Chance;
  has(feature: Feature): boolean;
  tell(what: string): void;
  count(fault: string): void;
  post: Post;
};

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;

/** When a delivery that was not acknowledged is tried again. */
const retries = [5 * second, minute, 10 * minute, hour, 6 * hour] as const;

export const webhookSecretOf = (merchant: string) => `whsec_simulated_${merchant}_0123456789`;

/** Writes, signs and delivers events, as badly as the seed says; once healed, whatever is owed is delivered. */
export function newsDesk({ merchants, world, chance, has, tell, count: tally, post }: NewsDeps) {
  const owed = new Map<string, News>();
  const acknowledged = new Map<string, News>();
  let healed = false;
  let count = 0;
  function may(feature: Feature, probability: number): boolean {
    const does = !healed && has(feature) && chance.happens(probability);
    if (does) tally(`fault ${feature}`);
    return does;
  }

  function write(merchant: string, sessionId: string, type: string, data: object): News {
    count += 1;
    const id = `evt_${String(count).padStart(4, '0')}`;
    const body = JSON.stringify({
      id,
      type: `payment.session.${type}`,
      created_at: new Date(world.now()).toISOString(),
      data,
    });
    return { id, type, merchant, body, sessionId };
  }

  async function deliver(news: News): Promise<boolean> {
    const t = String(Math.floor(world.now() / 1000));
    const signature = createHmac('sha256', webhookSecretOf(news.merchant))
      .update(`${t}.${news.body}`)
      .digest('hex');
    const status = await post(
      news.merchant,
      {
        'content-type': 'application/json',
        'service-signature': `t=${t},v1=${signature}`,
        'service-event-id': news.id,
      },
      news.body,
    );
    if (status === undefined || status < 200 || status > 299) return false;
    owed.delete(news.id);
    acknowledged.set(news.id, news);
    return true;
  }

  async function deliverUntilTaken(news: News): Promise<void> {
    for (const wait of retries) {
      if (!owed.has(news.id) || (await deliver(news)) || has('events_once')) return;
      await world.sleep(wait);
    }
  }

  function send(news: News): void {
    owed.set(news.id, news);
    if (may('events_lost', 0.5)) {
      tell(`${news.id} (${news.type} of ${news.sessionId}) is lost`);
      return;
    }
    const late = may('events_late', 0.4) ? chance.int(1, 240) * minute : 0;
    const copies = may('events_doubled', 0.5) ? chance.int(2, 4) : 1;
    for (let copy = 0; copy < copies; copy++) {
      world.after(late + chance.int(0, 3 * second), () => void deliverUntilTaken(news));
    }
  }

  const paidOf = (session: OracleSession) => ({
    id: session.id,
    status: 'paid',
    goods_minor: session.goodsMinor,
    amount_minor: session.amountMinor,
    expected_fee_minor: session.feeMinor,
    expected_net_minor: session.goodsMinor,
    paid_at: new Date(world.now()).toISOString(),
  });

  /** News that are none of this merchant's: another merchant's, another channel's, and of a type that nobody knows. */
  function foreign(session: OracleSession): void {
    for (const other of merchants) {
      if (other !== session.merchant) send(write(other, session.id, 'paid', paidOf(session)));
    }
    send(write(session.merchant, 'pay_web_1', 'paid', { ...paidOf(session), id: 'pay_web_1' }));
    send(
      write(session.merchant, session.id, 'refund_requested', {
        id: session.id,
        anything: [1, { deep: true }],
      }),
    );
  }

  /** Somebody who does not know the secret says that it was paid. */
  function forge(session: OracleSession): void {
    const id = `evt_forged_${session.id}`;
    const created_at = new Date(world.now()).toISOString();
    const t = String(Math.floor(world.now() / 1000));
    const headers = {
      'content-type': 'application/json',
      'service-signature': `t=${t},v1=${'0'.repeat(64)}`,
      'service-event-id': id,
    };
    const body = { id, type: 'payment.session.paid', created_at, data: paidOf(session) };
    void post(session.merchant, headers, JSON.stringify(body));
  }

  return {
    acknowledged,
    owes: () => owed.size,
    tell(session: OracleSession, type: string, data: object): void {
      if (has('events_never')) return;
      const contradicts = may('events_contradict', 0.4);
      const failed = () => write(session.merchant, session.id, 'failed', { ...data, status: 'failed' });
      const before = chance.happens(0.5);
      if (type === 'paid' && contradicts && before) send(failed());
      send(write(session.merchant, session.id, type, data));
      if (type === 'paid' && contradicts && !before)
        world.after(chance.int(1, 60) * minute, () => send(failed()));
      // The same news once more, under a new id.
      if (may('events_doubled', 0.3)) send(write(session.merchant, session.id, type, data));
      if (may('foreign_events', 0.3)) foreign(session);
    },
    /** What others say of a session while its prompt waits. */
    gossip(session: OracleSession): void {
      if (has('events_never')) return;
      if (may('foreign_events', 0.5)) foreign(session);
      if (may('foreign_events', 0.5)) forge(session);
    },
    heal(): void {
      healed = true;
      const settle = async (news: News) => {
        while (owed.has(news.id) && !(await deliver(news))) await world.sleep(minute);
      };
      for (const news of owed.values()) world.after(chance.int(0, 10) * minute, () => void settle(news));
    },
  };
}
