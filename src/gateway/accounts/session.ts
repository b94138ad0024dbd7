import { createHash } from 'node:crypto';
import type { DigestingCipher } from '../../kit/secret-cipher.ts';
import type { Clock, EpochMs } from '../../shared/clock.ts';
import type { Ids } from '../../shared/ids.ts';
import type { Write } from '../../sqlite/store.ts';
import type { Person } from '../access/permissions.ts';
import { type AccountSession, type AccountStore, accountWrites } from './account-store.ts';
import { sessionLimits } from './limit-store.ts';
import type { Passwords } from './password.ts';

export type AccountDeps = {
  accounts: AccountStore;
  passwords: Passwords;
  /** Encrypts the seeds of one-time passwords in the database. */
  cipher: DigestingCipher;
  clock: Pick<Clock, 'now'>;
  ids: Pick<Ids, 'next' | 'secret'>;
  livemode: 0 | 1;
};

const minuteMs = 60_000;

function digestOfToken(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

/**
 * Creates a session. The browser or the command gets the token, the database its digest.
 *
 * @param isConfirmed whether the session counts as confirmed: the person has entered the password and a code for it.
 */
export function createSignInSession(
  { ids, clock }: Pick<AccountDeps, 'ids' | 'clock'>,
  accountId: string,
  kind: AccountSession['kind'],
  isConfirmed = true,
): { token: string; write: Write } {
  const token = ids.secret();
  const now = clock.now();
  const write = accountWrites.insertSession({
    ...{ digest: digestOfToken(token), id: ids.next('ses'), accountId, kind },
    ...{ createdAt: now, seenAt: now, confirmedAt: isConfirmed ? now : 0 },
  });
  return { token, write };
}

/**
 * Returns the person of a cookie; `undefined` when the session has ended or the account is disabled.
 *
 * @param isActive false for a request that the person did not make: it does not prolong the session.
 */
export async function findPerson(
  deps: { accounts: AccountStore; clock: AccountDeps['clock'] },
  token: string | undefined,
  isActive = true,
): Promise<Person | undefined> {
  return token === undefined ? undefined : findSignInSession(deps, token, { kind: 'browser', isActive });
}

/** Returns the account of a session, which may have ended: it gives no right. */
export async function findOwner(
  { accounts }: Pick<AccountDeps, 'accounts'>,
  token: string,
): Promise<string | undefined> {
  return token.length > 64 ? undefined : (await accounts.findSession(digestOfToken(token)))?.accountId;
}

/** Returns the person of a token: a cookie is no token of the command line, and the reverse. */
export async function findSignInSession(
  { accounts, clock }: { accounts: AccountStore; clock: AccountDeps['clock'] },
  token: string,
  { kind, isActive = true }: { kind: 'browser' | 'command'; isActive?: boolean },
): Promise<Person | undefined> {
  if (token.length > 64) return undefined;
  const session = await accounts.findSession(digestOfToken(token));
  const now = clock.now();
  if (!session || hasEnded(session, now)) return undefined;
  if ((session.kind === 'command') !== (kind === 'command')) return undefined;
  const account = await accounts.find(session.accountId);
  if (!account || account.disabledAt !== null) return undefined;
  if (isActive && now - session.seenAt >= minuteMs)
    await accounts.apply([accountWrites.touchSession({ digest: session.digest, now })]);
  const { name, role, merchantId, decidesFrom } = account;
  return { kind: 'person', accountId: account.id, name, role, merchantId, decidesFrom, session };
}

/** Returns whether a session has ended by itself. */
export function hasEnded({ kind, createdAt, seenAt }: AccountSession, now: EpochMs): boolean {
  if (kind === 'command') return now - createdAt >= sessionLimits.commandMs;
  const maxMs = kind === 'setup' ? sessionLimits.setupMs : sessionLimits.maxMs;
  return now - createdAt >= maxMs || now - seenAt >= sessionLimits.idleMs;
}

/** Returns whether the person has entered the password and a code within five minutes, as approvals require. */
export function isConfirmed({ session }: Pick<Person, 'session'>, now: EpochMs): boolean {
  return session.kind !== 'setup' && now - session.confirmedAt < sessionLimits.confirmedMs;
}
