import { createCipheriv, createDecipheriv, hash, hkdfSync } from 'node:crypto';
import canonicalize from 'canonicalize';
import type { Clock } from '../../shared/clock.ts';
import type { Ids } from '../../shared/ids.ts';
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

/** Encrypts the saved responses that contain a secret. */
export type AnswerCipher = {
  encrypt(text: string): string;
  /** Returns `undefined` for a text that was encrypted with another secret, or not encrypted at all. */
  decrypt(text: string): string | undefined;
};

export type RunOnce = (
  owner: Owner,
  request: { keyed: IdempotencyKey | undefined; requestId: string; cipher?: AnswerCipher },
  work: (savedResponse: SavedResponse) => Promise<ApiResponse | ApiError>,
) => Promise<(ApiResponse & { replayed: boolean }) | ApiError>;

const unsaved: SavedResponse = { save: () => [], replace: () => [] };

const noCipher: AnswerCipher = { encrypt: (text) => text, decrypt: (text) => text };

const keyReused = () => apiError('idempotency_key_reused', { param: 'Idempotency-Key' });

/** Identifies a request: the SHA-256 of its method, its path and its body as canonical JSON (RFC 8785). */
export function fingerprint(method: string, path: string, body: unknown): string {
  return hash('sha256', `${method}\n${path}\n${canonicalize(body) ?? ''}`);
}

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
        const body = saved.fingerprint === fingerprint ? cipher.decrypt(saved.body) : undefined;
        return body === undefined
          ? keyReused()
          : { kind: 'response', status: saved.status, body, replayed: true };
      }
      let isErrorSaved = false;
      const save = ({ status, body }: ApiResponse) => {
        // Read again: the clock of a sandbox may have advanced by days since the request arrived.
        const now = clock.now();
        const row = { ...owner, key, fingerprint, status, body: cipher.encrypt(body), createdAt: now };
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
          return [savedResponses.replace(owner, key, status, cipher.encrypt(body))];
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

const nonceBytes = 12;
const tagBytes = 16;

/**
 * Creates a cipher for responses that contain a secret, so that a copy of the database does not reveal it: AES-256-GCM
 * under a key that is derived from `secret`, which the database does not contain.
 */
export function createAnswerCipher(secret: string, ids: Ids): AnswerCipher {
  const key = Buffer.from(hkdfSync('sha256', secret, '', 'dialtill saved responses', 32));
  return {
    encrypt(text) {
      const nonce = Buffer.from(ids.secret(), 'base64url').subarray(0, nonceBytes);
      const cipher = createCipheriv('aes-256-gcm', key, nonce);
      const ciphertext = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      return Buffer.concat([nonce, cipher.getAuthTag(), ciphertext]).toString('base64url');
    },
    decrypt(text) {
      const bytes = Buffer.from(text, 'base64url');
      try {
        const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, nonceBytes));
        decipher.setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes));
        return Buffer.concat([
          decipher.update(bytes.subarray(nonceBytes + tagBytes)),
          decipher.final(),
        ]).toString('utf8');
      } catch {
        return undefined;
      }
    },
  };
}
