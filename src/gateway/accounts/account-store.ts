import { and, asc, eq, gt, isNotNull, isNull, lt, ne, sql } from 'drizzle-orm';
import type { EpochMs } from '../../shared/clock.ts';
import {
  build,
  equals,
  insertRow,
  insertRowIf,
  parameter,
  prepareQuery,
  prepareWrite,
} from '../../sqlite/statement.ts';
import type { Store, Write } from '../../sqlite/store.ts';
import { isStillActor } from '../access/action-store.ts';
import { type Person, permissions } from '../access/permissions.ts';
import { account, accountSession, recoveryCode, signInAttempt } from '../database/schema.ts';
import { sessionLimits } from './limit-store.ts';

/** Wrong sign-ins with a name, or from a network. */
export type Attempts = { failures: number; at: EpochMs };

export type Account = typeof account.$inferSelect;
export type AccountSession = typeof accountSession.$inferSelect;
export type AttemptKey = { kind: 'name' | 'network'; bucket: number };

export type AccountStore = ReturnType<typeof accountStore>;

const { placeholder } = sql;

const byName = prepareQuery(build.select().from(account).where(equals(account, 'name')));
const list = prepareQuery(build.select().from(account).orderBy(asc(account.name)));
const sessionByDigest = prepareQuery(
  build.select().from(accountSession).where(equals(accountSession, 'digest')),
);
const byId = prepareQuery(build.select().from(account).where(equals(account, 'id')));
const sessions = prepareQuery(
  build
    .select()
    .from(accountSession)
    .where(equals(accountSession, 'accountId'))
    .orderBy(asc(accountSession.createdAt)),
);
const codes = prepareQuery(
  build.select({ digest: recoveryCode.digest }).from(recoveryCode).where(equals(recoveryCode, 'accountId')),
);
const attempts = prepareQuery(
  build
    .select()
    .from(signInAttempt)
    .where(equals(signInAttempt, 'kind', 'bucket')),
);

/** Reads and writes the accounts of the console, their sessions and codes. */
export function accountStore(store: Store) {
  return {
    findByName: (name: string): Promise<Account | undefined> => byName.get(store, { name }),
    find: (id: string): Promise<Account | undefined> => byId.get(store, { id }),
    list: (): Promise<Account[]> => list.all(store),
    findSession: (digest: string): Promise<AccountSession | undefined> =>
      sessionByDigest.get(store, { digest }),
    sessions: (accountId: string): Promise<AccountSession[]> => sessions.all(store, { accountId }),
    /** Returns the digests of the recovery codes that are left. */
    recoveryCodes: async (accountId: string): Promise<string[]> =>
      (await codes.all(store, { accountId })).map(({ digest }) => digest),
    attempts: (key: AttemptKey): Promise<Attempts | undefined> => attempts.get(store, { ...key }),
    /** Returns whether a person is still who it was. */
    isStillActor: (person: Person): Promise<boolean> => isStillActor(store, person),
    apply: store.apply,
  };
}

const isAccount = equals(account, 'id');

const upsertAttempt = build
  .insert(signInAttempt)
  .values({
    kind: placeholder('kind'),
    bucket: placeholder('bucket'),
    failures: placeholder('failures'),
    at: placeholder('now'),
  })
  .onConflictDoUpdate({
    target: [signInAttempt.kind, signInAttempt.bucket],
    set: { failures: parameter('failures'), at: parameter('now') },
    setWhere: sql`${signInAttempt.failures} = ${placeholder('seen')} AND ${signInAttempt.at} = ${placeholder('seenAt')}`,
  });

/** The maximum number of accounts. */
export const maxAccounts = 1_000;

/** The most people who ever decided about money, besides the one of the write, with whom it is right. */
type Deciders = { maxDeciders: number };

const deciding = permissions['proposals.decide'].roles.map((role) => sql`${role}`);
const hasFewDeciders = sql`(SELECT count(*) FROM ${account} AS one WHERE one.id <> ${placeholder('id')}
  AND (one.decides_from IS NOT NULL OR one.role IN (${sql.join(deciding, sql`, `)}))) <= ${placeholder('maxDeciders')}`;

const insertBelow = insertRowIf<typeof account, { max: number } & Deciders>(
  account,
  sql`(SELECT count(*) FROM ${account}) < ${placeholder('max')} AND ${hasFewDeciders}`,
);

/** `decidesFromRead` is 0 for null. A change that was calculated from another time loses. */
type Read = { decidesFromRead: EpochMs };

const isAsRead = and(isAccount, sql`coalesce(${account.decidesFrom}, 0) = ${placeholder('decidesFromRead')}`);

const changeRole = prepareWrite<
  Pick<Account, 'id' | 'role' | 'merchantId' | 'decidesFrom'> & Read & Deciders
>(
  build
    .update(account)
    .set({
      ...{ role: parameter('role'), merchantId: parameter('merchantId') },
      decidesFrom: parameter('decidesFrom'),
    })
    .where(and(isAsRead, hasFewDeciders)),
  1,
);

const isInBrowser = and(equals(accountSession, 'accountId'), ne(accountSession.kind, sql`'command'`));

const keepNewest = prepareWrite<{ accountId: string; kept: number }>(
  build.delete(accountSession).where(
    and(
      isInBrowser,
      sql`${accountSession.digest} NOT IN (SELECT ${accountSession.digest} FROM ${accountSession} WHERE ${isInBrowser}
          ORDER BY ${accountSession.seenAt} DESC, ${accountSession.id} DESC LIMIT ${placeholder('kept')})`,
    ),
  ),
);

export const accountWrites = {
  /** Loses when there are `maxAccounts`, one with the name, or more than `maxDeciders`. */
  insert: (row: Account, maxDeciders = maxAccounts): Write => ({
    ...insertBelow({ ...row, max: maxAccounts, maxDeciders }),
    locks: ['accounts'],
  }),
  /** Makes the account wait for its first use: nothing that was known before signs in any more. */
  invite: prepareWrite<
    { id: string; codeDigest: string; codeUntil: EpochMs; decidesFrom: EpochMs | null } & Read
  >(
    build
      .update(account)
      .set({
        ...{ password: null, seed: null, nextSeed: null },
        ...{ codeDigest: parameter('codeDigest'), codeUntil: parameter('codeUntil') },
        decidesFrom: parameter('decidesFrom'),
      })
      .where(isAsRead),
    1,
  ),
  disable: prepareWrite<{ id: string; now: EpochMs }>(
    build
      .update(account)
      .set({ disabledAt: parameter('now'), codeDigest: null, codeUntil: null })
      .where(and(isAccount, isNull(account.disabledAt))),
    1,
  ),
  enable: prepareWrite<Pick<Account, 'id' | 'decidesFrom'> & Read>(
    build
      .update(account)
      .set({ disabledAt: null, decidesFrom: parameter('decidesFrom') })
      .where(and(isAsRead, isNotNull(account.disabledAt))),
    1,
  ),
  changeRole: (row: Parameters<typeof changeRole>[0]): Write => ({ ...changeRole(row), locks: ['accounts'] }),
  /** Lets a person decide about money from now on. Loses for one who may already, and for one who was reset meanwhile. */
  acceptDecider: prepareWrite<{ id: string; now: EpochMs } & Read>(
    build
      .update(account)
      .set({ decidesFrom: parameter('now') })
      .where(and(isAsRead, gt(account.decidesFrom, placeholder('now')), isNull(account.disabledAt))),
    1,
  ),
  /** Guarded by the step, so that two requests with the same one-time password do not both succeed. */
  acceptStep: prepareWrite<{ id: string; step: number; password: string; seed: string }>(
    build
      .update(account)
      .set({ lastStep: parameter('step') })
      .where(
        and(
          isAccount,
          lt(account.lastStep, placeholder('step')),
          equals(account, 'password'),
          equals(account, 'seed'),
          isNull(account.disabledAt),
        ),
      ),
    1,
  ),
  /** Guarded like `acceptStep`, for a recovery code. */
  keepUnchanged: prepareWrite<{ id: string; password: string }>(
    build
      .update(account)
      .set({ lastStep: sql`${account.lastStep}` })
      .where(and(isAccount, equals(account, 'password'), isNull(account.disabledAt))),
    1,
  ),
  /** Loses for a disabled account. */
  recordNetwork: prepareWrite<{ id: string; network: number }>(
    build
      .update(account)
      .set({ lastNetwork: parameter('network') })
      .where(and(isAccount, isNull(account.disabledAt))),
    1,
  ),
  /** Loses when the code of the first use was replaced or has ended. */
  startSetUp: prepareWrite<{ id: string; nextSeed: string; codeDigest: string; now: EpochMs }>(
    build
      .update(account)
      .set({ nextSeed: parameter('nextSeed') })
      .where(
        and(
          isAccount,
          equals(account, 'codeDigest'),
          gt(account.codeUntil, placeholder('now')),
          isNull(account.disabledAt),
        ),
      ),
    1,
  ),
  proposeSeed: prepareWrite<{ id: string; nextSeed: string }>(
    build
      .update(account)
      .set({ nextSeed: parameter('nextSeed') })
      .where(and(isAccount, isNull(account.disabledAt))),
    1,
  ),
  /** Completes the first use: guarded by the code, which ends with it. */
  setUp: prepareWrite<{ id: string; password: string; nextSeed: string; step: number; now: EpochMs }>(
    build
      .update(account)
      .set({
        ...{ password: parameter('password'), seed: parameter('nextSeed'), nextSeed: null },
        ...{ lastStep: parameter('step'), codeDigest: null, codeUntil: null },
      })
      .where(
        and(
          isAccount,
          equals(account, 'nextSeed'),
          gt(account.codeUntil, placeholder('now')),
          isNull(account.disabledAt),
        ),
      ),
    1,
  ),
  changePassword: prepareWrite<{ id: string; password: string }>(
    build
      .update(account)
      .set({ password: parameter('password') })
      .where(and(isAccount, isNull(account.disabledAt))),
    1,
  ),
  changeSeed: prepareWrite<{ id: string; nextSeed: string; step: number }>(
    build
      .update(account)
      .set({ seed: parameter('nextSeed'), nextSeed: null, lastStep: parameter('step') })
      .where(and(isAccount, equals(account, 'nextSeed'), isNull(account.disabledAt))),
    1,
  ),
  insertCode: insertRow(recoveryCode),
  useCode: prepareWrite<{ id: string; digest: string }>(
    build
      .delete(recoveryCode)
      .where(and(eq(recoveryCode.accountId, placeholder('id')), equals(recoveryCode, 'digest'))),
    1,
  ),
  deleteCodes: prepareWrite<{ id: string }>(
    build.delete(recoveryCode).where(eq(recoveryCode.accountId, placeholder('id'))),
  ),
  insertSession: insertRow(accountSession),
  /** Ends the sessions of an account in browsers that were used least recently, so that one more can begin. */
  makeRoomForSession: (accountId: string): Write =>
    keepNewest({ accountId, kept: sessionLimits.maxInBrowsers - 1 }),
  touchSession: prepareWrite<{ digest: string; now: EpochMs }>(
    build
      .update(accountSession)
      .set({ seenAt: parameter('now') })
      .where(equals(accountSession, 'digest')),
  ),
  confirmSession: prepareWrite<{ digest: string; now: EpochMs }>(
    build
      .update(accountSession)
      .set({ confirmedAt: parameter('now'), seenAt: parameter('now') })
      .where(equals(accountSession, 'digest')),
    1,
  ),
  endSession: prepareWrite<{ accountId: string; id: string }>(
    build.delete(accountSession).where(equals(accountSession, 'accountId', 'id')),
    1,
  ),
  endSessions: prepareWrite<{ accountId: string }>(
    build.delete(accountSession).where(equals(accountSession, 'accountId')),
  ),
  /** Ends the sessions and tokens of an account but one, which can have ended. None of them comes back. */
  endOtherSessions: prepareWrite<{ accountId: string; digest: string }>(
    build
      .delete(accountSession)
      .where(and(equals(accountSession, 'accountId'), ne(accountSession.digest, placeholder('digest')))),
  ),
  /** Ends the sessions in browsers of every account that began before `before`. */
  endOldSessions: prepareWrite<{ before: EpochMs }>(
    build
      .delete(accountSession)
      .where(and(lt(accountSession.createdAt, placeholder('before')), ne(accountSession.kind, 'command'))),
  ),
  /** Counts an attempt before it is checked. Loses when another one was counted since `seen`; 0 stands for none. */
  countAttempt: prepareWrite<AttemptKey & { failures: number; now: EpochMs; seen: number; seenAt: EpochMs }>(
    upsertAttempt,
    1,
  ),
  forgetAttempts: prepareWrite<AttemptKey>(
    build.delete(signInAttempt).where(equals(signInAttempt, 'kind', 'bucket')),
  ),
  /** Takes back one attempt that has succeeded. */
  discountAttempt: prepareWrite<AttemptKey>(
    build
      .update(signInAttempt)
      .set({ failures: sql`${signInAttempt.failures} - 1` })
      .where(
        and(
          equals(signInAttempt, 'kind'),
          equals(signInAttempt, 'bucket'),
          gt(signInAttempt.failures, sql`0`),
        ),
      ),
  ),
};
