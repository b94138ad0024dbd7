import type { SecretCipher } from '../../kit/secret-cipher.ts';
import type { EpochMs } from '../../shared/clock.ts';
import type { PeriodicJob } from '../worker/queue.ts';
import type { MerchantAnswer } from './define-route.ts';
import type { RequestKey, RequestStore } from './request-store.ts';

export type OnceDeps = {
  requests: RequestStore;
  /** Absent without notifications: then no answer has a secret. */
  cipher: SecretCipher | undefined;
  now(): EpochMs;
};

/** How long a repeat gets the same answer. */
const keepMs = 3 * 24 * 3_600_000;

const pruneBatch = 500;

type Once = RequestKey & { digest: string; isSecret: boolean };

/**
 * Carries a request out at most once. A repeat with the same idempotency key gets the answer of the first; a request that was refused
 * has changed nothing, and can be repeated with the same key.
 */
export async function runOnce(
  { requests, cipher, now }: OnceDeps,
  { digest, isSecret, ...key }: Once,
  run: () => Promise<MerchantAnswer>,
): Promise<MerchantAnswer> {
  const owner = `${key.keyId} ${key.idempotencyKey}`;
  const begin = () => requests.begin({ ...key, digest, answer: null, at: now() });
  // The first request with the key of idempotency may have been refused, and forgotten, meanwhile.
  const isBegun = (await begin()) || (!(await requests.find(key)) && (await begin()));
  if (!isBegun) {
    const first = await requests.find(key);
    if (!first) return tooMany;
    if (first.digest !== digest)
      return {
        ok: false,
        code: 'idempotency_key_reused',
        message: 'the Idempotency-Key belongs to another request: choose a new one',
      };
    const text = isSecret ? cipher?.decrypt(first.answer ?? '', owner) : first.answer;
    if (text) return { ok: true, value: JSON.parse(text) };
    return {
      ok: false,
      code: 'in_progress',
      message:
        'this request is being carried out, or was interrupted: read whether it was done before you repeat it',
    };
  }
  const answer = await run();
  if (!answer.ok) {
    await requests.forget(key);
    return answer;
  }
  const text = JSON.stringify(answer.value);
  const stored = isSecret ? cipher?.encrypt(text, owner) : text;
  if (stored !== undefined) await requests.complete(key, stored);
  return answer;
}

const tooMany: MerchantAnswer = {
  ok: false,
  code: 'too_many_actions',
  message: 'the key has sent as many changes as are kept for three days: continue tomorrow',
};

/** Returns the job that forgets old requests. */
export function requestPruneJob({ prune }: Pick<RequestStore, 'prune'>): PeriodicJob {
  return {
    name: 'merchant request retention',
    everyMs: 3_600_000,
    firstAfterMs: 90_000,
    run: async (now) => ((await prune(now - keepMs, pruneBatch)) === pruneBatch ? 'more' : 'done'),
  };
}
