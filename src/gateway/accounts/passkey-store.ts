import { and, asc, eq, lt, sql } from 'drizzle-orm';
import type { EpochMs } from '../../shared/clock.ts';
import { build, equals, insertRow, parameter, prepareQuery, prepareWrite } from '../../sqlite/statement.ts';
import type { Store } from '../../sqlite/store.ts';
import { passkey, usedChallenge } from '../database/schema.ts';

export type Passkey = typeof passkey.$inferSelect;

export type PasskeyStore = ReturnType<typeof passkeyStore>;

const { placeholder } = sql;

/** The maximum number of passkeys of an account. */
export const maxPasskeys = 10;

const byCredential = prepareQuery(build.select().from(passkey).where(equals(passkey, 'credentialId')));
const ofAccount = prepareQuery(
  build
    .select()
    .from(passkey)
    .where(equals(passkey, 'accountId'))
    .orderBy(asc(passkey.createdAt), asc(passkey.id)),
);

export function passkeyStore(store: Store) {
  return {
    find: (credentialId: string): Promise<Passkey | undefined> => byCredential.get(store, { credentialId }),
    list: (accountId: string): Promise<Passkey[]> => ofAccount.all(store, { accountId }),
  };
}

export const passkeyWrites = {
  insert: insertRow(passkey),
  /** Loses for a challenge that was used before. */
  useChallenge: insertRow(usedChallenge),
  forgetChallenges: prepareWrite<{ before: EpochMs }>(
    build.delete(usedChallenge).where(lt(usedChallenge.at, placeholder('before'))),
  ),
  /** Guarded by the counter that was compared: two uses at the same time do not both succeed. */
  use: prepareWrite<{ id: string; seen: number; counter: number; now: EpochMs }>(
    build
      .update(passkey)
      .set({ counter: parameter('counter'), lastUsedAt: parameter('now') })
      .where(and(equals(passkey, 'id'), eq(passkey.counter, placeholder('seen')))),
    1,
  ),
  remove: prepareWrite<{ id: string; accountId: string }>(
    build.delete(passkey).where(equals(passkey, 'id', 'accountId')),
    1,
  ),
  removeAll: prepareWrite<{ accountId: string }>(build.delete(passkey).where(equals(passkey, 'accountId'))),
};
