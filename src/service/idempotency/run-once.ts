import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';
import type { Clock } from '../../shared/clock.ts';
import type { Store, Write } from '../../sqlite/store.ts';
import { type ApiError, apiError, isApiError } from '../api-error.ts';
import { type ApiResponse, errorResponse } from '../http/response.ts';
import type { Owner } from '../session/session-store.ts';
import type { IdempotencyStore } from './idempotency-store.ts';

/** How long a key is remembered unless the configuration says otherwise. */
export const defaultKeyLifetimeMs = 24 * 3_600_000;

/** Makes the writes that keep an answer, for the batch that has the answer's effect. */
export type SavedResponse = {
  save(answer: ApiResponse): Write[];
  /** Replaces the saved response before it leaves the process. */
  replace(outcome: ApiResponse | ApiError): Write[];
};

/** A request under an idempotency key. */
export type IdempotencyKey = { key: string; fingerprint: string };

/** Hides the kept bytes of answers that hold a secret. */
export type AnswerCipher = { encrypt(text: string): string; decrypt(text: string): string | undefined };

export type RunOnce = (
  owner: Owner,
  request: { keyed: IdempotencyKey | undefined; requestId: string; cipher?: AnswerCipher },
  work: (savedResponse: SavedResponse) => Promise<ApiResponse | ApiError>,
) => Promise<(ApiResponse & { replayed: boolean }) | ApiError>;

const keepNothing: SavedResponse = { save: () => [], replace: () => [] };

const noCipher: AnswerCipher = { encrypt: (text) => text, decrypt: (text) => text };

/** What makes two requests the same: method, path, and the JSON of the body in canonical form (RFC 8785). */
export function fingerprint(method: string, path: string, body: unknown): string {
  return createHash('sha256')
    .update(`${method}\n${path}\n${canonicalize(body) ?? ''}`)
    .digest('hex');
}

/**
 * Lets a request with an idempotency key have its effect once. A key belongs to a merchant and a mode. The same
 * request again gets the first answer; another request under the key, and the same one while the first is being
 * answered, are refused.
 *
 * An answer is kept in the batch that has its effect, so a crash leaves both or neither. A refusal that the work
 * itself gave is kept as well, unless the same call may succeed later; one that was given before the work began (bad
 * fields, no such key) never comes here.
 *
 * Which requests are under way is known in memory alone: one process owns the database file, and its end ends
 * them all.
 */
export function createRunOnce(deps: {
  store: Store;
  kept: IdempotencyStore;
  clock: Clock;
  idempotencyKeyLifetimeMs: number;
}): RunOnce {
  const { store, kept, clock, idempotencyKeyLifetimeMs } = deps;
  const underWay = new Map<string, string>();

  return async (owner, { keyed, requestId, cipher = noCipher }, work) => {
    if (!keyed) {
      const outcome = await work(keepNothing);
      return isApiError(outcome) ? outcome : { ...outcome, replayed: false };
    }
    const { key, fingerprint } = keyed;
    const place = `${owner.livemode} ${owner.merchantId} ${key}`;
    const other = underWay.get(place);
    if (other !== undefined) {
      return other === fingerprint
        ? apiError('idempotency_in_progress', { retryAfterSeconds: 1 })
        : apiError('idempotency_key_reused', { param: 'Idempotency-Key' });
    }
    underWay.set(place, fingerprint);
    try {
      const first = await kept.find(owner, key, clock.now() - idempotencyKeyLifetimeMs);
      if (first) {
        const body = first.fingerprint === fingerprint ? cipher.decrypt(first.body) : undefined;
        return body === undefined
          ? apiError('idempotency_key_reused', { param: 'Idempotency-Key' })
          : { kind: 'response', status: first.status, body, replayed: true };
      }
      let isKept = false;
      const insert = ({ status, body }: ApiResponse) => {
        // Of the answer and not of the question: between them a sandbox's clock may have moved by days.
        const now = clock.now();
        const row = { ...owner, key, fingerprint, status, body: cipher.encrypt(body), createdAt: now };
        return kept.insert(row, now - idempotencyKeyLifetimeMs);
      };
      const outcome = await work({
        save: insert,
        replace(other) {
          isKept = true;
          const { status, body } = isApiError(other) ? errorResponse(other, requestId) : other;
          return [kept.replace(owner, key, status, cipher.encrypt(body))];
        },
      });
      if (outcome.kind === 'response') return { ...outcome, replayed: false };
      if (!isKept && outcome.retryAfterSeconds === undefined && !outcome.correctable) {
        await store.apply(insert(errorResponse(outcome, requestId)));
      }
      return outcome;
    } finally {
      underWay.delete(place);
    }
  };
}
