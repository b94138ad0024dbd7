import { z } from 'zod';
import { createSessionRequest } from '../../contract/session.ts';
import type { Store } from '../../db/store.ts';
import type { Clock, EpochMs } from '../../shared/clock.ts';
import type { Ids } from '../../shared/ids.ts';
import { largestAmountMinor } from '../../shared/money.ts';
import { type FeeSchedule, feeFor } from '../fee.ts';
import { refuseIssue } from '../http/body.ts';
import type { Answer, Keep } from '../idempotency/once.ts';
import { type RefusalCode, type Refused, refuse } from '../refusal.ts';
import type { Owner, Session, SessionStore } from './session-store.ts';
import { createdView } from './view.ts';

/** A session that nobody initiates is given up after this time. */
const createdLifeMs = 30 * 60_000;

const networks = ['mtn', 'telecel', 'at'] as const;

const fields = z.strictObject({
  ...createSessionRequest.shape,
  amount_minor: z.int().min(1).max(largestAmountMinor),
  network: z.enum(networks),
});

const codes: Readonly<Record<string, RefusalCode>> = {
  msisdn: 'invalid_msisdn',
  amount_minor: 'invalid_amount',
  network: 'unknown_network',
  mode: 'invalid_mode',
  reference: 'invalid_reference',
};

/** Whether the body asks for an offline session, which is looked at before anything else about it. */
export function checkMode(body: Readonly<Record<string, unknown>>): Refused | undefined {
  if (body.mode === 'offline') return undefined;
  if (body.mode === undefined || body.mode === 'web') return refuse('web_mode_not_served', { param: 'mode' });
  return refuse('invalid_mode', { param: 'mode' });
}

export type CreateSession = (
  owner: Owner,
  body: Readonly<Record<string, unknown>>,
  keep: Keep,
) => Promise<Answer | Refused>;

/**
 * Creates an offline session in the state `created`. Nothing is charged and nobody is asked. The answer is kept
 * under its idempotency key in the same batch.
 */
export function createSession(deps: {
  store: Store;
  sessions: SessionStore;
  clock: Clock;
  ids: Ids;
  fee: FeeSchedule;
  /** Told when the new session will have to be given up. */
  expiresBy(at: EpochMs): void;
}): CreateSession {
  return async (owner, body, keep) => {
    const parsed = fields.safeParse(body);
    if (!parsed.success) return refuseIssue(body, parsed.error, (field) => codes[field] ?? 'invalid_field');
    const asked = parsed.data;
    const now = deps.clock.now();
    const feeMinor = feeFor(asked.amount_minor, deps.fee);
    const row: Session = {
      ...owner,
      id: deps.ids.next('pay'),
      mode: 'offline',
      channel: 'ussd',
      network: asked.network,
      payer: asked.msisdn,
      reference: asked.reference,
      goodsMinor: asked.amount_minor,
      amountMinor: asked.amount_minor + feeMinor,
      feeMinor,
      netMinor: asked.amount_minor,
      status: 'created',
      reason: null,
      createdAt: now,
      initiatedAt: null,
      paidAt: null,
      closedAt: null,
      expiresAt: now + createdLifeMs,
    };
    const answer: Answer = { kind: 'answered', status: 201, body: JSON.stringify(createdView(row)) };
    const stored = await deps.store.apply([deps.sessions.insert(row), ...keep.first(answer)]);
    if (!stored) throw new Error('a new session found its identifier or its idempotency key taken');
    deps.expiresBy(now + createdLifeMs);
    return answer;
  };
}
