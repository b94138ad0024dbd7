import type { Person } from '../access/permissions.ts';
import { accountActionWrite, changeAccount } from './account-action.ts';
import { accountWrites } from './account-store.ts';
import { type CheckedPerson, type Credentials, checkPerson, type SignInRefusal } from './check-person.ts';
import { sessionLimits } from './limit-store.ts';
import { checkPasskey, type PasskeyDeps, type PasskeyUse } from './passkeys.ts';
import { type AccountDeps, createSignInSession } from './session.ts';

type SignedIn = { ok: true; token: string };

/** Signs a person in with the password and a code. @returns the token for the cookie. */
export async function signIn(deps: AccountDeps, credentials: Credentials): Promise<SignedIn | SignInRefusal> {
  return start(deps, await checkPerson(deps, credentials, 'sign_in'));
}

/** Signs in the person whose passkey was used. @returns the token for the cookie. */
export async function signInWithPasskey(
  deps: PasskeyDeps,
  use: Pick<PasskeyUse, 'credential' | 'network'>,
): Promise<SignedIn | SignInRefusal> {
  return start(deps, await checkPasskey(deps, { ...use, purpose: 'sign_in' }, 'sign_in'));
}

async function start(
  deps: AccountDeps,
  checked: CheckedPerson | SignInRefusal,
): Promise<SignedIn | SignInRefusal> {
  if (!checked.ok) return checked;
  const { accounts, clock, livemode } = deps;
  const { account, detail, writes } = checked;
  const now = clock.now();
  const { token, write } = createSignInSession(deps, account.id, 'full');
  const isSignedIn = await accounts.apply([
    ...writes,
    accountWrites.endOldSessions({ before: now - sessionLimits.maxMs }),
    accountWrites.makeRoomForSession(account.id),
    write,
    accountActionWrite({ actor: account.name, action: 'sign_in', account, detail }, { livemode, now }),
  ]);
  return isSignedIn ? { ok: true, token } : lostTo(checked);
}

/** The code or the challenge was used by another request at the same time. */
function lostTo({ detail }: CheckedPerson): SignInRefusal {
  return { ok: false, reason: 'passkey' in detail ? 'wrong_passkey' : 'wrong' };
}

/** Checks the password and a code of the person of a session again, as approvals require. */
export async function confirmPerson(
  deps: AccountDeps,
  person: Person,
  credentials: Omit<Credentials, 'name'>,
): Promise<{ ok: true } | SignInRefusal> {
  const { name } = person;
  return confirm(deps, person, await checkPerson(deps, { ...credentials, name }, 'confirm'));
}

/** As `confirmPerson`, with a passkey of the person. */
export async function confirmWithPasskey(
  deps: PasskeyDeps,
  person: Person,
  use: Pick<PasskeyUse, 'credential' | 'network'>,
): Promise<{ ok: true } | SignInRefusal> {
  const { accountId, session } = person;
  const own = { ...use, accountId, purpose: `confirm:${session.id}` } as const;
  return confirm(deps, person, await checkPasskey(deps, own, 'confirm'));
}

async function confirm(
  deps: AccountDeps,
  person: Person,
  checked: CheckedPerson | SignInRefusal,
): Promise<{ ok: true } | SignInRefusal> {
  if (!checked.ok) return checked;
  const { digest } = person.session;
  const confirmed = accountWrites.confirmSession({ digest, now: deps.clock.now() });
  const writes = [...checked.writes, confirmed];
  const changed = await changeAccount(deps, person, { action: 'confirm', detail: checked.detail, writes });
  return changed.ok ? changed : lostTo(checked);
}

/** Ends a session of a person: the own one, or one on another device. */
export async function endSignInSession(deps: AccountDeps, person: Person, id: string): Promise<boolean> {
  const { accountId, session } = person;
  const action = id === session.id ? 'sign_out' : 'end_session';
  const writes = [accountWrites.endSession({ accountId, id })];
  return (await changeAccount(deps, person, { action, writes })).ok;
}

/** Ends all sessions and tokens of a person except the one of the request. */
export async function endOtherSessions(deps: AccountDeps, person: Person): Promise<boolean> {
  const { accountId, session } = person;
  const writes = [accountWrites.endOtherSessions({ accountId, digest: session.digest })];
  return (await changeAccount(deps, person, { action: 'end_sessions', writes })).ok;
}
