import type { Clock, EpochMs } from '../../shared/clock.ts';
import type { Ids } from '../../shared/ids.ts';
import type { Log } from '../../shared/log.ts';
import { conflict, retryConflict, type Write } from '../../sqlite/store.ts';
import { refundUnclear } from '../unplaced/decide.ts';
import type { UnplacedPayment } from '../unplaced/unplaced.ts';
import type { AccountOf, UnplacedStore } from '../unplaced/unplaced-store.ts';
import type { KeyHealth } from './calls/service-health.ts';
import {
  type CollectionRow,
  type CollectionWithJob,
  getReasonClass,
  isOpen,
  type ReasonClass,
  type Status,
} from './collection.ts';
import { reportsCharge, usesCharges } from './decide/charges.ts';
import { decide } from './decide/decide.ts';
import type { Case, DecideContext, DecideRules, Transition } from './decide/decision.ts';
import type { Evidence } from './evidence.ts';
import type { Fact } from './fact.ts';
import { type CollectionStore, transitionWrites } from './store/collection-store.ts';

type ReconciliationDeps = {
  collections: Pick<CollectionStore, 'find' | 'apply' | 'isSessionOfOther'>;
  /** Finds the money of a session that no collection explained, such as money that arrived before its collection was known. */
  unplaced: Pick<UnplacedStore, 'listBySession'>;
  accountOf: AccountOf;
  clock: Clock;
  ids: Ids;
  log: Log;
  rules: DecideRules;
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

export type ApplyOptions = {
  /** The fence of the caller's lease. Without it, or when the lease was lost, nothing is sent. The write ends the lease. */
  fence?: number;
  /** Nothing is sent when it is false. */
  maySend?: false;
  /** Writes of the same batch, such as the inbox row that carried the evidence. */
  with?: readonly Write[];
  /** Asked after a conflict: whether the writes of `with` may still apply. Without it, they always may. */
  mayApply?(): Promise<boolean>;
};

/** `send` asks the caller to send initiate now. `refused` is why a decision was not applied: nothing was written. */
export type Applied = Pick<Transition, 'send' | 'refused'> & { row: CollectionWithJob };

/** The only way in which evidence changes a collection. */
export type Reconciliation = {
  /**
   * Decides on evidence about a collection that the caller has read, and writes the result under a guard. Reads the row again
   * when another writer was faster. Idempotent for the same evidence.
   *
   * @returns the row as written.
   */
  apply(row: CollectionWithJob, evidence: Evidence, options?: ApplyOptions): Promise<Applied>;
  /** Returns what evidence would do now. Writes nothing. */
  preview(row: CollectionWithJob, evidence: Evidence): Promise<Transition>;
};

/** Creates the entry of evidence into collections. */
export function createReconciliation(deps: ReconciliationDeps): Reconciliation {
  return {
    apply: (row, evidence, options = {}) => apply(deps, row, evidence, options),
    preview: async (row, evidence) =>
      decide({ row, charges: await readCharges(deps, row, evidence) }, evidence, {
        ...getContext(deps, row, evidence),
        random: 0,
      }),
  };
}

async function apply(
  deps: ReconciliationDeps,
  given: CollectionWithJob,
  evidence: Evidence,
  options: ApplyOptions,
): Promise<Applied> {
  let read: Case | undefined;
  let news = evidence;
  return retryConflict(`collection ${given.id}`, async () => {
    const row = read ? await deps.collections.find(given.id) : given;
    if (!row) throw new Error(`the collection ${given.id} is no longer in the ledger`);
    if (read && (await options.mayApply?.()) === false) return { row, refused: 'changed' };
    const before: Case = { row, charges: await readCharges(deps, row, news) };
    if (read && isUnchanged(read, before)) news = await pinnedElsewhere(deps, row, news);
    read = before;
    const context = { ...getContext(deps, row, news, options), random: deps.ids.random() };
    const transition = decide(before, news, context);
    const { next, facts, send, refused } = transition;
    if (refused) return { row, refused };
    const notices = deps.notify?.(row, facts, next.updatedAt) ?? [];
    const writes = [...transitionWrites(row, transition, deps.accountOf(row.merchantId)), ...notices];
    if (!(await deps.collections.apply([...writes, ...(options.with ?? [])]))) return conflict;
    logTransition(deps, { before: row, evidence: news, transition });
    if (notices.length > 0) deps.onNotified?.();
    if (row.status !== next.status && !isOpen(next.status)) {
      const openMs = Math.max(0, next.updatedAt - next.openedAt);
      deps.onClosed?.(next.merchantId, next.status, getReasonClass(next.status, next.reason), openMs);
    }
    return { row: next, ...(send === undefined ? {} : { send }) };
  });
}

async function readCharges(
  { unplaced }: ReconciliationDeps,
  row: CollectionRow,
  evidence: Evidence,
): Promise<readonly UnplacedPayment[]> {
  const { merchantId, livemode, sessionId } = row;
  if (sessionId === null || !usesCharges(row, evidence)) return [];
  return unplaced.listBySession({ merchantId, livemode, sessionId });
}

function getContext(
  { clock, ids, isPaused, rules }: ReconciliationDeps,
  row: CollectionWithJob,
  evidence: Evidence,
  options: ApplyOptions = {},
): Omit<DecideContext, 'random'> {
  const { fence, merchantId } = row;
  const lease = options.fence === undefined ? 'none' : options.fence === fence ? 'held' : 'lost';
  return {
    ...{ ...rules, now: clock.now(), lease },
    unplacedId: reportsCharge(row, evidence) ? ids.next('unp') : '',
    maySend: lease === 'held' && options.maySend !== false && isPaused?.(merchantId) !== true,
  };
}

function isUnchanged(read: Case, now: Case): boolean {
  const { version, fence, leaseUntil } = read.row;
  const getFacts = ({ charges }: Case) => charges.reduce((sum, one) => sum + one.version, 0);
  const isSameRow =
    version === now.row.version && fence === now.row.fence && leaseUntil === now.row.leaseUntil;
  return isSameRow && getFacts(read) === getFacts(now);
}

/**
 * Returns the answer of a create call as one about the session of another collection. The id of a session is unique in the
 * database, so that the write that pins it a second time is rejected.
 *
 * @throws Error when nothing explains why the write was rejected.
 */
async function pinnedElsewhere(
  { collections }: ReconciliationDeps,
  { id }: CollectionRow,
  evidence: Evidence,
): Promise<Evidence> {
  const isAnswer = evidence.kind === 'create_answered' && !evidence.isTaken;
  if (isAnswer && (await collections.isSessionOfOther(evidence.session.id, id)))
    return { ...evidence, isTaken: true };
  throw new Error(
    `collection ${id}: the write of ${evidence.kind} was rejected, but the row has not changed`,
  );
}

function logTransition(
  { log, keys }: ReconciliationDeps,
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

/** Collections that are corrected at once, and so share a commit. */
const batchSize = 256;

/**
 * Corrects the open collections that a system clock far in the future wrote. Run it before the worker starts, so that
 * none of them is prompted first. Changes nothing when no such collection exists.
 *
 * @param toleranceMs how far ahead a collection may be.
 */
export async function correctClock(
  deps: {
    collections: Pick<CollectionStore, 'listAhead' | 'find'>;
    clock: Pick<Clock, 'now'>;
    reconciliation: Reconciliation;
  },
  toleranceMs = 0,
): Promise<void> {
  const ids = await deps.collections.listAhead(deps.clock.now() + toleranceMs);
  const correct = async (id: string) => {
    const row = await deps.collections.find(id);
    if (row) await deps.reconciliation.apply(row, { kind: 'clock_corrected' });
  };
  while (ids.length > 0) await Promise.all(ids.splice(-batchSize).map(correct));
}
