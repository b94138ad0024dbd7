import { lt, sql } from 'drizzle-orm';
import { plainText, runKeyedOnce as runKeyed } from '../../kit/idempotency.ts';
import type { SecretCipher } from '../../kit/secret-cipher.ts';
import type { EpochMs } from '../../shared/clock.ts';
import { build, equals, insertRowIf, parameter, prepareQuery, prepareWrite } from '../../sqlite/statement.ts';
import type { Store } from '../../sqlite/store.ts';
import { merchantRequest } from '../database/schema.ts';
import type { PeriodicJob } from '../worker/queue.ts';
import type { MerchantAnswer, MerchantFailure } from './define-route.ts';

type MerchantRequest = typeof merchantRequest.$inferSelect;
type RequestKey = Pick<MerchantRequest, 'keyId' | 'idempotencyKey'>;

const { placeholder } = sql;

const isRequest = equals(merchantRequest, 'keyId', 'idempotencyKey');

const find = prepareQuery(build.select().from(merchantRequest).where(isRequest));

/** Requests of one key that are kept at a time. */
const maxKept = 20_000;

const kept = sql`SELECT 1 FROM ${merchantRequest} WHERE ${merchantRequest.keyId} = ${placeholder('keyId')} LIMIT ${placeholder('max')}`;

/** Loses when the key of idempotency is in use, and when the key of the merchant has as many requests as are kept. */
const insert = insertRowIf<typeof merchantRequest, { max: number }>(
  merchantRequest,
  sql`(SELECT count(*) FROM (${kept}) AS "kept") < ${placeholder('max')}`,
);

const complete = prepareWrite<RequestKey & { answer: string }>(
  build
    .update(merchantRequest)
    .set({ answer: parameter('answer') })
    .where(isRequest),
  1,
);

const remove = prepareWrite<RequestKey>(build.delete(merchantRequest).where(isRequest));

const old = prepareQuery(
  build
    .select({ keyId: merchantRequest.keyId, idempotencyKey: merchantRequest.idempotencyKey })
    .from(merchantRequest)
    .where(lt(merchantRequest.at, placeholder('before')))
    .limit(placeholder('limit')),
);

type RequestStore = ReturnType<typeof requestStore>;

export function requestStore(store: Store) {
  const begin = (request: MerchantRequest): Promise<boolean> =>
    store.apply([{ ...insert({ ...request, max: maxKept }), locks: [`requests of ${request.keyId}`] }]);
  return {
    find: (key: RequestKey): Promise<MerchantRequest | undefined> => find.get(store, key),
    /** Returns false when the key of idempotency is in use, or too many requests are kept. */
    begin,
    /** Accepts a request once, at all gateways of the ledger, when no repeat gets its answer. */
    async accept(key: RequestKey, at: EpochMs): Promise<'accepted' | 'repeated' | 'full'> {
      if (await begin({ ...key, digest: '', answer: null, at })) return 'accepted';
      return (await find.get(store, key)) ? 'repeated' : 'full';
    },
    complete: (key: RequestKey, answer: string): Promise<boolean> =>
      store.apply([complete({ ...key, answer })]),
    /** Forgets a request that has changed nothing. */
    forget: (key: RequestKey): Promise<boolean> => store.apply([remove(key)]),
    /** Deletes up to `limit` requests from before a time. Returns their number. */
    async prune(before: EpochMs, limit: number): Promise<number> {
      const found = await old.all(store, { before, limit });
      if (found.length > 0) await store.apply(found.map((key) => remove(key)));
      return found.length;
    },
  };
}

export type OnceDeps = {
  requests: RequestStore;
  /** Absent without notifications: then no answer has a secret. */
  cipher: SecretCipher | undefined;
  now(): EpochMs;
};

/** The time in which a repeat gets the same answer. */
const keepMs = 3 * 24 * 3_600_000;

const pruneBatch = 500;

type Once = RequestKey & { digest: string; isSecret: boolean };

const interrupted: MerchantFailure = {
  ok: false,
  code: 'in_progress',
  message:
    'this request is being carried out, or was interrupted: read whether it was done before you repeat it',
};

const full = { refused: 'full' } as const;

const refusals = {
  full: {
    ok: false,
    code: 'too_many_actions',
    message: 'the key has sent as many changes as are kept for three days: continue tomorrow',
  },
  reused: {
    ok: false,
    code: 'idempotency_key_reused',
    message: 'the Idempotency-Key belongs to another request: choose a new one',
  },
  in_progress: interrupted,
  unreadable: interrupted,
} as const;

/** Carries a request out at most once. A repeat with its key gets the same answer; after a refusal, the key can be used again. */
export async function runOnce(
  { requests, cipher, now }: OnceDeps,
  { digest, isSecret, ...key }: Once,
  run: () => Promise<MerchantAnswer>,
): Promise<MerchantAnswer> {
  const begin = () => requests.begin({ ...key, digest, answer: null, at: now() });
  const claim = async () => {
    if (await begin()) return 'claimed';
    const first = await requests.find(key);
    if (first) return first;
    // The first request with the key was refused, and forgotten, meanwhile.
    return (await begin()) ? 'claimed' : ((await requests.find(key)) ?? full);
  };
  const request = {
    digest,
    owner: `${key.keyId} ${key.idempotencyKey}`,
    cipher: isSecret ? cipher : plainText,
  };
  const result = await runKeyed(request, { claim }, async (toStored) => {
    const answer = await run();
    const stored = answer.ok ? toStored(JSON.stringify(answer.value)) : undefined;
    if (!answer.ok) await requests.forget(key);
    else if (stored !== undefined) await requests.complete(key, stored);
    return answer;
  });
  if ('refused' in result) return refusals[result.refused];
  return 'outcome' in result ? result.outcome : { ok: true, value: JSON.parse(result.answer) };
}

/** Returns the job that forgets old requests. */
export function requestPruneJob({ prune }: Pick<RequestStore, 'prune'>): PeriodicJob {
  return {
    name: 'merchant request retention',
    everyMs: 3_600_000,
    firstAfterMs: 90_000,
    run: async (now) => ((await prune(now - keepMs, pruneBatch)) === pruneBatch ? 'more' : 'done'),
  };
}
