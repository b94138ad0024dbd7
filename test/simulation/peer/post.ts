import { createHmac } from 'node:crypto';
import type { ServiceOverrides } from '../../../src/service/config.ts';
import type { Chance } from '../chance.ts';
import { openFaults } from '../faults.ts';
import type { Feature } from '../features.ts';
import type { Machine } from '../machine.ts';
import { type News, webhookSecretOf } from '../oracle/news.ts';
import type { World } from '../world.ts';

export type PostDeps = {
  world: World;
  chance: Chance;
  has(feature: Feature): boolean;
  machine: Pick<Machine, 'request'>;
  /** Whose session that is. */
  ownerOf(sessionId: string): string | undefined;
  tell(what: string): void;
  count(what: string): void;
  violate(rule: string, what: string): void;
};

type Send = NonNullable<ServiceOverrides['fetch']>;
type Letter = Parameters<Send>[1];

const minute = 60_000;

/** The way of webhooks from the service to the gateway: it loses, doubles and delays them, as the seed says. */
export function openPost({ world, has, machine, tell, count, violate, ...deps }: PostDeps) {
  const chance = deps.chance.fork('post');
  const faults = openFaults({ chance, has, count });
  const { may, of } = faults;
  const acknowledged = new Map<string, News>();
  /** What the first attempt of an event sent: every other sends the same. */
  const bodies = new Map<string, string>();

  /** Who gets an event checks it: it is the merchant's own, and these bytes are signed now, by the merchant's secret. */
  function check(merchant: string, { headers, body }: Letter): void {
    const { id, data } = JSON.parse(body) as { id: string; data: { id: string } };
    if (deps.ownerOf(data.id) !== merchant) violate('service tells', `${id} is sent to ${merchant}`);
    const t = Math.floor(world.now() / 1000);
    const v1 = createHmac('sha256', webhookSecretOf(merchant)).update(`${t}.${body}`).digest('hex');
    if (headers['service-signature'] !== `t=${t},v1=${v1}`)
      violate('service signs', `${id} is signed ${headers['service-signature']}, not t=${t},v1=${v1}`);
    if (headers['service-event-id'] !== id)
      violate('service signs', `${id} is sent as ${headers['service-event-id']}`);
    const before = bodies.get(id);
    if (before !== undefined && before !== body)
      violate('service tells', `${id} was ${before}, and is sent as ${body}`);
    bodies.set(id, body);
  }

  /** Brings a copy to the gateway. Resolves with its status; with nothing where no answer came. */
  async function carry(url: string, { headers, body }: Letter): Promise<number | undefined> {
    await world.sleep(chance.int(5, 300));
    const answer = await machine.request(url, { method: 'POST', headers, body });
    const { id, type, data } = JSON.parse(body) as { id: string; type: string; data: { id: string } };
    tell(`delivers ${id} (${type} of ${data.id}): ${answer?.status ?? 'no answer'}`);
    if (answer?.status !== 200) return answer?.status;
    count('acknowledged');
    acknowledged.set(id, { id, type, merchant: merchantOf(url), body, sessionId: data.id });
    return 200;
  }

  /** What the service hears of it. */
  async function exchange(url: string, letter: Letter): Promise<number | undefined> {
    // Now and then something answers that is not the gateway.
    if (may('events_lost', 0.5)) return of('events_lost').pick([undefined, undefined, 302, 404, 500, 503]);
    if (may('events_doubled', 0.5)) {
      const own = of('events_doubled');
      for (let copy = own.int(1, 3); copy > 0; copy--)
        world.after(own.int(0, 10 * minute), () => void carry(url, letter));
    }
    if (may('events_late', 0.4)) await world.sleep(of('events_late').int(1, 240) * minute);
    const status = await carry(url, letter);
    return may('events_lost', 0.2) ? undefined : status;
  }

  const send: Send = (url, letter) =>
    new Promise((resolve, reject) => {
      check(merchantOf(url), letter);
      const { signal } = letter;
      const giveUp = () => reject(signal.reason ?? new Error('aborted'));
      signal.addEventListener('abort', giveUp, { once: true });
      exchange(url, letter).then((status) => {
        if (status !== undefined) resolve({ status, body: null });
        // Silence lasts until the sender gives up; a broken line is a reset.
        else if (chance.happens(0.5)) reject(new Error('ECONNRESET'));
      }, reject);
    });

  return {
    send,
    /** Webhooks that the gateway has answered with 2xx. */
    acknowledged,
    heal: faults.heal,
  };
}

const merchantOf = (url: string) => new URL(url).pathname.slice('/webhooks/'.length);
