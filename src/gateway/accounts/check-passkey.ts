import { accountActionWrite } from './account-action.ts';
import { accountWrites } from './account-store.ts';
import type { CheckedPerson, Refusal } from './check-person.ts';
import { countAttempt } from './count-attempt.ts';
import { readUsedPasskey, verifyUsed } from './passkey-ceremony.ts';
import type { ChallengePurpose } from './passkey-challenge.ts';
import { passkeyWrites } from './passkey-store.ts';
import type { PasskeyDeps } from './passkeys.ts';

/** The answer of a passkey, from where, and for what. */
export type PasskeyUse = {
  /** The field of the form. */
  credential: string;
  /** The network of the browser, which guesses are counted by. */
  network: string;
  purpose: ChallengePurpose;
  /** The account whose passkeys are accepted; all accounts without it. */
  accountId?: string;
};

/**
 * Checks the answer of a passkey with user verification, which stands for the password and the code.
 *
 * @param action what the person wanted to do, for the record of a refusal.
 */
export async function checkPasskey(
  deps: PasskeyDeps,
  { credential, network, purpose, accountId }: PasskeyUse,
  action: string,
): Promise<CheckedPerson | Refusal> {
  const { accounts, passkeys, clock, livemode } = deps;
  const used = readUsedPasskey(credential);
  const passkey = used && (await passkeys.find(used.id));
  const account = passkey && (await accounts.find(passkey.accountId));
  const counted = await countAttempt(deps, { name: account?.name ?? used?.id ?? '', network, account });
  if (!counted.ok) return { ...counted, reason: 'wait' };
  const isPerson = account?.disabledAt === null && (accountId ?? account.id) === account.id;
  const verified =
    used && passkey && isPerson ? await verifyUsed(deps, { used, passkey, purpose }) : undefined;
  const now = clock.now();
  if (account && passkey && verified) {
    const { id, counter: seen } = passkey;
    const { counter } = verified;
    const writes = [
      ...counted.success,
      ...verified.writes,
      passkeyWrites.use({ id, seen, counter, now }),
      accountWrites.recordNetwork({ id: account.id, network: counted.network }),
    ];
    return { ok: true, account, detail: { passkey: id }, writes };
  }
  if (account) {
    const refused = { actor: account.name, action, result: 'refused', account } as const;
    await accounts.apply([
      accountActionWrite({ ...refused, detail: { passkey: passkey?.id } }, { livemode, now }),
    ]);
  }
  return { ok: false, reason: 'wrong_passkey' };
}
