import type { Write } from '../../sqlite/store.ts';
import { accountActionWrite } from './account-action.ts';
import { type Account, accountWrites } from './account-store.ts';
import { digestOfCode, matchStep } from './code.ts';
import { countAttempt } from './count-attempt.ts';
import { PasswordsBusy } from './password.ts';
import type { AccountDeps } from './session.ts';

/** The input of a person, with the network of the browser. */
export type Credentials = {
  name: string;
  password: string;
  /** A one-time password, or a recovery code. */
  code: string;
  /** The network of the browser, which guesses are counted by. */
  network: string;
};

export type SignInRefusal =
  | { ok: false; reason: 'wrong' | 'wrong_passkey' | 'busy' }
  | { ok: false; reason: 'wait'; waitSeconds: number };

/**
 * A person who entered the right password and code, or used a passkey. `writes` use up the code or the challenge and belong to
 * the batch of what follows. `detail` is for the record of it.
 */
export type CheckedPerson = {
  ok: true;
  account: Account;
  detail: { recoveryCode: boolean } | { passkey: string };
  writes: Write[];
};

/**
 * Checks a name, a password and a code. The answer to an unknown name is the one to a wrong password, after the same work.
 *
 * @param action what the person wanted to do, for the record of a refusal.
 */
export async function checkPerson(
  deps: AccountDeps,
  { name, password, code, network }: Credentials,
  action: string,
): Promise<CheckedPerson | SignInRefusal> {
  const { accounts, passwords, clock, livemode } = deps;
  const account = await accounts.findByName(name);
  const counted = await countAttempt(deps, { name, network, account });
  if (!counted.ok) return { ...counted, reason: 'wait' };
  let isPassword: boolean;
  try {
    isPassword = await passwords.verify(password, account?.password);
  } catch (fault) {
    if (!(fault instanceof PasswordsBusy)) throw fault;
    await accounts.apply(counted.success);
    return { ok: false, reason: 'busy' };
  }
  const used = await matchCode(deps, account, code);
  if (account && isPassword && used && account.disabledAt === null) {
    const writes = [...counted.success, ...used.writes];
    const recorded = accountWrites.recordNetwork({ id: account.id, network: counted.network });
    return { ok: true, account, detail: { recoveryCode: used.isRecovery }, writes: [...writes, recorded] };
  }
  const now = clock.now();
  // Both cases write once, so that the time does not show whether the name exists.
  const refusal = account
    ? accountActionWrite({ actor: name, action, result: 'refused', account }, { livemode, now })
    : accountWrites.endOldSessions({ before: 0 });
  await accounts.apply([refusal]);
  return { ok: false, reason: 'wrong' };
}

type UsedCode = { isRecovery: boolean; writes: Write[] };

/** Returns the writes that use up the code; `undefined` for a wrong one. */
async function matchCode(
  { accounts, cipher, clock }: AccountDeps,
  account: Account | undefined,
  entered: string,
): Promise<UsedCode | undefined> {
  const { id = '', password = null, seed = null, lastStep = 0 } = account ?? {};
  const stored = await accounts.recoveryCodes(id);
  if (password === null || seed === null) return undefined;
  const secret = cipher.decrypt(seed, id);
  const text = entered.replace(/[\s-]/g, '');
  const step =
    secret === undefined
      ? undefined
      : matchStep(Buffer.from(secret, 'base64url'), text, { now: clock.now(), lastStep });
  if (step !== undefined)
    return { isRecovery: false, writes: [accountWrites.acceptStep({ id, step, password, seed })] };
  const digest = digestOfCode(entered);
  if (!stored.includes(digest)) return undefined;
  const writes = [accountWrites.useCode({ id, digest }), accountWrites.keepUnchanged({ id, password })];
  return { isRecovery: true, writes };
}
