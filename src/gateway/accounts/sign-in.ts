import { accountActionWrite } from './account-action.ts';
import { accountWrites } from './account-store.ts';
import { type Credentials, checkPerson, type Refusal } from './check-person.ts';
import type { AccountDeps } from './deps.ts';
import { createSession, type Person, sessionLimits } from './session.ts';

/** Signs a person in. @returns the token for the cookie. */
export async function signIn(
  deps: AccountDeps,
  credentials: Credentials,
): Promise<{ ok: true; token: string } | Refusal> {
  const { accounts, clock, livemode } = deps;
  const checked = await checkPerson(deps, credentials, 'sign_in');
  if (!checked.ok) return checked;
  const { account, usedRecoveryCode, writes } = checked;
  const now = clock.now();
  const { token, write } = createSession(deps, account.id, 'full');
  const detail = { recoveryCode: usedRecoveryCode };
  const isSignedIn = await accounts.apply([
    ...writes,
    accountWrites.endOldSessions({ before: now - sessionLimits.maxMs }),
    write,
    accountActionWrite({ actor: account.name, action: 'sign_in', account, detail }, { livemode, now }),
  ]);
  return isSignedIn ? { ok: true, token } : { ok: false, reason: 'wrong' };
}

/** Checks the person of a session again, as approvals require. */
export async function confirmPerson(
  deps: AccountDeps,
  { name, session }: Person,
  credentials: Omit<Credentials, 'name'>,
): Promise<{ ok: true } | Refusal> {
  const checked = await checkPerson(deps, { ...credentials, name }, 'confirm');
  if (!checked.ok) return checked;
  const { account, writes } = checked;
  const now = deps.clock.now();
  const isDone = await deps.accounts.apply([
    ...writes,
    accountWrites.confirmSession({ digest: session.digest, now }),
    accountActionWrite({ actor: name, action: 'confirm', account }, { livemode: deps.livemode, now }),
  ]);
  return isDone ? { ok: true } : { ok: false, reason: 'wrong' };
}

/** Ends a session of a person: the own one, or one on another device. */
export async function endSession(
  { accounts, clock, livemode }: AccountDeps,
  { accountId, name, merchantId, session }: Person,
  id: string,
): Promise<boolean> {
  const action = id === session.id ? 'sign_out' : 'end_session';
  const account = { id: accountId, name, merchantId };
  return accounts.apply([
    accountWrites.endSession({ accountId, id }),
    accountActionWrite({ actor: name, action, account }, { livemode, now: clock.now() }),
  ]);
}
