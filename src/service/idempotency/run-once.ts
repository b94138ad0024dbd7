import type { SecretCipher } from '../../kit/secret-cipher.ts';
import type { Clock } from '../../shared/clock.ts';
import type { Store, Write } from '../../sqlite/store.ts';
import { type ApiError, apiError, isApiError } from '../api-error.ts';
import { type ApiResponse, errorResponse } from '../http/response.ts';
import type { Owner } from '../session/session-store.ts';
import type { IdempotencyStore } from './idempotency-store.ts';

export const defaultKeyLifetimeMs = 24 * 3_600_000;

/** Returns the writes that save a response under the request's idempotency key; none for a request without a key. */
export type SavedResponse = {
  /** Saves the response in the batch that has its effect. */
  save(response: ApiResponse): Write[];
  /** Replaces the saved response before any response leaves the process. */
  replace(outcome: ApiResponse | ApiError): Write[];
};

/** An idempotency key, and what identifies the request that it belongs to. */
export type IdempotencyKey = { key: string; fingerprint: string };

export type RunOnce = (
  owner: Owner,
  request: { keyed: IdempotencyKey | undefined; requestId: string; cipher?: SecretCipher },
  work: (savedResponse: SavedResponse) => Promise<ApiResponse | ApiError>,
) => Promise<(ApiResponse & { replayed: boolean }) | ApiError>;

const unsaved: SavedResponse = { save: () => [], replace: () => [] };

const noCipher: SecretCipher = { encrypt: (text) => text, decrypt: (text) => text };

const keyReused = () => apiError('idempotency_key_reused', { param: 'Idempotency-Key' });

/**
 * Runs the work of a request with an idempotency key once. A key belongs to one merchant and mode. A repetition of the
 * request gets the saved response. Another request under the same key gets `idempotency_key_reused`, and a repetition
 * while the first request is in progress gets `idempotency_in_progress`.
 *
 * The response is saved in the batch that has its effect, so a crash leaves both or neither. An error that the work
 * returns is saved too, unless the same call may succeed later. Errors from before the work, such as an invalid field,
 * are not saved.
 *
 * The requests in progress are held in memory alone: one process owns the database file, and its exit ends them all.
 */
export function createRunOnce(deps: {
  store: Store;
  savedResponses: IdempotencyStore;
  clock: Clock;
  idempotencyKeyLifetimeMs: number;
}): RunOnce {
  const { store, savedResponses, clock, idempotencyKeyLifetimeMs } = deps;
  const fingerprintsInProgress = new Map<string, string>();

  return async (owner, { keyed, requestId, cipher = noCipher }, work) => {
    if (!keyed) {
      const outcome = await work(unsaved);
      return isApiError(outcome) ? outcome : { ...outcome, replayed: false };
    }
    const { key, fingerprint } = keyed;
    const scopedKey = `${owner.livemode} ${owner.merchantId} ${key}`;
    const inProgress = fingerprintsInProgress.get(scopedKey);
    if (inProgress !== undefined) {
      return inProgress === fingerprint
        ? apiError('idempotency_in_progress', { retryAfterSeconds: 1 })
        : keyReused();
    }
    fingerprintsInProgress.set(scopedKey, fingerprint);
    try {
      const saved = await savedResponses.find(owner, key);
      const isExpired = saved !== undefined && saved.createdAt <= clock.now() - idempotencyKeyLifetimeMs;
      if (saved && !isExpired) {
        const body = saved.fingerprint === fingerprint ? cipher.decrypt(saved.body, scopedKey) : undefined;
        return body === undefined
          ? keyReused()
          : { kind: 'response', status: saved.status, body, replayed: true };
      }
      let isErrorSaved = false;
      const save = ({ status, body }: ApiResponse) => {
        // Read again: the clock of a sandbox may have advanced by days since the request arrived.
        const now = clock.now();
        const row = {
          ...owner,
          key,
          fingerprint,
          status,
          body: cipher.encrypt(body, scopedKey),
          createdAt: now,
        };
        const replaced = isExpired
          ? [savedResponses.deleteExpired(owner, key, now - idempotencyKeyLifetimeMs)]
          : [];
        return [...replaced, savedResponses.insert(row)];
      };
      const outcome = await work({
        save,
        replace(replacement) {
          isErrorSaved = true;
          const { status, body } = isApiError(replacement)
            ? errorResponse(replacement, requestId)
            : replacement;
          return [savedResponses.replace(owner, key, status, cipher.encrypt(body, scopedKey))];
        },
      });
      if (!isApiError(outcome)) return { ...outcome, replayed: false };
      if (!isErrorSaved && outcome.retryAfterSeconds === undefined && !outcome.correctable) {
        await store.apply(save(errorResponse(outcome, requestId)));
      }
      return outcome;
    } finally {
      fingerprintsInProgress.delete(scopedKey);
    }
  };
}
