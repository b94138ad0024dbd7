import { otherCurrency } from '../../../contract/service/currency.ts';
import type { SessionStatusResult } from '../../../contract/service/reading.ts';
import type { EpochMs } from '../../../shared/clock.ts';
import { unreachable } from '../../../shared/errors.ts';
import { lostGuard, retryLostGuard } from '../../../sqlite/retry-lost-guard.ts';
import { awaitsService, type CollectionRow, isUnconfirmed } from '../collection.ts';
import { watchMs } from '../decide/decision.ts';
import { type Evidence, isFailureReason, reviewOf } from '../evidence.ts';
import { type Reconciled, reconcile } from '../reconcile.ts';
import { type Due, type SeenTurns, unlessDialledWrite } from '../store/due-store.ts';
import { createSession } from './create-session.ts';
import { failureEvidence, notConfigured } from './failure-evidence.ts';
import { turnsBeforePrompt, turnsBeforeResend } from './is-prompt-due.ts';
import type { Claimed, SubmitDeps } from './submit-deps.ts';

/**
 * Takes a claimed collection one step further: create, then initiate after the prompt delay, then polls. Every call is
 * durable before it is sent (the row, its bytes and the claim), and every answer becomes evidence.
 */
export async function submit(deps: SubmitDeps, { id, fence }: Pick<Due, 'id' | 'fence'>): Promise<void> {
  const row = await deps.collections.find(id);
  if (!row || row.fence !== fence) return;
  const claimed: Claimed = { row, key: deps.keyOf(row.merchantId), fence };
  switch (row.status) {
    case 'accepted':
      if (row.restoredAt === null && deps.clock.now() >= row.promptDeadline) {
        await reconcile(deps, id, { kind: 'due' }, { fence });
        return;
      }
      await createSession(deps, claimed);
      if (row.restoredAt !== null) await applyDeadlines(deps, row);
      return;
    case 'created':
      // A restored collection may have been prompted by the original ledger, so it is only polled.
      if (row.restoredAt !== null) {
        await poll(deps, claimed);
        await applyDeadlines(deps, row);
        return;
      }
      await promptWhenDue(deps, claimed);
      return;
    case 'initiating':
    case 'initiated':
      await initiateIfDecided(deps, claimed, await poll(deps, claimed));
      await applyDeadlines(deps, row);
      return;
    case 'paid':
      if (!isUnconfirmed(row)) return;
      await poll(deps, claimed);
      await applyDeadlines(deps, row);
      return;
    case 'review':
      if (!awaitsService(row)) return;
      await poll(deps, claimed);
      await applyDeadlines(deps, row);
      return;
    case 'failed':
    case 'expired':
    case 'abandoned':
      return;
    default:
      return unreachable(row.status);
  }
}

/** Requests the prompt once it is due, and the payer has not dialled since that was read. */
async function promptWhenDue(deps: SubmitDeps, claimed: Claimed): Promise<void> {
  const { row, fence } = claimed;
  await retryLostGuard(`the prompt of ${row.id}`, async () => {
    const seen = await turnsBeforePrompt(deps, claimed);
    if (!seen) return;
    // After the deadline nothing is sent.
    const guard = deps.clock.now() < row.promptDeadline ? unlessDialled(row, seen) : {};
    const reconciled = await reconcile(deps, row.id, { kind: 'due' }, { fence, ...guard });
    if (reconciled?.refused) return lostGuard;
    await initiateIfDecided(deps, claimed, reconciled);
  });
}

/** The part of `ReconcileOptions` that writes nothing when the payer has a turn that was not seen. */
function unlessDialled({ id, payer }: CollectionRow, seen: SeenTurns) {
  return { with: [unlessDialledWrite(id, payer, seen)], mayApply: async () => false };
}

/** Applies the gateway's own deadlines after the poll, because the poll may report a payment. */
async function applyDeadlines(deps: SubmitDeps, row: CollectionRow): Promise<void> {
  const asOf = requestTime(deps, row);
  if (hasDeadlinePassed(deps, row, asOf)) await reconcile(deps, row.id, { kind: 'due', asOf });
}

/** Returns whether `due` evidence would have an effect: the payer may retry, an alarm is due, or the watch is over. */
function hasDeadlinePassed(
  { retryAllowedAfterMs, unconfirmedAlarmAfterMs }: SubmitDeps,
  row: CollectionRow,
  asOf: EpochMs,
): boolean {
  if (isUnconfirmed(row)) {
    const unconfirmedMs = asOf - (row.closedAt ?? asOf);
    return unconfirmedMs >= watchMs || (unconfirmedMs >= unconfirmedAlarmAfterMs && row.review === null);
  }
  if (awaitsService(row)) return asOf >= (row.awaitsServiceSince ?? asOf) + watchMs;
  const elapsed = asOf - (row.initiateSentAt ?? row.restoredAt ?? row.openedAt);
  return elapsed >= watchMs || (elapsed >= retryAllowedAfterMs && row.lapsedAt === null);
}

/**
 * The commit of `prompt_requested` took until after the prompt deadline, or until after the lease, so that another gateway may
 * have the collection. Initiate is not sent.
 */
const notSent = (detail: 'not_sent_deadline' | 'not_sent_lease') =>
  ({ kind: 'unknown', detail, ms: 0 }) as const;

async function poll(deps: SubmitDeps, { row, key, fence }: Claimed): Promise<Reconciled | undefined> {
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
      : failureEvidence(deps, row.merchantId, 'status', outcome);
  if (row.status !== 'initiating') return reconcile(deps, row.id, evidence, { fence });
  // The poll can cause the prompt to be sent again, which must not meet a dialogue either.
  const seen = await turnsBeforeResend(deps, row);
  const sent = seen && (await reconcile(deps, row.id, evidence, { fence, ...unlessDialled(row, seen) }));
  return sent && !sent.refused ? sent : reconcile(deps, row.id, evidence, { fence, maySend: false });
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
      review: reviewOf(review.paid_minor, { reason: review.reason, status, paidAt: review.paid_at }),
    }),
  };
}

/** Returns the current time, bounded by the true age of the last initiate: a lost request may still arrive. */
function requestTime({ clock, sendTimes }: SubmitDeps, { id, initiateSentAt }: CollectionRow): EpochMs {
  const elapsedMs = sendTimes.elapsedMs(id);
  const now = clock.now();
  return elapsedMs === undefined || initiateSentAt === null
    ? now
    : Math.min(now, Math.floor(initiateSentAt + elapsedMs));
}

/** Sends initiate if, and only if, the transition that was just written decided it. */
async function initiateIfDecided(
  deps: SubmitDeps,
  { key, fence }: Claimed,
  reconciled: Reconciled | undefined,
): Promise<void> {
  if (!reconciled?.send) return;
  const { id, merchantId, sessionId, initiateKey, promptDeadline, leaseUntil } = reconciled.row;
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
      : failureEvidence(deps, merchantId, 'initiate', outcome);
  await reconcile(deps, id, evidence, { fence });
}
