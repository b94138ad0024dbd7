import type { Clock, EpochMs } from '../../shared/clock.ts';
import type { Ids } from '../../shared/ids.ts';
import type { Log } from '../../shared/log.ts';
import { lostGuard, retryLostGuard } from '../../sqlite/retry-lost-guard.ts';
import type { Write } from '../../sqlite/store.ts';
import { isGivenAway, isPlaceable } from '../unplaced/decide.ts';
import type { UnplacedPayment } from '../unplaced/unplaced.ts';
import { type AccountOf, type UnplacedStore, unplacedWrites } from '../unplaced/unplaced-store.ts';
import { besideWrites, withReviewOfCharges } from './book-charge.ts';
import type { KeyHealth } from './calls/key-health.ts';
import { type Collection, type CollectionRow, isFailureReported, isOpen, type Status } from './collection.ts';
import { decide } from './decide/decide.ts';
import type { Decision } from './decide/decision.ts';
import { withoutBooking } from './decide/match.ts';
import type { Evidence } from './evidence.ts';
import { evolve, type Fact } from './fact.ts';
import type { FeeCap } from './quote/fee-cap.ts';
import type { DecisionRefusal } from './reason.ts';
import { type ReasonClass, reasonClassOf } from './reason-class.ts';
import { nextDue } from './schedule.ts';
import type { CollectionStore } from './store/collection-store.ts';
import { transitionWrites } from './store/transition-store.ts';

export type ReconcileDeps = {
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
  notify?: ((before: Collection, facts: readonly Fact[], at: EpochMs) => Write[]) | undefined;
  /** Called after such writes were applied. */
  onNotified?: (() => void) | undefined;
  /** Returns whether calls with the merchant's key are paused. Nothing is sent then. */
  isPaused?(merchantId: string): boolean;
  resendGraceMs: number;
  retryAllowedAfterMs: number;
  /** Time after which an unconfirmed payment raises an alarm. */
  unconfirmedAlarmAfterMs: number;
  /** Limits on a fee that the confirm screen did not show. */
  feeCap: FeeCap;
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
export type Reconciled = { row: CollectionRow; send: Decision['send']; refused?: DecisionRefusal };

type Transition = {
  before: CollectionRow;
  after: CollectionRow;
  evidence: Evidence;
  decision: Decision;
};

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
    const unplaced = charges.find(({ charge }) => charge === 1);
    const holdsLease = options.fence !== undefined && options.fence === before.fence;
    const lostLease = options.fence !== undefined && !holdsLease;
    const maySend = holdsLease && options.maySend !== false && deps.isPaused?.(before.merchantId) !== true;
    const lease = { holdsLease, lostLease, maySend };
    const transition = decideTransition(deps, { before, evidence, charges }, lease);
    const { after, decision } = transition;
    if (decision.refused) return { row: before, send: undefined, refused: decision.refused };
    const { charge, facts } = decision;
    const notices = deps.notify?.(before, facts, after.updatedAt) ?? [];
    const writes = [
      ...transitionWrites(before, after, decision, deps.accountOf(before.merchantId)),
      ...placeWrites(unplaced, after, evidence),
      ...besideWrites(deps, { before, charges }, { evidence, charge }, after.updatedAt),
      ...notices,
    ];
    if (!(await deps.collections.apply([...writes, ...(options.with ?? [])]))) return lostGuard;
    logTransition(deps, transition);
    if (notices.length > 0) deps.onNotified?.();
    const { merchantId, status, reason } = transition.after;
    if (before.status !== status && !isOpen(status))
      deps.onClosed?.(
        merchantId,
        status,
        reasonClassOf(status, reason),
        Math.max(0, after.updatedAt - after.openedAt),
      );
    return { row: after, send: decision.send };
  });
}

/** Returns the unplaced payments of the collection's session, when the evidence can book the session's money. */
async function chargesOf(
  { unplaced }: ReconcileDeps,
  { merchantId, livemode, sessionId, booked, unplacedId }: CollectionRow,
  evidence: Evidence,
): Promise<readonly UnplacedPayment[]> {
  const isBeside = evidence.kind === 'polled' && (evidence.review?.secondCharge || unplacedId !== null);
  const isPossible = booked === null || evidence.kind.startsWith('event_') || isBeside;
  if (sessionId === null || !isPossible || evidence.kind === 'payment_matched') return [];
  return unplaced.listBySession({ merchantId, livemode, sessionId });
}

/** Takes the money of the session out of suspense in the batch that books it on the collection. */
function placeWrites(
  unplaced: UnplacedPayment | undefined,
  { id: collectionId, booked, unplacedId, updatedAt }: CollectionRow,
  evidence: Evidence,
): Write[] {
  // A collection that people matched with other money does not have the money of its own session.
  if (!unplaced || !isPlaceable(unplaced) || unplacedId !== null) return [];
  const isExplained = evidence.kind.startsWith('event_') && unplaced.suspendedMinor === 0;
  if (booked === null && !isExplained) return [];
  return unplacedWrites(unplaced, [{ kind: 'placed', data: { collectionId } }], updatedAt);
}

function isUnchanged(previous: CollectionRow, row: CollectionRow): boolean {
  return (
    previous.version === row.version && previous.fence === row.fence && previous.leaseUntil === row.leaseUntil
  );
}

function decideTransition(
  deps: ReconcileDeps,
  {
    before,
    evidence,
    charges,
  }: Pick<Transition, 'before' | 'evidence'> & { charges: readonly UnplacedPayment[] },
  { holdsLease, lostLease, maySend }: { holdsLease: boolean; lostLease: boolean; maySend: boolean },
): Transition {
  const { clock, ids, resendGraceMs, retryAllowedAfterMs, unconfirmedAlarmAfterMs, feeCap } = deps;
  const now = clock.now();
  const decided = decide(before, evidence, {
    ...{ now, maySend, resendGraceMs, retryAllowedAfterMs, unconfirmedAlarmAfterMs, feeCap },
  });
  const unplaced = charges.find(({ charge }) => charge === 1);
  const isTaken = unplaced !== undefined && isGivenAway(unplaced, before.id);
  const booked = isTaken ? withoutBooking(before, decided) : decided;
  const decision = withReviewOfCharges(booked, { before, charges }, evidence);
  // Decisions use the current time. Stored times never decrease, even after the clock was corrected.
  const at: EpochMs = Math.max(now, before.updatedAt);
  const { leaseUntil, fence, home, attempts } = before;
  const collection = decision.facts.reduce<Collection>((one, fact) => evolve(one, fact, at), before);
  // A worker that is about to send keeps its lease, so that no other worker claims the collection meanwhile.
  const endsLease = holdsLease && decision.send === undefined;
  // The worker that has the lease now plans the next poll. A lost call of an earlier one says nothing about it.
  const isLate = lostLease && evidence.kind === 'call_unknown' && collection.status === before.status;
  const after: CollectionRow = {
    ...collection,
    nextAt: isLate ? before.nextAt : nextDue(before, collection, evidence, { now, random: ids.random() }),
    leaseUntil: endsLease ? 0 : leaseUntil,
    fence,
    home,
    attempts: startsCount(before, collection) ? 0 : attempts,
    updatedAt: at,
  };
  return { before, after, evidence, decision };
}

/** Returns whether the claims are counted from 0: after a change of status, or when an event first reports a failure. */
function startsCount(before: CollectionRow, after: Collection): boolean {
  if (isFailureReported(after)) return !isFailureReported(before);
  return after.status !== before.status;
}

function logTransition({ log, keys }: ReconcileDeps, transition: Transition): void {
  const { before, after, evidence } = transition;
  const { alarm } = transition.decision;
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
    if (alarm) log.error(line, 'a collection needs a person');
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
