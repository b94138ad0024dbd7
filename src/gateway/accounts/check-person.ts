import type { DigestingCipher } from '../../kit/secret-cipher.ts';
import type { EpochMs } from '../../shared/clock.ts';
import type { Write } from '../../sqlite/store.ts';
import { accountActionWrite } from './account-action.ts';
import { type Account, type AttemptKey, type Attempts, accountWrites } from './account-store.ts';
import { digestOfCode, matchStep } from './code.ts';
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

/** A checked person. `writes` use up the code or the challenge, in the batch of what follows. `detail` is for its record. */
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

/** An attempt that was counted and may be checked, or the time to wait. */
type CountedAttempt = { ok: true; network: number; success: Write[] } | { ok: false; waitSeconds: number };

/**
 * Counts an attempt before it is checked, so that parallel guesses are delayed like later ones.
 *
 * The delay of a name does not apply in the network of the account's newest sign-in: a stranger elsewhere cannot keep its owner
 * out.
 *
 * @returns `success`: the writes that take the attempt back when it succeeds.
 */
export async function countAttempt(
  { accounts, cipher, clock }: Pick<AccountDeps, 'accounts' | 'cipher' | 'clock'>,
  { name, network, account }: { name: string; network: string; account: Account | undefined },
): Promise<CountedAttempt> {
  const now = clock.now();
  const byNetwork: AttemptKey = { kind: 'network', bucket: getBucket(cipher, network) };
  const byName: AttemptKey = { kind: 'name', bucket: getBucket(cipher, name) };
  const keys = account?.lastNetwork === byNetwork.bucket ? [byNetwork] : [byNetwork, byName];
  const found = await Promise.all(keys.map(async (key) => ({ key, attempts: await accounts.attempts(key) })));
  const waitMs = Math.max(...found.map(({ attempts }) => delayMs(attempts, now)));
  if (waitMs > 0) return { ok: false, waitSeconds: Math.ceil(waitMs / 1_000) };
  const writes = found.map(({ key, attempts }) =>
    accountWrites.countAttempt({
      ...key,
      ...{ failures: countedFailures(attempts, now) + 1, now },
      ...{ seen: attempts?.failures ?? 0, seenAt: attempts?.at ?? 0 },
    }),
  );
  // Another attempt was counted meanwhile: its result is not known yet.
  if (!(await accounts.apply(writes))) return { ok: false, waitSeconds: 1 };
  const success = [accountWrites.discountAttempt(byNetwork), accountWrites.forgetAttempts(byName)];
  return { ok: true, network: byNetwork.bucket, success };
}

const freeFailures = 3;
const maxDelayMs = 60_000;
const forgottenAfterMs = 60 * 60_000;

/** Returns the failures that count: after an hour without one, none do. */
export function countedFailures(attempts: Attempts | undefined, now: EpochMs): number {
  return attempts && now - attempts.at < forgottenAfterMs ? attempts.failures : 0;
}

/** Returns the wait before the next attempt, in milliseconds. It doubles after the third failure, up to a minute: never a lasting lock. */
export function delayMs(attempts: Attempts | undefined, now: EpochMs): number {
  const failures = countedFailures(attempts, now);
  if (!attempts || failures < freeFailures) return 0;
  const wait = Math.min(1_000 * 2 ** (failures - freeFailures), maxDelayMs);
  return Math.max(0, Math.min(wait, attempts.at + wait - now));
}

/**
 * Returns the bucket of a name or a network: sixteen bits, so that a stranger cannot fill the table. It depends on the key of the
 * secrets, so that a stranger does not know which network shares that of others, and cannot keep them out.
 */
export function getBucket(cipher: Pick<DigestingCipher, 'digest'>, text: string): number {
  return cipher.digest(text).readUInt16BE(0);
}

/** Reads a typed name as names are stored. A keyboard begins it with a capital letter, or ends it with a space. */
export function readAccountName(typed = ''): string {
  return typed.trim().toLowerCase();
}
