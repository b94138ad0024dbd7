import { payerLimited } from '../../../contract/error.ts';
import type { EpochMs } from '../../../shared/clock.ts';
import { unreachable } from '../../../shared/errors.ts';
import type { CollectionRow } from '../collection.ts';
import type { Due } from '../collection-store.ts';
import { watchMs } from '../decision.ts';
import type { Evidence } from '../evidence.ts';
import type { CallName } from '../fact.ts';
import { type ReconcileDeps, reconcile } from '../reconcile.ts';
import type { Outcome } from './outcome.ts';
import type { Provider } from './provider.ts';
import type { SendTimes } from './send-times.ts';

export type SubmitDeps = ReconcileDeps & {
  provider: Provider;
  sends: SendTimes;
  /** The merchant's secret key, or nothing when the configuration no longer has the merchant. */
  keyOf(merchantId: string): string | undefined;
  /** Told of a 429 about the merchant's key, so that the merchant's other calls wait as well. */
  onThrottled?(merchantId: string, retryAfterMs: number | undefined): void;
  /**
   * Resolves once the END screen of a dialogue has left for the handset, with when it did; `undefined` when nothing is
   * known of it.
   */
  screenSent(dialogueId: string): Promise<EpochMs | undefined>;
};

/**
 * Takes a claimed collection one step further: create, then initiate once the prompt delay is over, then polls.
 * Every call was made durable before it is sent (the row, its bytes and the claim), and every answer is evidence.
 */
export async function submit(deps: SubmitDeps, { id, fence }: Pick<Due, 'id' | 'fence'>): Promise<void> {
  const row = await deps.collections.find(id);
  if (!row || row.fence !== fence) return;
  const key = deps.keyOf(row.merchantId);
  switch (row.status) {
    case 'accepted':
      if (row.restoredAt === null && deps.clock.now() >= row.promptDeadline) {
        await reconcile(deps, id, { kind: 'due' }, { fence });
        return;
      }
      await create(deps, row, key, fence);
      if (row.restoredAt !== null) await noteDeadlines(deps, row);
      return;
    case 'created':
      // Of a restored copy: only the service knows what became of it.
      if (row.restoredAt !== null) {
        await poll(deps, row, key, fence);
        await noteDeadlines(deps, row);
        return;
      }
      await handsetFree(deps, row);
      await sendIfAsked(deps, await reconcile(deps, id, { kind: 'due' }, { fence }), key, fence);
      return;
    case 'initiating':
    case 'initiated':
      await sendIfAsked(deps, await poll(deps, row, key, fence), key, fence);
      await noteDeadlines(deps, row);
      return;
    case 'paid':
    case 'failed':
    case 'expired':
    case 'abandoned':
    case 'review':
      return;
    default:
      return unreachable(row.status);
  }
}

/** Waits until the prompt delay has passed since the END screen left: a commit or a line that was slow counts in. */
async function handsetFree({ screenSent, clock }: SubmitDeps, row: CollectionRow): Promise<void> {
  const leftAt = await screenSent(row.dialogueId);
  const freeAt = (leftAt ?? row.openedAt) + row.promptNotBefore - row.openedAt;
  if (freeAt > clock.now()) await clock.sleep(freeAt - clock.now());
}

/** Our own deadlines come after the question: the answer may be that it was paid long ago. */
async function noteDeadlines(deps: SubmitDeps, row: CollectionRow): Promise<void> {
  const asOf = pollTime(deps, row);
  if (hasDeadlinePassed(row, deps.retryAllowedAfterMs, asOf))
    await reconcile(deps, row.id, { kind: 'due', asOf });
}

/** Whether `due` evidence would do anything: the payer's time is up, or the watch is over. */
function hasDeadlinePassed(row: CollectionRow, retryAllowedAfterMs: number, asOf: EpochMs): boolean {
  const elapsed = asOf - (row.initiateSentAt ?? row.restoredAt ?? row.openedAt);
  return elapsed >= watchMs || (elapsed >= retryAllowedAfterMs && row.lapsedAt === null);
}

const unconfigured = {
  kind: 'unknown',
  detail: 'merchant_not_configured',
  retryAfterMs: 60_000,
  ms: 0,
} as const;

/** The commit took until after the deadline: the right to send was won and is not used. */
const unsent = { kind: 'unknown', detail: 'not_sent_deadline', ms: 0 } as const;

async function create(deps: SubmitDeps, row: CollectionRow, key: string | undefined, fence: number) {
  const call = { idempotencyKey: row.createKey, body: row.createBody };
  const outcome = key ? await deps.provider.create(key, call) : unconfigured;
  const evidence: Evidence =
    outcome.kind === 'ok'
      ? { kind: 'create_answered', session: outcome.value, ms: outcome.ms }
      : unproven(deps, row.merchantId, 'create', outcome);
  return reconcile(deps, row.id, evidence, { fence });
}

async function poll(deps: SubmitDeps, row: CollectionRow, key: string | undefined, fence: number) {
  const askedAt = pollTime(deps, row);
  const outcome = key ? await deps.provider.status(key, { sessionId: row.sessionId ?? '' }) : unconfigured;
  const evidence: Evidence =
    outcome.kind === 'ok'
      ? {
          kind: 'polled',
          status: outcome.value.status,
          terminal: outcome.value.terminal,
          paidAt: outcome.value.paid_at ?? null,
          retryAfterSeconds: outcome.value.retry_after_seconds ?? null,
          askedAt,
          ms: outcome.ms,
        }
      : unproven(deps, row.merchantId, 'status', outcome);
  return reconcile(deps, row.id, evidence, { fence });
}

/** Now, and no later after the last initiate than it really is: what is on its way may still arrive. */
function pollTime({ clock, sends }: SubmitDeps, { id, initiateSentAt }: CollectionRow): EpochMs {
  const agoMs = sends.agoMs(id);
  const now = clock.now();
  return agoMs === undefined || initiateSentAt === null
    ? now
    : Math.min(now, Math.floor(initiateSentAt + agoMs));
}

/** Sends initiate when, and only when, the transition just written says that this worker won the right to. */
async function sendIfAsked(
  deps: SubmitDeps,
  reconciled: Awaited<ReturnType<typeof reconcile>>,
  key: string | undefined,
  fence: number,
): Promise<void> {
  if (!reconciled?.send) return;
  const { id, merchantId, sessionId, initiateKey, promptDeadline } = reconciled.row;
  const call = { sessionId: sessionId ?? '', idempotencyKey: initiateKey };
  const tooLate = deps.clock.now() >= promptDeadline;
  deps.sends.note(id);
  const outcome = tooLate ? unsent : key ? await deps.provider.initiate(key, call) : unconfigured;
  const evidence: Evidence =
    outcome.kind === 'ok'
      ? {
          kind: 'initiate_answered',
          ms: outcome.ms,
          ...(outcome.value.initiated_at === undefined ? {} : { initiatedAt: outcome.value.initiated_at }),
        }
      : unproven(deps, merchantId, 'initiate', outcome);
  await reconcile(deps, id, evidence, { fence });
}

function unproven(
  deps: SubmitDeps,
  merchantId: string,
  call: CallName,
  outcome: Exclude<Outcome<unknown>, { kind: 'ok' }>,
): Evidence {
  // A limit on one payer's number is about this collection alone: the merchant's other payers need not wait.
  if (outcome.kind === 'throttled' && outcome.detail !== payerLimited) {
    deps.onThrottled?.(merchantId, outcome.retryAfterMs);
  }
  if (outcome.kind === 'rejected') {
    const { code, httpStatus, ms } = outcome;
    return { kind: 'call_rejected', call, code, httpStatus, ms };
  }
  const { kind, ...rest } = outcome;
  return { kind: 'call_unknown', call, outcome: kind, ...rest };
}
