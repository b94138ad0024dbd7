import type { AccountRole } from '../../contract/account.ts';
import { accountActionWrite } from './account-action.ts';
import { type Account, accountWrites } from './account-store.ts';
import type { AccountDeps } from './deps.ts';
import { createSession, type Person } from './session.ts';

/** An account of the demo, which everybody who reaches the console may use without a password. */
export type OpenAccount = { name: string; role: AccountRole };

/** Signs in with an open account, which is added at its first use. @returns the token for the cookie. */
export async function signInOpenly(deps: AccountDeps, { name, role }: OpenAccount): Promise<string> {
  const { accounts, clock, ids, livemode } = deps;
  if (livemode === 1) throw new Error('a live gateway has no open accounts');
  const now = clock.now();
  const known = await accounts.findByName(name);
  const account: Account = known ?? {
    ...{ id: ids.next('acc'), name, role, merchantId: null },
    ...{ password: null, seed: null, nextSeed: null, lastStep: 0, lastNetwork: null },
    ...{ codeDigest: null, codeUntil: null, createdAt: now, disabledAt: null },
  };
  const { token, write } = createSession(deps, account.id, 'full');
  const action = accountActionWrite({ actor: name, action: 'sign_in', account }, { livemode, now });
  await accounts.apply([...(known ? [] : [accountWrites.insert(account)]), write, action]);
  return token;
}

/** Counts the person of an open account as confirmed, as the password and a code do for others. */
export async function confirmOpenly(
  { accounts, clock, livemode }: AccountDeps,
  person: Person,
): Promise<void> {
  const now = clock.now();
  const { accountId: id, name, merchantId, session } = person;
  const account = { id, name, merchantId };
  await accounts.apply([
    accountWrites.confirmSession({ digest: session.digest, now }),
    accountActionWrite({ actor: name, action: 'confirm', account }, { livemode, now }),
  ]);
}
