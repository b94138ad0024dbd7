import type { EvidenceOf } from '../evidence.ts';
import { type Reconciled, type ReconcileOptions, reconcile } from '../reconcile.ts';
import { failureEvidence, notConfigured } from './failure-evidence.ts';
import type { Claimed, SubmitDeps } from './submit-deps.ts';

/** Sends the stored create call of a claimed collection, and applies its answer. */
export async function createSession(
  deps: SubmitDeps,
  { row, key, fence }: Claimed,
): Promise<Reconciled | undefined> {
  const call = { idempotencyKey: row.createKey, body: row.createBody };
  const outcome = key ? await deps.provider.create(key, call) : notConfigured;
  if (outcome.kind !== 'ok') {
    return reconcile(deps, row.id, failureEvidence(deps, row.merchantId, 'create', outcome), { fence });
  }
  const { value: session, ms } = outcome;
  return pinSession(deps, row.id, { kind: 'create_answered', session, ms }, { fence });
}

/** Applies the answer. A session belongs to one collection, so the answer does not pin a session of another one. */
async function pinSession(
  deps: SubmitDeps,
  id: string,
  evidence: EvidenceOf<'create_answered'>,
  options: ReconcileOptions,
): Promise<Reconciled | undefined> {
  try {
    return await reconcile(deps, id, evidence, options);
  } catch (fault) {
    // The id of a session is unique in the database.
    if (!(await deps.collections.isSessionOfOther(evidence.session.id, id))) throw fault;
    return reconcile(deps, id, { ...evidence, isTaken: true }, options);
  }
}
