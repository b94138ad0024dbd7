import { createHmac } from 'node:crypto';
import type { Chance } from '../chance.ts';
import { openFaults } from '../faults.ts';
import type { Feature } from '../features.ts';
import type { World } from '../world.ts';
import { factsOf, type OracleSession } from './session.ts';

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

export type NewsDesk = ReturnType<typeof newsDesk>;

/** Headers of a delivery, signed at that time. */
function signed({ merchant, body, id }: News, at: number): Record<string, string> {
  const t = String(Math.floor(at / 1000));
  const signature = createHmac('sha256', webhookSecretOf(merchant)).update(`${t}.${body}`).digest('hex');
  return {
    'content-type': 'application/json',
    'service-signature': `t=${t},v1=${signature}`,
    'service-event-id': id,
  };
}

/** Writes, signs and delivers events, as badly as the seed says; once healed, whatever is owed is delivered. */
export function newsDesk(deps: NewsDeps) {
  const { merchants, world, chance, has, tell, post } = deps;
  const faults = openFaults(deps);
  const { may, of } = faults;
  const owed = new Map<string, News>();
  const acknowledged = new Map<string, News>();
  /** Sessions of which it was said that they failed, true or not. */
  const failed = new Set<string>();
  let count = 0;

  function write(merchant: string, sessionId: string, type: string, data: object): News {
    count += 1;
    const id = `evt_${String(count).padStart(4, '0')}`;
    if (type === 'failed') failed.add(sessionId);
    return { id, type, merchant, body: bodyOf(id, type, data), sessionId };
  }

  const bodyOf = (id: string, type: string, data: object) =>
    JSON.stringify({
      id,
      type: `payment.session.${type}`,
      created_at: new Date(world.now()).toISOString(),
      data,
    });

  async function deliver(news: News): Promise<boolean> {
    const headers = signed(news, world.now());
    const status = await post(news.merchant, headers, news.body);
    if (status === undefined || status < 200 || status > 299) return false;
    owed.delete(news.id);
    if (!acknowledged.has(news.id)) haunt(news, headers);
    acknowledged.set(news.id, news);
    return true;
  }

  /** What comes after the news were taken: the same bytes again, of somebody who listened, or other words by their id. */
  function haunt(news: News, headers: Record<string, string>): void {
    if (may('events_replayed', 0.3)) {
      const later = of('events_replayed').int(1, 300) * minute;
      world.after(later, () => void post(news.merchant, headers, news.body));
    }
    if (may('ids_reused', 0.3)) {
      const data = { ...(JSON.parse(news.body) as { data: object }).data };
      const type = news.type === 'failed' ? 'paid' : 'failed';
      const paid = { status: 'paid', paid_at: new Date(world.now()).toISOString() };
      const body = bodyOf(news.id, type, { ...data, ...(type === 'paid' ? paid : { status: 'failed' }) });
      const other = { ...news, type, body };
      world.after(of('ids_reused').int(1, 3600) * second, () => {
        void post(news.merchant, signed(other, world.now()), body);
      });
    }
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
    const late = may('events_late', 0.4) ? of('events_late').int(1, 240) * minute : 0;
    const copies = may('events_doubled', 0.5) ? of('events_doubled').int(2, 4) : 1;
    for (let copy = 0; copy < copies; copy++) {
      world.after(late + chance.int(0, 3 * second), () => void deliverUntilTaken(news));
    }
  }

  const paidOf = (session: OracleSession) => ({
    ...factsOf(session),
    status: 'paid',
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
    hasToldFailed: (sessionId: string) => failed.has(sessionId),
    tell(session: OracleSession, type: string, data: object): void {
      if (has('events_never')) return;
      const contradicts = type === 'paid' && may('events_contradict', 0.4);
      const denial = () => write(session.merchant, session.id, 'failed', { ...data, status: 'failed' });
      const before = contradicts && of('events_contradict').happens(0.5);
      if (before) send(denial());
      send(write(session.merchant, session.id, type, data));
      if (contradicts && !before)
        world.after(of('events_contradict').int(1, 60) * minute, () => send(denial()));
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
      faults.heal();
      const settle = async (news: News) => {
        while (owed.has(news.id) && !(await deliver(news))) await world.sleep(minute);
      };
      for (const news of owed.values()) world.after(chance.int(0, 10) * minute, () => void settle(news));
    },
  };
}
