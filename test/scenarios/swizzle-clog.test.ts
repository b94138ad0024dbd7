import { expect, test } from 'vitest';
import { createSqliteStore } from '../../src/sqlite/sqlite.ts';
import { type Chance, chance } from '../aggregators/chance.ts';
import { checkStatement, storedCollections } from '../kit/payers.ts';
import { createLatch } from '../kit/scenes.ts';
import { createTill, type Till } from '../kit/till.ts';

const minute = 60_000;

/** A party that can be blocked: requests to it wait until it is unblocked, or time out. */
const actors = ['create', 'initiate', 'status', 'webhook', 'database', 'payer'] as const;
type Actor = (typeof actors)[number];

type Clogs = {
  clog(actor: Actor): void;
  free(actor: Actor): void;
  isClogged(actor: Actor): boolean;
  pass(actor: Actor, signal?: AbortSignal): Promise<void>;
};

function openClogs(): Clogs {
  const places = new Map<Actor, ReturnType<typeof createLatch>>();
  return {
    clog: (actor) => void places.set(actor, createLatch()),
    free(actor) {
      places.get(actor)?.release();
      places.delete(actor);
    },
    isClogged: (actor) => places.has(actor),
    async pass(actor, signal) {
      const place = places.get(actor);
      if (!place) return;
      const given = new Promise<never>((_, reject) => {
        signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
      });
      await Promise.race([place.wait(), given]);
    },
  };
}

function openClogged(clogs: Clogs): Promise<Till> {
  const createStore: typeof createSqliteStore = (options) => {
    const store = createSqliteStore(options);
    return {
      ...store,
      async apply(batch, signal) {
        await clogs.pass('database');
        return store.apply(batch, signal);
      },
    };
  };
  return createTill({
    service: { limits: { prompts: { burst: 1_000, perMinute: 1_000 } } },
    overrides: () => ({ createStore }),
    faults: {
      // The request or the answer is blocked. The caller cannot distinguish them.
      async call({ name }, pass, signal) {
        const before = clogs.isClogged(name);
        if (before) await clogs.pass(name, signal);
        const answer = await pass();
        if (!before) await clogs.pass(name, signal);
        return answer;
      },
      async webhook(_body, pass) {
        await clogs.pass('webhook');
        return pass();
      },
    },
  });
}

/** Approves every pending prompt while the handsets are not blocked. */
async function answerPrompts(till: Till, clogs: Clogs, pick: Chance): Promise<void> {
  if (clogs.isClogged('payer')) return;
  for (const { payer } of storedCollections(till)) {
    const [prompt] = await till.service.phone.pending(payer as never);
    if (!prompt || pick.in100(40)) continue;
    if (pick.in100(75)) await till.service.phone.approve(prompt.id, '1234');
    else await till.service.phone.decline(prompt.id);
  }
}

let numbers = 0;

/** Dials and confirms. The last screen announces a prompt, or asks the payer to try again. */
async function comeAlong(till: Till): Promise<void> {
  const phone = till.phone(`0244${String(++numbers).padStart(6, '0')}`);
  const first = await phone.dial('*713*5*1*20#');
  await till.clock.sleep(2_500);
  if (first.ok && first.screen.kind === 'continue') await phone.send('1');
}

test.each([1, 2, 3])(
  'S57: after parties are blocked one by one and unblocked in another order (seed %i), every payment is booked as it was made',
  async (seed) => {
    const pick = chance(seed);
    const clogs = openClogs();
    const till = await openClogged(clogs);
    const turn = async (work: () => void) => {
      work();
      void comeAlong(till);
      await till.clock.advance(1_000 * (1 + pick.below(20)));
      await answerPrompts(till, clogs, pick);
    };
    for (let round = 0; round < 2; round++) {
      const chosen = pick.shuffle(actors).slice(0, 3 + pick.below(4));
      for (const actor of chosen) await turn(() => clogs.clog(actor));
      for (const actor of pick.shuffle(chosen)) await turn(() => clogs.free(actor));
    }
    expect(storedCollections(till).length).toBeGreaterThan(3);

    // Nothing is blocked from here on, and within ten minutes no collection is open.
    const open = () =>
      storedCollections(till).filter(({ status }) =>
        ['accepted', 'created', 'initiating', 'initiated'].includes(status),
      );
    const end = till.clock.now() + 10 * minute;
    while (open().length > 0 && till.clock.now() < end) {
      await till.clock.advance(5_000);
      await answerPrompts(till, clogs, pick);
    }
    expect(open()).toEqual([]);
    // The bookings equal the charges, and no payer had two prompts.
    const { chargedMinor } = await checkStatement(till);
    const paid = storedCollections(till).filter(({ status }) => status === 'paid');
    expect(chargedMinor).toBe(paid.length * 2_020);
    expect(storedCollections(till).filter(({ status }) => status === 'review')).toEqual([]);

    // A new payer is served at once.
    const last = '0201234567';
    await till.pay(last);
    await till.untilStatus(last, 'initiated', 10_000);
  },
);
