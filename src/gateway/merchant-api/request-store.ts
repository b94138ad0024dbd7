import { and, eq, lt, sql } from 'drizzle-orm';
import type { EpochMs } from '../../shared/clock.ts';
import { build, insertRowIf, parameter, prepareQuery, prepareWrite } from '../../sqlite/statement.ts';
import type { Store } from '../../sqlite/store.ts';
import { merchantRequest } from '../database/schema.ts';

export type MerchantRequest = typeof merchantRequest.$inferSelect;
export type RequestKey = Pick<MerchantRequest, 'keyId' | 'idempotencyKey'>;

const { placeholder } = sql;

const isRequest = and(
  eq(merchantRequest.keyId, placeholder('keyId')),
  eq(merchantRequest.idempotencyKey, placeholder('idempotencyKey')),
);

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

export type RequestStore = ReturnType<typeof requestStore>;

/** Reads and writes the requests of merchants' own systems that change something. */
export function requestStore(store: Store) {
  return {
    find: (key: RequestKey): Promise<MerchantRequest | undefined> => find.get(store, key),
    /** Returns false when the key of idempotency is in use, or too many requests are kept. */
    begin: (request: MerchantRequest): Promise<boolean> =>
      store.apply([{ ...insert({ ...request, max: maxKept }), locks: [`requests of ${request.keyId}`] }]),
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
