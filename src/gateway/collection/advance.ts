import { payerLimited } from '../../contract/error.ts';
import { otherCurrency } from '../../contract/service/field.ts';
import type { SessionStatusResult } from '../../contract/service/reading.ts';
import type { EpochMs } from '../../shared/clock.ts';
import { conflict, retryConflict } from '../../sqlite/store.ts';
import type { Applied, ApplyOptions, Reconciliation } from './apply.ts';
import type { CallOutcome, Provider } from './calls/provider.ts';
import type { SendTimes } from './calls/send-times.ts';
import {
  type Claimed,
  type PromptDeps,
  turnsBeforePrompt,
  turnsBeforeResend,
} from './calls/wait-for-phone.ts';
import { awaitsService, type CollectionWithJob, isUnconfirmed } from './collection.ts';
import { type Evidence, isFailureReason, toReportedReview } from './evidence.ts';
import type { CallName } from './fact.ts';
import { type SeenTurns, unlessDialledWrite } from './store/job-store.ts';

export type AdvanceDeps = PromptDeps & {
  reconciliation: Reconciliation;
  provider: Provider;
  sendTimes: SendTimes;
  /** Returns the merchant's secret key, or `undefined` when the configuration no longer contains the merchant. */
  keyOf(merchantId: string): string | undefined;
  /** Called after a 429 about the merchant's key, so that the merchant's other calls wait as well. */
  onRateLimited?(merchantId: string, retryAfterMs: number | undefined): void;
};

/** A step of a claim: one of the calls, the request of the prompt, or a deadline of the gateway. */
type Step = 'create' | 'prompt' | 'initiate' | 'poll' | 'deadline';

type RunStep = (deps: AdvanceDeps, claimed: Claimed) => Promise<Applied | undefined>;

const steps: Record<Step, RunStep> = { create, prompt, initiate, poll, deadline };

/**
 * Advances a claimed collection as far as its claim goes: one step, and what must follow it at once. A further step is
 * claimed anew, because each claim has one call of its key's rate. Every call is durable before it is sent (the row, its bytes
 * and the claim), and every result enters as evidence.
 *
 * @param claimed the collection as it was claimed.
 */
export async function advance(deps: AdvanceDeps, claimed: CollectionWithJob): Promise<void> {
  const { fence } = claimed;
  let row = claimed;
  let step = await firstStep(deps, row);
  while (step) {
    const applied: Applied | undefined = await steps[step](deps, { row, fence });
    if (!applied) return;
    row = applied.row;
    step = await stepAfter(deps, step, applied);
  }
}

async function firstStep(deps: AdvanceDeps, row: CollectionWithJob): Promise<Step | undefined> {
  const call = findCall(row);
  // A poll may report a payment, and a restored collection may have a prompt: the deadline comes after the call.
  const mayBePrompted = call === 'poll' || row.restoredAt !== null;
  return !mayBePrompted && (await isDeadlineOver(deps, row)) ? 'deadline' : call;
}

async function stepAfter(deps: AdvanceDeps, done: Step, { row, send }: Applied): Promise<Step | undefined> {
  if (send) return 'initiate';
  return done !== 'deadline' && (await isDeadlineOver(deps, row)) ? 'deadline' : undefined;
}

/** Returns the step that the status asks for; undefined without work. */
function findCall(row: CollectionWithJob): Step | undefined {
  const { status, restoredAt } = row;
  if (status === 'accepted') return 'create';
  // A restored collection may have been prompted by the original ledger, so it is only polled.
  if (status === 'created' && restoredAt === null) return 'prompt';
  const isPolled = status === 'created' || status === 'initiating' || status === 'initiated';
  return isPolled || isUnconfirmed(row) || awaitsService(row) ? 'poll' : undefined;
}

function dueEvidence(deps: AdvanceDeps, row: CollectionWithJob): Evidence {
  return { kind: 'due', asOf: requestTime(deps, row) };
}

/** Returns whether time alone has an effect: the prompt deadline or the watch is over, the payer may retry, or an alarm is due. */
async function isDeadlineOver(deps: AdvanceDeps, row: CollectionWithJob): Promise<boolean> {
  return (await deps.reconciliation.preview(row, dueEvidence(deps, row))).facts.length > 0;
}

function deadline(deps: AdvanceDeps, { row, fence }: Claimed): Promise<Applied> {
  return deps.reconciliation.apply(row, dueEvidence(deps, row), { fence, maySend: false });
}

/** Sends the stored create call, which is harmless. */
async function create(deps: AdvanceDeps, { row, fence }: Claimed): Promise<Applied> {
  const key = deps.keyOf(row.merchantId);
  const call = { idempotencyKey: row.createKey, body: row.createBody };
  const outcome = key ? await deps.provider.create(key, call) : notConfigured;
  const evidence: Evidence =
    outcome.kind === 'ok'
      ? { kind: 'create_answered', session: outcome.value, ms: outcome.ms }
      : failureEvidence(deps, row, 'create', outcome);
  return deps.reconciliation.apply(row, evidence, { fence });
}

/**
 * Requests the prompt once it is due, and the payer has not dialled since that was read. An event can be recorded meanwhile: the next
 * attempt continues with the row after it, which may need no prompt.
 */
async function prompt(deps: AdvanceDeps, claimed: Claimed): Promise<Applied | undefined> {
  const { fence } = claimed;
  let { row } = claimed;
  return retryConflict(`the prompt of ${row.id}`, async () => {
    if (row.status !== 'created') return deadline(deps, { row, fence });
    const seen = await turnsBeforePrompt(deps, { row, fence });
    if (!seen) return undefined;
    // After the deadline nothing is sent.
    const guard = deps.clock.now() < row.promptDeadline ? unlessDialled(row, seen) : {};
    const applied = await deps.reconciliation.apply(row, { kind: 'due' }, { fence, ...guard });
    if (!applied.refused) return applied;
    row = applied.row;
    return conflict;
  });
}

/** The options of a write that must not happen when the payer has a turn that was not seen. */
function unlessDialled({ id, payer }: CollectionWithJob, seen: SeenTurns): ApplyOptions {
  return { with: [unlessDialledWrite(id, payer, seen)], mayApply: async () => false };
}

/**
 * The commit of `prompt_requested` took until after the prompt deadline, or until after the lease, so that another gateway may
 * have the collection. Initiate is not sent.
 */
const notSent = (detail: 'not_sent_deadline' | 'not_sent_lease') =>
  ({ kind: 'unknown', detail, ms: 0 }) as const;

/** Sends initiate, which only the write that has just requested the prompt asks for. */
async function initiate(deps: AdvanceDeps, { row, fence }: Claimed): Promise<Applied> {
  const { id, sessionId, initiateKey, promptDeadline, leaseUntil } = row;
  const key = deps.keyOf(row.merchantId);
  const call = { sessionId: sessionId ?? '', idempotencyKey: initiateKey };
  const now = deps.clock.now();
  deps.sendTimes.record(id);
  const send = () => (key ? deps.provider.initiate(key, call) : notConfigured);
  const outcome =
    now >= promptDeadline
      ? notSent('not_sent_deadline')
      : now >= leaseUntil
        ? notSent('not_sent_lease')
        : await send();
  const evidence: Evidence =
    outcome.kind === 'ok'
      ? {
          kind: 'initiate_answered',
          ms: outcome.ms,
          ...(outcome.value.initiated_at === undefined ? {} : { initiatedAt: outcome.value.initiated_at }),
        }
      : failureEvidence(deps, row, 'initiate', outcome);
  return deps.reconciliation.apply(row, evidence, { fence });
}

async function poll(deps: AdvanceDeps, { row, fence }: Claimed): Promise<Applied> {
  const { apply } = deps.reconciliation;
  const key = deps.keyOf(row.merchantId);
  const requestedAt = requestTime(deps, row);
  const outcome = key ? await deps.provider.status(key, { sessionId: row.sessionId ?? '' }) : notConfigured;
  // A process that was paused can send its initiate during this poll, which then proves nothing about that initiate.
  const provenAt = Math.min(requestedAt, requestTime(deps, row));
  const evidence: Evidence =
    outcome.kind === 'ok'
      ? {
          kind: 'polled',
          status: outcome.value.status,
          terminal: outcome.value.terminal,
          paidAt: outcome.value.paid_at ?? null,
          retryAfterSeconds: outcome.value.retry_after_seconds ?? null,
          ...statedBeside(outcome.value),
          requestedAt: provenAt,
          ms: outcome.ms,
        }
      : failureEvidence(deps, row, 'status', outcome);
  if (row.status !== 'initiating') return apply(row, evidence, { fence });
  // The poll can cause the prompt to be sent again, which must not meet a dialogue either.
  const seen = await turnsBeforeResend(deps, row);
  // An event that was recorded during the call is no turn of the payer.
  const current = (await deps.collections.find(row.id)) ?? row;
  const sent = seen && (await apply(current, evidence, { fence, ...unlessDialled(row, seen) }));
  return sent && !sent.refused ? sent : apply(current, evidence, { fence, maySend: false });
}

/** Returns what a service may state beside the fields of the interface. */
function statedBeside({
  status,
  paid_minor: paidMinor,
  reason,
  review,
  currency: code,
}: SessionStatusResult) {
  const currency = otherCurrency(code);
  return {
    ...(currency === undefined ? {} : { currency }),
    ...(paidMinor === undefined ? {} : { paidMinor }),
    ...(reason !== undefined && isFailureReason(reason) ? { reason } : {}),
    ...(review && {
      review: toReportedReview(review.paid_minor, { reason: review.reason, status, paidAt: review.paid_at }),
    }),
  };
}

/** Returns the current time, bounded by the true age of the last initiate: a lost request may still arrive. */
function requestTime({ clock, sendTimes }: AdvanceDeps, { id, initiateSentAt }: CollectionWithJob): EpochMs {
  const elapsedMs = sendTimes.elapsedMs(id);
  const now = clock.now();
  return elapsedMs === undefined || initiateSentAt === null
    ? now
    : Math.min(now, Math.floor(initiateSentAt + elapsedMs));
}

/** The outcome of a call that was not sent: the configuration no longer contains the merchant. */
const notConfigured = {
  kind: 'unknown',
  detail: 'merchant_not_configured',
  retryAfterMs: 60_000,
  ms: 0,
} as const;

/** Returns the evidence of a call that did not succeed, and pauses the merchant's key after a 429 about it. */
function failureEvidence(
  { onRateLimited }: AdvanceDeps,
  { merchantId }: CollectionWithJob,
  call: CallName,
  outcome: Exclude<CallOutcome<unknown>, { kind: 'ok' }>,
): Evidence {
  // A limit on one payer's number concerns this collection alone.
  if (outcome.kind === 'rate_limited' && outcome.detail !== payerLimited)
    onRateLimited?.(merchantId, outcome.retryAfterMs);
  if (outcome.kind === 'rejected') {
    const { code, httpStatus, ms } = outcome;
    return { kind: 'call_rejected', call, code, httpStatus, ms };
  }
  const { kind, ...rest } = outcome;
  return { kind: 'call_unknown', call, outcome: kind, ...rest };
}
