import type { Service } from '../../../src/service/create.ts';
import { type ApiError, isApiError } from '../../../src/service/http/response.ts';
import { errorMessage } from '../../../src/shared/errors.ts';
import { second } from '../../kit/clock.ts';
import type { Prompt } from '../oracle/session.ts';
import type { Part } from '../scene.ts';
import type { Claims } from './claims.ts';
import type { Host } from './host.ts';
import type { End, RailSide, Shown } from './rail.ts';
import type { ServiceRecords } from './service-records.ts';

export type SimulatedRailDeps = Part & {
  host: Pick<Host, 'use'>;
  records: Pick<ServiceRecords, 'prompts' | 'promptsOf'>;
  claims: Pick<Claims, 'typed' | 'approved'>;
  onPrompt(prompt: Prompt): void;
  record(what: string): void;
};

/** Attempts to reach a service that is down, ten seconds apart: longer than the lifetime of a prompt. */
const maxTries = 20;

/** The service's own simulated rail, whose records are in the service's file, and its phones in the payers' hands. */
export function createSimulatedRail({
  scheduler,
  host,
  records,
  claims,
  record,
  ...deps
}: SimulatedRailDeps): RailSide {
  const random = deps.random.fork('phones');
  const losesAnswers = random.pick([0, 0, 0.2]);
  const pushed = new Set<string>();
  const lit = new Set<string>();
  let healed = false;

  /** Resolves with `undefined` when the service is down, ends meanwhile, or fails. */
  async function reach<T>(work: (handset: Service['phone']) => Promise<T>): Promise<T | undefined> {
    try {
      return await host.use(({ phone: handset }) => work(handset));
    } catch (fault) {
      record(`a phone gets no answer: ${errorMessage(fault)}`);
      return undefined;
    }
  }

  /** Looks for prompts on a phone and shows each new one to its payer. */
  async function light(msisdn: string): Promise<void> {
    for (let tries = 0; tries < maxTries; tries++) {
      const pending = await reach((handset) => handset.pending(msisdn));
      for (const { id, sessionId, payer, createdAt } of (pending ?? []).reverse()) {
        if (lit.has(id)) continue;
        lit.add(id);
        record(`${id} of ${sessionId} lights up`);
        deps.onPrompt({ id, sessionId, msisdn: payer, at: createdAt, answered: false });
      }
      if (pending) return;
      await scheduler.sleep(10 * second);
    }
  }

  async function press(id: string, action: 'approve' | 'decline'): Promise<void> {
    if (action === 'approve' && random.happens(0.1)) {
      const wrong = await reach((handset) => handset.approve(id, '0000'));
      if (isApiError(wrong)) record(`${id} has a wrong PIN: ${wrong.code}`);
      await scheduler.sleep(random.int(2, 10) * second);
    }
    for (let tries = 0; tries < maxTries; tries++) {
      if (action === 'approve') claims.typed.add(id);
      const done = await reach<{ kind: 'approved' | 'declined' } | ApiError>((handset) =>
        action === 'decline' ? handset.decline(id) : handset.approve(id, '1234'),
      );
      if (done) {
        record(`${id} is ${isApiError(done) ? done.code : done.kind}`);
        if (done.kind === 'approved') claims.approved.add(id);
        return;
      }
      await scheduler.sleep(10 * second);
    }
  }

  return {
    records: {
      of: (sessionId) => ({ isRefused: false, shown: records.promptsOf(sessionId).map(shownOf) }),
      all: () => records.prompts().map(shownOf),
    },
    attach: (own) => ({
      round: own.round,
      inquire: own.inquire,
      async push(order, signal) {
        const answer = await own.push(order, signal);
        if (!healed && random.happens(losesAnswers)) throw new Error('the answer of the rail was lost');
        return answer;
      },
    }),
    approve: ({ id }) => void press(id, 'approve'),
    decline: ({ id }) => void press(id, 'decline'),
    /** Finds new prompts. A prompt reaches its phone after a few seconds. */
    step(): void {
      for (const { id, payer } of records.prompts()) {
        if (pushed.has(id)) continue;
        pushed.add(id);
        scheduler.after(random.int(1, 5) * second, () => void light(payer));
      }
    },
    pendingCount: () => records.prompts().filter(({ reported_at }) => reported_at === null).length,
    wellSince: () => Number.NEGATIVE_INFINITY,
    heal() {
      healed = true;
    },
  };
}

type PromptRow = ReturnType<ServiceRecords['prompts']>[number];

function shownOf(row: PromptRow): Shown {
  const { id, session_id: sessionId, payer, amount_minor: amountMinor, created_at: at } = row;
  return { id, sessionId, payer, amountMinor, at, endsAt: row.expires_at, ends: endsOf(row) };
}

function endsOf({ status, failure, charged_minor: chargedMinor, closed_at: at }: PromptRow): End[] {
  if (at === null || status === 'pending') return [];
  const outcome = status === 'failed' ? (failure ?? 'pin_limit') : status;
  return [{ outcome, at, chargedMinor, knownAt: at }];
}
