import type { Clock, EpochMs } from '../../shared/clock.ts';
import type { Ids } from '../../shared/ids.ts';
import type { Log } from '../../shared/log.ts';
import type { Write } from '../../sqlite/store.ts';
import type { KeyHealth } from './calls/key-health.ts';
import type { CollectionRow } from './collection.ts';
import { type CollectionStore, transitionWrites } from './collection-store.ts';
import { decide } from './decide.ts';
import type { Decision } from './decision.ts';
import type { Evidence } from './evidence.ts';
import { evolve } from './fact.ts';
import { nextDue } from './schedule.ts';

export type ReconcileDeps = {
  collections: CollectionStore;
  clock: Clock;
  ids: Ids;
  log: Log;
  /** Says which refusals of a merchant's key a person is to be told of: all of them, when left out. */
  keys?: KeyHealth;
  /** Whether the merchant's key may not be used now: what would be sent is left for later. */
  isPaused?(merchantId: string): boolean;
  resendGraceMs: number;
  retryAllowedAfterMs: number;
};

export type ReconcileOptions = {
  /** The fence of the caller's lease: without it, or when it was lost, nothing is sent. The lease ends with the write. */
  fence?: number;
  /** Writes that stand or fall with the transition (the inbox row that carried the evidence). */
  with?: readonly Write[];
};

export type Reconciled = { row: CollectionRow; send: Decision['send'] };

/** A collection that changes under us this often is a bug, not contention. */
const maxTries = 50;

/**
 * The one door through which evidence changes a collection: read, decide, write under guard, and read again when
 * somebody else was faster. Safe to call with the same evidence any number of times.
 *
 * @returns the row as written, and `send` when the caller must now send initiate; `undefined` when there is no
 *   such collection.
 */
export async function reconcile(
  deps: ReconcileDeps,
  id: string,
  evidence: Evidence,
  options: ReconcileOptions = {},
): Promise<Reconciled | undefined> {
  let lost: CollectionRow | undefined;
  for (let tries = 0; tries < maxTries; tries++) {
    const before = await deps.collections.find(id);
    if (!before) return undefined;
    if (
      lost &&
      lost.version === before.version &&
      lost.fence === before.fence &&
      lost.leaseUntil === before.leaseUntil
    ) {
      throw new Error(`collection ${id}: ${evidence.kind} was refused although nobody else changed it`);
    }
    const now = deps.clock.now();
    // Stored times never go back, also where the clock was ahead; what is decided, is decided by the time that it is.
    const at = Math.max(now, before.updatedAt);
    const holdsLease = options.fence !== undefined && options.fence === before.fence;
    const maySend = holdsLease && deps.isPaused?.(before.merchantId) !== true;
    const { resendGraceMs, retryAllowedAfterMs } = deps;
    const decision = decide(before, evidence, { now, maySend, resendGraceMs, retryAllowedAfterMs });
    const after = applyDecision(deps, before, evidence, decision, { now, at }, holdsLease);
    const writes = transitionWrites(before, after, decision.facts, decision.bookings, at);
    if (await deps.collections.apply([...writes, ...(options.with ?? [])])) {
      report(deps, before, after, evidence, decision);
      return { row: after, send: decision.send };
    }
    lost = before;
  }
  throw new Error(`collection ${id} changed ${maxTries} times while evidence was recorded`);
}

function applyDecision(
  deps: ReconcileDeps,
  before: CollectionRow,
  evidence: Evidence,
  decision: Decision,
  { now, at }: { now: EpochMs; at: EpochMs },
  holdsLease: boolean,
): CollectionRow {
  const { nextAt: _due, leaseUntil, fence, attempts, updatedAt: _last, ...state } = before;
  const after = decision.facts.reduce((collection, fact) => evolve(collection, fact, at), state);
  const moved = after.status !== before.status;
  // Whoever is about to send keeps the lease, so that nobody else picks the collection up meanwhile.
  const endsLease = holdsLease && decision.send === undefined;
  return {
    ...after,
    nextAt: nextDue(before, after, evidence, now, deps.ids.random()),
    leaseUntil: endsLease ? 0 : leaseUntil,
    fence,
    attempts: moved ? 0 : attempts,
    updatedAt: at,
  };
}

function report(
  { log, keys }: ReconcileDeps,
  before: CollectionRow,
  after: CollectionRow,
  evidence: Evidence,
  { alarm }: Decision,
): void {
  const { id, merchantId, status, reason } = after;
  const line = { collection: id, merchant: merchantId, status, alarm };
  if (alarm === 'key_rejected' && evidence.kind === 'call_rejected') {
    const { call, code } = evidence;
    if (keys?.refused(merchantId, call) ?? true)
      log.error({ ...line, call, refusal: code }, "the service refuses a merchant's key");
  } else {
    keys?.recordSuccess(merchantId, evidence);
    if (alarm) log.error(line, 'a collection needs a person');
  }
  if (before.status !== status)
    log.info({ collection: id, merchant: merchantId, from: before.status, status, reason }, 'collection');
}
