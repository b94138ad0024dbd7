import type { Chance } from '../chance.ts';
import type { News } from '../oracle/news.ts';
import type { World } from '../world.ts';
import type { Book } from './book.ts';
import type { Claims } from './claims.ts';
import type { Host } from './host.ts';

export type ClerkDeps = {
  world: World;
  chance: Chance;
  host: Pick<Host, 'use'>;
  book: Pick<Book, 'sessions'>;
  claims: Pick<Claims, 'say'>;
  /** Merchants' secret keys. */
  keys: ReadonlyMap<string, string>;
  ownerOf(sessionId: string): string | undefined;
  acknowledged: ReadonlyMap<string, News>;
  tell(what: string): void;
  violate(rule: string, what: string): void;
};

type Said = { status: number; body: string };

const minute = 60_000;

/** Answers of a service that cannot be asked now. */
const isBusy = ({ status }: Said) => status === 429 || status === 503;

/**
 * People at the merchants, with the keys of their tills: they look payments and events up, initiate by hand what was
 * initiated before, and try the sessions of others.
 */
export function openClerk({ world, host, book, claims, keys, violate, tell, ...deps }: ClerkDeps) {
  const chance = deps.chance.fork('clerk');
  let healed = false;

  /** Resolves with nothing where the service is away, or busy. */
  async function ask(merchant: string, method: 'GET' | 'POST', path: string): Promise<Said | undefined> {
    const headers = { authorization: `Bearer ${keys.get(merchant)}` };
    const said = await host.use(async ({ app }) => {
      const answer = await app.request(`http://service.test/v1${path}`, { method, headers });
      return { status: answer.status, body: await answer.text() };
    });
    return said && !isBusy(said) ? said : undefined;
  }

  async function lookup(merchant: string, id: string): Promise<void> {
    const said = await ask(merchant, 'GET', `/payments/sessions/${id}`);
    if (!said) return;
    const { status } = JSON.parse(said.body) as { status?: string };
    if (said.status !== 200 || status === undefined)
      return violate('service says', `${id} is looked up: ${said.status} ${said.body}`);
    claims.say(id, status);
  }

  /** What was delivered can be read again, as it was. */
  async function readEvents(merchant: string, id: string): Promise<void> {
    const delivered = [...deps.acknowledged.values()].filter(({ sessionId }) => sessionId === id);
    const said = await ask(merchant, 'GET', `/events?session_id=${id}`);
    if (!said) return;
    const { data = [] } = JSON.parse(said.body) as { data?: { id: string }[] };
    const listed = new Map(data.map((event) => [event.id, JSON.stringify(event)]));
    for (const event of delivered)
      if (listed.get(event.id) !== event.body)
        violate('service says', `${event.id} was ${event.body}, and is listed as ${listed.get(event.id)}`);
  }

  async function initiateAgain(merchant: string, id: string): Promise<void> {
    const said = await ask(merchant, 'POST', `/payments/sessions/${id}/initiate`);
    if (said && said.status !== 409)
      violate('service once', `${id} is initiated again: ${said.status} ${said.body}`);
  }

  async function trespass(other: string, id: string): Promise<void> {
    for (const [method, end] of [
      ['GET', ''],
      ['GET', '/status'],
      ['POST', '/initiate'],
    ] as const) {
      const said = await ask(other, method, `/payments/sessions/${id}${end}`);
      if (said && said.status !== 404)
        violate('service says', `${other} asks for ${id}${end}: ${said.status}`);
    }
  }

  async function work(): Promise<void> {
    const [newest, ...rest] = [...book.sessions().values()]
      .filter(({ status }) => status !== 'created')
      .reverse();
    if (!newest) return;
    const { id } = chance.happens(0.5) ? newest : chance.pick([newest, ...rest]);
    const owner = deps.ownerOf(id) ?? '';
    tell(`somebody at ${owner} looks at ${id}`);
    await lookup(owner, id);
    await initiateAgain(owner, id);
    await readEvents(owner, id);
    for (const other of keys.keys()) if (other !== owner) await trespass(other, id);
  }

  function plan(): void {
    world.after(chance.int(5, 60) * minute, () => {
      if (healed) return;
      void work();
      plan();
    });
  }
  plan();

  return {
    heal(): void {
      healed = true;
    },
  };
}
