import { type ApiError, isApiError } from '../../../src/service/api-error.ts';
import type { Service } from '../../../src/service/create.ts';
import { messageOf } from '../../../src/shared/errors.ts';
import type { Chance } from '../chance.ts';
import type { Prompt } from '../oracle/session.ts';
import type { World } from '../world.ts';
import type { Book } from './book.ts';
import type { Claims } from './claims.ts';
import type { Host } from './host.ts';
import type { End, RailSide, Shown } from './rail.ts';

export type SimulatedRailDeps = {
  world: World;
  chance: Chance;
  host: Pick<Host, 'use'>;
  book: Pick<Book, 'prompts' | 'promptsOf'>;
  claims: Pick<Claims, 'typed' | 'approved'>;
  onPrompt(prompt: Prompt): void;
  tell(what: string): void;
};

const second = 1000;

/** Tries to reach a service that is away, ten seconds apart: longer than any prompt lives. */
const maxTries = 20;

/**
 * The service's own simulated rail, whose book is in the service's file, and its phones in the payers' hands: prompts
 * light up on them, and are answered with a PIN.
 */
export function openSimulatedRail({ world, host, book, claims, tell, ...deps }: SimulatedRailDeps): RailSide {
  const chance = deps.chance.fork('phones');
  const losesAnswers = chance.pick([0, 0, 0.2]);
  const pushed = new Set<string>();
  const lit = new Set<string>();
  let healed = false;

  /** Resolves with nothing where the service is away, falls meanwhile, or fails. */
  async function reach<T>(work: (handset: Service['phone']) => Promise<T>): Promise<T | undefined> {
    try {
      return await host.use(({ phone: handset }) => work(handset));
    } catch (fault) {
      tell(`a phone gets no answer: ${messageOf(fault)}`);
      return undefined;
    }
  }

  /** Looks for prompts on a phone, and shows each that is new to its payer. */
  async function light(msisdn: string): Promise<void> {
    for (let tries = 0; tries < maxTries; tries++) {
      const pending = await reach((handset) => handset.pending(msisdn));
      for (const { id, sessionId, payer, createdAt } of pending ?? []) {
        if (lit.has(id)) continue;
        lit.add(id);
        tell(`${id} of ${sessionId} lights up`);
        deps.onPrompt({ id, sessionId, msisdn: payer, at: createdAt, answered: false });
      }
      if (pending) return;
      await world.sleep(10 * second);
    }
  }

  async function press(id: string, does: 'approve' | 'decline'): Promise<void> {
    if (does === 'approve' && chance.happens(0.1)) {
      const wrong = await reach((handset) => handset.approve(id, '0000'));
      if (isApiError(wrong)) tell(`${id} has a wrong PIN: ${wrong.code}`);
      await world.sleep(chance.int(2, 10) * second);
    }
    for (let tries = 0; tries < maxTries; tries++) {
      if (does === 'approve') claims.typed.add(id);
      const done = await reach<{ kind: 'approved' | 'declined' } | ApiError>((handset) =>
        does === 'decline' ? handset.decline(id) : handset.approve(id, '1234'),
      );
      if (done) {
        tell(`${id} is ${isApiError(done) ? done.code : done.kind}`);
        if (done.kind === 'approved') claims.approved.add(id);
        return;
      }
      await world.sleep(10 * second);
    }
  }

  return {
    book: {
      of: (sessionId) => ({ isRefused: false, shown: book.promptsOf(sessionId).map(shownOf) }),
      all: () => book.prompts().map(shownOf),
    },
    attach: (own) => ({
      round: own.round,
      async push(order, signal) {
        const answer = await own.push(order, signal);
        if (!healed && chance.happens(losesAnswers)) throw new Error('the answer of the rail was lost');
        return answer;
      },
    }),
    approve: ({ id }) => void press(id, 'approve'),
    decline: ({ id }) => void press(id, 'decline'),
    /** Sees what the rail has pushed since; a prompt takes a moment to reach its phone. */
    step(): void {
      for (const { id, payer } of book.prompts()) {
        if (pushed.has(id)) continue;
        pushed.add(id);
        world.after(chance.int(1, 5) * second, () => void light(payer));
      }
    },
    owes: () => book.prompts().filter(({ reported_at }) => reported_at === null).length,
    wellSince: () => Number.NEGATIVE_INFINITY,
    heal() {
      healed = true;
    },
  };
}

type PromptRow = ReturnType<Book['prompts']>[number];

function shownOf(row: PromptRow): Shown {
  const { id, session_id: sessionId, payer, amount_minor: amountMinor, created_at: at } = row;
  return { id, sessionId, payer, amountMinor, at, endsAt: row.expires_at, ends: endsOf(row) };
}

function endsOf({ status, failure, charged_minor: chargedMinor, closed_at: at }: PromptRow): End[] {
  if (at === null || status === 'pending') return [];
  const outcome = status === 'failed' ? (failure ?? 'pin_limit') : status;
  return [{ outcome, at, chargedMinor, knownAt: at }];
}
