import { payerLimited } from '../../../contract/error.ts';
import type { SessionStatusResult } from '../../../contract/reading.ts';
import type { EpochMs } from '../../../shared/clock.ts';
import { unreachable } from '../../../shared/errors.ts';
import { type CollectionRow, isUnconfirmed } from '../collection.ts';
import { watchMs } from '../decide/decision.ts';
import { type Evidence, isFailureReason, reviewOf } from '../evidence.ts';
import type { CallName } from '../fact.ts';
import { type ReconcileDeps, type Reconciled, reconcile } from '../reconcile.ts';
import type { Due } from '../store/due-store.ts';
import type { CallOutcome } from './outcome.ts';
import type { Provider } from './provider.ts';
import type { SendTimes } from './send-times.ts';

export type SubmitDeps = ReconcileDeps & {
  provider: Provider;
  sendTimes: SendTimes;
  /** Returns the merchant's secret key, or `undefined` when the configuration no longer contains the merchant. */
  keyOf(merchantId: string): string | undefined;
  /** Called after a 429 about the merchant's key, so that the merchant's other calls wait as well. */
  onRateLimited?(merchantId: string, retryAfterMs: number | undefined): void;
  /**
   * Resolves with the time at which the END screen of a dialogue left the gateway; with `undefined` when that time is
   * unknown.
   */
  screenSent(dialogueId: string): Promise<EpochMs | undefined>;
};

/** A claimed collection, the fence of its claim, and its merchant's key. */
type Claimed = { row: CollectionRow; key: string | undefined; fence: number };

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
      await create(deps, claimed);
      if (row.restoredAt !== null) await applyDeadlines(deps, row);
      return;
    case 'created':
      // A restored collection may have been prompted by the original ledger, so it is only polled.
      if (row.restoredAt !== null) {
        await poll(deps, claimed);
        await applyDeadlines(deps, row);
        return;
      }
      await waitForPromptDelay(deps, row);
      await initiateIfDecided(deps, claimed, await reconcile(deps, id, { kind: 'due' }, { fence }));
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
    case 'failed':
    case 'expired':
    case 'abandoned':
    case 'review':
      return;
    default:
      return unreachable(row.status);
  }
}

/** Waits until the prompt delay has passed since the END screen left, which a slow commit or network may have delayed. */
async function waitForPromptDelay({ screenSent, clock }: SubmitDeps, row: CollectionRow): Promise<void> {
  const leftAt = await screenSent(row.dialogueId);
  const promptAt = (leftAt ?? row.openedAt) + row.promptNotBefore - row.openedAt;
  if (promptAt > clock.now()) await clock.sleep(promptAt - clock.now());
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
  const elapsed = asOf - (row.initiateSentAt ?? row.restoredAt ?? row.openedAt);
  return elapsed >= watchMs || (elapsed >= retryAllowedAfterMs && row.lapsedAt === null);
}

const notConfigured = {
  kind: 'unknown',
  detail: 'merchant_not_configured',
  retryAfterMs: 60_000,
  ms: 0,
} as const;

/** The commit of `prompt_requested` took until after the prompt deadline, so initiate is not sent. */
const sentTooLate = { kind: 'unknown', detail: 'not_sent_deadline', ms: 0 } as const;

async function create(deps: SubmitDeps, { row, key, fence }: Claimed): Promise<Reconciled | undefined> {
  const call = { idempotencyKey: row.createKey, body: row.createBody };
  const outcome = key ? await deps.provider.create(key, call) : notConfigured;
  const evidence: Evidence =
    outcome.kind === 'ok'
      ? { kind: 'create_answered', session: outcome.value, ms: outcome.ms }
      : failureEvidence(deps, row.merchantId, 'create', outcome);
  return reconcile(deps, row.id, evidence, { fence });
}

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
  return reconcile(deps, row.id, evidence, { fence });
}

/** Returns what a service may state beside the fields of the interface. */
function statedBeside({ paid_minor: paidMinor, reason, review }: SessionStatusResult) {
  return {
    ...(paidMinor === undefined ? {} : { paidMinor }),
    ...(reason !== undefined && isFailureReason(reason) ? { reason } : {}),
    ...(review && { review: reviewOf(review.paid_minor, review.reason) }),
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
  const { id, merchantId, sessionId, initiateKey, promptDeadline } = reconciled.row;
  const call = { sessionId: sessionId ?? '', idempotencyKey: initiateKey };
  const isTooLate = deps.clock.now() >= promptDeadline;
  deps.sendTimes.record(id);
  const outcome = isTooLate ? sentTooLate : key ? await deps.provider.initiate(key, call) : notConfigured;
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

/** Returns the evidence of a call that did not succeed, and pauses the merchant's key after a 429 about it. */
function failureEvidence(
  deps: SubmitDeps,
  merchantId: string,
  call: CallName,
  outcome: Exclude<CallOutcome<unknown>, { kind: 'ok' }>,
): Evidence {
  // A limit on one payer's number concerns this collection alone.
  if (outcome.kind === 'rate_limited' && outcome.detail !== payerLimited) {
    deps.onRateLimited?.(merchantId, outcome.retryAfterMs);
  }
  if (outcome.kind === 'rejected') {
    const { code, httpStatus, ms } = outcome;
    return { kind: 'call_rejected', call, code, httpStatus, ms };
  }
  const { kind, ...rest } = outcome;
  return { kind: 'call_unknown', call, outcome: kind, ...rest };
}
