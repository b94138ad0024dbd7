import { and, eq, gt, type SQL, sql } from 'drizzle-orm';
import type { EpochMs } from '../../shared/clock.ts';
import { build, prepareWrite } from '../../sqlite/statement.ts';
import type { Write } from '../../sqlite/store.ts';
import { account, accountSession, passkey, savedView } from '../database/schema.ts';

const minuteMs = 60_000;

export const sessionLimits = {
  /** Without a request for so long, a session ends. */
  idleMs: 30 * minuteMs,
  maxMs: 12 * 60 * minuteMs,
  /** Sessions of one account in browsers. A new one ends the one that was used least recently. */
  maxInBrowsers: 20,
  /** The first use of an account. */
  setupMs: 60 * minuteMs,
  /** A token of the command line. It ends without regard to its use. */
  commandMs: 30 * 24 * 60 * minuteMs,
  /** The time for which a password and a code count for an approval. */
  confirmedMs: 5 * minuteMs,
} as const;

const { placeholder } = sql;

type Limited = { accountId: string; max: number };

/** Writes nothing. Loses unless the account has fewer rows than its maximum. */
const unlessFull = (counted: SQL) =>
  prepareWrite<Limited & { after?: EpochMs }>(
    build
      .update(account)
      .set({ name: sql`${account.name}` })
      .where(and(eq(account.id, placeholder('accountId')), sql`(${counted}) < ${placeholder('max')}`)),
    1,
  );

const ofAccount = (column: SQL | { getSQL(): SQL }) => sql`${column} = ${placeholder('accountId')}`;

const guards = {
  views: unlessFull(sql`SELECT count(*) FROM ${savedView} WHERE ${ofAccount(savedView.accountId)}`),
  passkeys: unlessFull(sql`SELECT count(*) FROM ${passkey} WHERE ${ofAccount(passkey.accountId)}`),
  tokens: unlessFull(
    sql`SELECT count(*) FROM ${accountSession} WHERE ${and(
      ofAccount(accountSession.accountId),
      eq(accountSession.kind, sql`'command'`),
      gt(accountSession.createdAt, placeholder('after')),
    )}`,
  ),
};

/**
 * Returns the guard of a batch that adds something of which a person has a maximum number: the batch loses when the person has as
 * many, also when two are added at the same moment.
 *
 * @param now the time at which tokens count that have not ended.
 */
export function quotaWrite(kind: keyof typeof guards, { accountId, max }: Limited, now: EpochMs): Write {
  const values = { accountId, max, ...(kind === 'tokens' && { after: now - sessionLimits.commandMs }) };
  return { ...guards[kind](values), locks: [`${kind} ${accountId}`] };
}
