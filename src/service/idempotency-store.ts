import { and, asc, lte, sql } from 'drizzle-orm';
import { plainText, runKeyedOnce } from '../kit/idempotency.ts';
import type { SecretCipher } from '../kit/secret-cipher.ts';
import type { Clock, EpochMs } from '../shared/clock.ts';
import { build, equals, insertRow, parameter, prepareQuery, prepareWrite } from '../sqlite/statement.ts';
import type { Store, Write } from '../sqlite/store.ts';
import { type ApiError, type ApiResponse, apiError, errorResponse, isApiError } from './http/response.ts';
import { idempotency } from './schema.ts';
import type { SessionOwner } from './session/session-store.ts';

type SavedResponseRow = typeof idempotency.$inferSelect;

export type IdempotencyStore = ReturnType<typeof idempotencyStore>;

const { placeholder } = sql;

const thisKey = equals(idempotency, 'merchantId', 'livemode', 'key');

const find = prepareQuery(build.select().from(idempotency).where(thisKey));

/** The order of the times at which responses were saved. A row that replaces an expired one is a new row. */
const savingOrder = sql`rowid`;

const oldest = prepareQuery(
  build.select({ at: idempotency.createdAt }).from(idempotency).orderBy(asc(savingOrder)).limit(1),
);

const deleteExpired = prepareWrite<SessionOwner & { key: string; before: EpochMs }>(
  build.delete(idempotency).where(and(thisKey, lte(idempotency.createdAt, placeholder('before')))),
);

const replace = prepareWrite<SessionOwner & { key: string; status: number; body: string }>(
  build
    .update(idempotency)
    .set({ status: parameter('status'), body: parameter('body') })
    .where(thisKey),
  1,
);

export function idempotencyStore(store: Store) {
  return {
    /** Finds the response of a key, also when it has expired. */
    find: (owner: SessionOwner, key: string): Promise<SavedResponseRow | undefined> =>
      find.get(store, { ...owner, key }),
    oldest: async (): Promise<EpochMs | undefined> => (await oldest.get(store))?.at,
    /** Saves a response under a key that has none. */
    insert: insertRow(idempotency),
    /** Deletes the response of a key if it was created up to `before`. */
    deleteExpired: (owner: SessionOwner, key: string, before: EpochMs): Write =>
      deleteExpired({ merchantId: owner.merchantId, livemode: owner.livemode, key, before }),
    replace: (owner: SessionOwner, key: string, status: number, body: string): Write =>
      replace({ ...owner, key, status, body }),
    prune: (before: EpochMs, limit: number): Write => ({
      sql: `DELETE FROM idempotency WHERE created_at <= ? AND rowid IN (
              SELECT rowid FROM idempotency ORDER BY rowid LIMIT ?)`,
      args: [before, limit],
    }),
  };
}

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
  owner: SessionOwner,
  request: { keyed: IdempotencyKey | undefined; requestId: string; cipher?: SecretCipher },
  work: (savedResponse: SavedResponse) => Promise<ApiResponse | ApiError>,
) => Promise<(ApiResponse & { replayed: boolean }) | ApiError>;

const unsaved: SavedResponse = { save: () => [], replace: () => [] };

const keyReused = apiError('idempotency_key_reused', { param: 'Idempotency-Key' });

const refusals = {
  reused: keyReused,
  // The admin token, from which the key of the cipher is derived, was replaced.
  unreadable: keyReused,
  in_progress: apiError('idempotency_in_progress', { retryAfterSeconds: 1 }),
};

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

  return async (owner, { keyed, requestId, cipher = plainText }, work) => {
    if (!keyed) {
      const outcome = await work(unsaved);
      return isApiError(outcome) ? outcome : { ...outcome, replayed: false };
    }
    const { key, fingerprint } = keyed;
    const scopedKey = `${owner.livemode} ${owner.merchantId} ${key}`;
    const inProgress = fingerprintsInProgress.get(scopedKey);
    if (inProgress !== undefined) return inProgress === fingerprint ? refusals.in_progress : refusals.reused;
    fingerprintsInProgress.set(scopedKey, fingerprint);
    let isExpired = false;
    const requests = {
      async claim() {
        const saved = await savedResponses.find(owner, key);
        isExpired = saved !== undefined && saved.createdAt <= clock.now() - idempotencyKeyLifetimeMs;
        if (!saved || isExpired) return 'claimed';
        return { digest: saved.fingerprint, answer: saved.body, status: saved.status };
      },
      release: () => void fingerprintsInProgress.delete(scopedKey),
    } as const;
    const request = { digest: fingerprint, owner: scopedKey, cipher };
    const result = await runKeyedOnce(request, requests, async (toStored) => {
      let isErrorSaved = false;
      const encrypt = (body: string) => toStored(body) ?? '';
      const save = ({ status, body }: ApiResponse) => {
        // Read again: the clock of a sandbox may have advanced by days since the request arrived.
        const now = clock.now();
        const row = { ...owner, key, fingerprint, status, body: encrypt(body), createdAt: now };
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
          return [savedResponses.replace(owner, key, status, encrypt(body))];
        },
      });
      if (!isApiError(outcome)) return { ...outcome, replayed: false };
      if (!isErrorSaved && outcome.retryAfterSeconds === undefined && !outcome.correctable) {
        await store.apply(save(errorResponse(outcome, requestId)));
      }
      return outcome;
    });
    if ('refused' in result) return refusals[result.refused];
    if ('outcome' in result) return result.outcome;
    return { kind: 'response', status: result.first.status, body: result.answer, replayed: true };
  };
}
