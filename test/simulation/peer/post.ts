import type { ServiceOverrides } from '../../../src/service/config.ts';
import type { Chance } from '../chance.ts';
import type { Feature } from '../features.ts';
import type { Machine } from '../machine.ts';
import type { News } from '../oracle/news.ts';
import type { World } from '../world.ts';

export type PostDeps = {
  world: World;
  chance: Chance;
  has(feature: Feature): boolean;
  machine: Pick<Machine, 'request'>;
  tell(what: string): void;
  count(what: string): void;
};

type Send = NonNullable<ServiceOverrides['fetch']>;

const minute = 60_000;

/** The way of webhooks from the service to the gateway: it loses, doubles and delays them, as the seed says. */
export function openPost({ world, has, machine, tell, count, ...deps }: PostDeps) {
  const chance = deps.chance.fork('post');
  const acknowledged = new Map<string, News>();
  let healed = false;
  function may(feature: Feature, probability: number): boolean {
    const does = !healed && has(feature) && chance.happens(probability);
    if (does) count(`fault ${feature}`);
    return does;
  }

  /** Brings a copy to the gateway. Resolves with its status; with nothing where no answer came. */
  async function carry(url: string, { headers, body }: Parameters<Send>[1]): Promise<number | undefined> {
    await world.sleep(chance.int(5, 300));
    const answer = await machine.request(url, { method: 'POST', headers, body });
    const { id, type, data } = JSON.parse(body) as { id: string; type: string; data: { id: string } };
    tell(`delivers ${id} (${type} of ${data.id}): ${answer?.status ?? 'no answer'}`);
    if (answer?.status !== 200) return answer?.status;
    count('acknowledged');
    const merchant = new URL(url).pathname.slice('/webhooks/'.length);
    acknowledged.set(id, { id, type, merchant, body, sessionId: data.id });
    return 200;
  }

  /** What the service hears of it. */
  async function exchange(url: string, request: Parameters<Send>[1]): Promise<number | undefined> {
    if (may('events_lost', 0.5)) return undefined;
    if (may('events_doubled', 0.5))
      for (let copy = chance.int(1, 3); copy > 0; copy--)
        world.after(chance.int(0, 10 * minute), () => void carry(url, request));
    if (may('events_late', 0.4)) await world.sleep(chance.int(1, 240) * minute);
    const status = await carry(url, request);
    return may('events_lost', 0.2) ? undefined : status;
  }

  const send: Send = (url, request) =>
    new Promise((resolve, reject) => {
      const { signal } = request;
      const giveUp = () => reject(signal.reason ?? new Error('aborted'));
      signal.addEventListener('abort', giveUp, { once: true });
      exchange(url, request).then((status) => {
        if (status !== undefined) resolve({ status, body: null });
        // Silence lasts until the sender gives up; a broken line is a reset.
        else if (chance.happens(0.5)) reject(new Error('ECONNRESET'));
      }, reject);
    });

  return {
    send,
    /** Webhooks that the gateway has answered with 2xx. */
    acknowledged,
    heal(): void {
      healed = true;
    },
  };
}
