import { and, eq, lt, sql } from 'drizzle-orm';
import type { EpochMs } from '../../shared/clock.ts';
import { build, insertRow, parameter, prepareQuery, prepareWrite } from '../../sqlite/statement.ts';
import type { Store } from '../../sqlite/store.ts';
import { merchantRequest } from '../schema.ts';

export type MerchantRequest = typeof merchantRequest.$inferSelect;
export type RequestKey = Pick<MerchantRequest, 'keyId' | 'idempotencyKey'>;

const { placeholder } = sql;

const isRequest = and(
  eq(merchantRequest.keyId, placeholder('keyId')),
  eq(merchantRequest.idempotencyKey, placeholder('idempotencyKey')),
);

const find = prepareQuery(build.select().from(merchantRequest).where(isRequest));

const insert = insertRow(merchantRequest);

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
    /** Returns false when the key of idempotency is in use. */
    begin: (request: MerchantRequest): Promise<boolean> => store.apply([insert(request)]),
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
