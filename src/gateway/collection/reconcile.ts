import type { Clock, EpochMs } from '../../shared/clock.ts';
import type { Ids } from '../../shared/ids.ts';
import type { Log } from '../../shared/log.ts';
import { lostGuard, retryLostGuard } from '../../sqlite/retry-lost-guard.ts';
import type { Write } from '../../sqlite/store.ts';
import { refundUnclear } from '../unplaced/record-charge.ts';
import type { UnplacedPayment } from '../unplaced/unplaced.ts';
import type { AccountOf, UnplacedStore } from '../unplaced/unplaced-store.ts';
import type { KeyHealth } from './calls/key-health.ts';
import { type CollectionRow, isOpen, type Status } from './collection.ts';
import { reportsCharge, usesCharges } from './decide/charges.ts';
import { decide } from './decide/decide.ts';
import type { DecideContext, DecideRules, Transition } from './decide/decision.ts';
import type { Evidence } from './evidence.ts';
import type { Fact } from './fact.ts';
import type { DecisionRefusal } from './reason.ts';
import { type ReasonClass, reasonClassOf } from './reason-class.ts';
import type { CollectionStore } from './store/collection-store.ts';
import { transitionWrites } from './store/transition-store.ts';

export type ReconcileDeps = DecideRules & {
  collections: CollectionStore;
  /** Finds the money of a session that no collection explained, such as money that arrived before its collection was known. */
  unplaced: Pick<UnplacedStore, 'listBySession'>;
  accountOf: AccountOf;
  clock: Clock;
  ids: Ids;
  log: Log;
  /** Limits how often a rejected key is logged. Without it every rejection is logged. */
  keys?: KeyHealth;
  /** Called when a collection ends, or goes to review, `ms` after it was opened, for metrics. */
  onClosed?(merchantId: string, status: Status, reason: ReasonClass, ms: number): void;
  /** Returns the writes that notify the merchant's system of new facts; absent when nothing does. */
  notify?: ((before: CollectionRow, facts: readonly Fact[], at: EpochMs) => Write[]) | undefined;
  /** Called after such writes were applied. */
  onNotified?: (() => void) | undefined;
  /** Returns whether calls with the merchant's key are paused. Nothing is sent then. */
  isPaused?(merchantId: string): boolean;
};

export type ReconcileOptions = {
  /** The fence of the caller's lease. Without it, or when the lease was lost, nothing is sent. The write ends the lease. */
  fence?: number;
  /** Nothing is sent when it is false. */
  maySend?: false;
  /** Writes of the same batch, such as the inbox row that carried the evidence. */
  with?: readonly Write[];
  /** Asked after a lost guard: whether the writes of `with` may still apply. Without it, they always may. */
  mayApply?(): Promise<boolean>;
};

/** `refused` is the reason why a decision of people was not applied. Then nothing was written. */
export type Reconciled = { row: CollectionRow; send: Transition['send']; refused?: DecisionRefusal };

/**
 * Applies evidence to a collection: reads the row, decides, and writes under a guard. Reads again when another writer
 * was faster. Idempotent for the same evidence. Every change of a collection goes through here.
 *
 * @returns the row as written, and `send` when the caller must now send initiate; `undefined` when the collection does
 *   not exist.
 */
export async function reconcile(
  deps: ReconcileDeps,
  id: string,
  evidence: Evidence,
  options: ReconcileOptions = {},
): Promise<Reconciled | undefined> {
  let previous: { row: CollectionRow; factsBeside: number } | undefined;
  return retryLostGuard(`collection ${id}`, async () => {
    const before = await deps.collections.find(id);
    if (!before) return undefined;
    if (previous && (await options.mayApply?.()) === false)
      return { row: before, send: undefined, refused: 'changed' };
    const charges = await chargesOf(deps, before, evidence);
    const factsBeside = charges.reduce((sum, { version }) => sum + version, 0);
    if (previous && isUnchanged(previous.row, before) && previous.factsBeside === factsBeside) {
      throw new Error(
        `collection ${id}: the write of ${evidence.kind} was rejected, but the row has not changed`,
      );
    }
    previous = { row: before, factsBeside };
    const transition = decide({ row: before, charges }, evidence, contextOf(deps, before, evidence, options));
    const { next: row, facts, send, refused } = transition;
    if (refused) return { row, send: undefined, refused };
    const notices = deps.notify?.(before, facts, row.updatedAt) ?? [];
    const writes = [...transitionWrites(before, transition, deps.accountOf(before.merchantId)), ...notices];
    if (!(await deps.collections.apply([...writes, ...(options.with ?? [])]))) return lostGuard;
    logTransition(deps, { before, evidence, transition });
    if (notices.length > 0) deps.onNotified?.();
    if (before.status !== row.status && !isOpen(row.status)) {
      const openMs = Math.max(0, row.updatedAt - row.openedAt);
      deps.onClosed?.(row.merchantId, row.status, reasonClassOf(row.status, row.reason), openMs);
    }
    return { row, send };
  });
}

/** Returns what evidence would do now. Writes nothing. */
export async function previewEvidence(
  deps: ReconcileDeps,
  row: CollectionRow,
  evidence: Evidence,
): Promise<Transition> {
  return decide(
    { row, charges: await chargesOf(deps, row, evidence) },
    evidence,
    contextOf(deps, row, evidence),
  );
}

async function chargesOf(
  { unplaced }: ReconcileDeps,
  row: CollectionRow,
  evidence: Evidence,
): Promise<readonly UnplacedPayment[]> {
  const { merchantId, livemode, sessionId } = row;
  if (sessionId === null || !usesCharges(row, evidence)) return [];
  return unplaced.listBySession({ merchantId, livemode, sessionId });
}

function contextOf(
  { clock, ids, isPaused, ...rules }: ReconcileDeps,
  row: CollectionRow,
  evidence: Evidence,
  options: ReconcileOptions = {},
): DecideContext {
  const { fence, merchantId } = row;
  const lease = options.fence === undefined ? 'none' : options.fence === fence ? 'held' : 'lost';
  const { resendGraceMs, retryAllowedAfterMs, unconfirmedAlarmAfterMs, feeCap } = rules;
  return {
    ...{ resendGraceMs, retryAllowedAfterMs, unconfirmedAlarmAfterMs, feeCap },
    ...{ now: clock.now(), random: ids.random(), lease },
    unplacedId: reportsCharge(row, evidence) ? ids.next('unp') : '',
    maySend: lease === 'held' && options.maySend !== false && isPaused?.(merchantId) !== true,
  };
}

function isUnchanged(previous: CollectionRow, row: CollectionRow): boolean {
  return (
    previous.version === row.version && previous.fence === row.fence && previous.leaseUntil === row.leaseUntil
  );
}

function logTransition(
  { log, keys }: ReconcileDeps,
  { before, evidence, transition }: { before: CollectionRow; evidence: Evidence; transition: Transition },
): void {
  const { next: after, alarm } = transition;
  const { id, merchantId, status, reason } = after;
  // The amounts show how far a quote was off.
  const amounts = alarm?.startsWith('quote_')
    ? { priceMinor: after.goodsMinor, totalMinor: after.amountMinor }
    : undefined;
  const line = { collection: id, merchant: merchantId, status, alarm, ...amounts };
  if (alarm === 'key_rejected' && 'call' in evidence) {
    const { call, httpStatus } = evidence;
    const errorCode = evidence.kind === 'call_rejected' ? evidence.code : evidence.detail;
    if (keys?.recordRejection(merchantId, call) ?? true)
      log.error({ ...line, call, httpStatus, errorCode }, "the service rejects a merchant's key");
  } else {
    keys?.recordSuccess(merchantId, evidence);
    if (alarm) log.error(line, alarm === 'refund_unclear' ? refundUnclear : 'a collection needs a person');
  }
  if (before.status !== status)
    log.info(
      {
        ...{ collection: id, dialogue: after.dialogueId, merchant: merchantId },
        ...{ from: before.status, status, reason },
      },
      'collection',
    );
}
