import { timingSafeEqual } from 'node:crypto';
import type { Write } from '../../sqlite/store.ts';
import type { Person } from '../access/permissions.ts';
import { type AccountFault, accountActionWrite, changeAccount } from './account-action.ts';
import { accountWrites } from './account-store.ts';
import { countAttempt } from './check-person.ts';
import { createCode, digestOfCode, matchStep, seedBytes } from './code.ts';
import { passwordFault } from './password.ts';
import { type AccountDeps, createSignInSession } from './session.ts';

const recoveryCodes = 10;

/** Starts the first use of an account with its code. The session that begins may only complete it. */
export async function startSetUp(
  deps: AccountDeps,
  { name, code, network }: { name: string; code: string; network: string },
): Promise<{ ok: true; token: string } | { ok: false; waitSeconds: number | undefined }> {
  const { accounts, clock, livemode } = deps;
  const account = await accounts.findByName(name);
  const counted = await countAttempt(deps, { name, network, account });
  if (!counted.ok) return counted;
  const now = clock.now();
  const expected = account?.codeUntil && account.codeUntil > now ? account.codeDigest : null;
  const given = Buffer.from(digestOfCode(code));
  const isRight = timingSafeEqual(Buffer.from(expected ?? digestOfCode('')), given) && expected !== null;
  const action = { actor: name, action: 'start_set_up' };
  if (!account || !isRight || account.disabledAt !== null) {
    const refusal = account
      ? accountActionWrite({ ...action, result: 'refused', account }, { livemode, now })
      : accountWrites.endOldSessions({ before: 0 });
    await accounts.apply([refusal]);
    return { ok: false, waitSeconds: undefined };
  }
  const { token, write } = createSignInSession(deps, account.id, 'setup');
  const nextSeed = deps.cipher.encrypt(newSeed(deps), account.id);
  const isStarted = await accounts.apply([
    ...counted.success,
    accountWrites.startSetUp({ id: account.id, nextSeed, codeDigest: expected, now }),
    accountWrites.endSessions({ accountId: account.id }),
    write,
    accountActionWrite({ ...action, account }, { livemode, now }),
  ]);
  return isStarted ? { ok: true, token } : { ok: false, waitSeconds: undefined };
}

/** Returns the seed that the person enters into an authenticator app; `undefined` when none is waiting. */
export async function proposedSeed(
  { accounts, cipher }: AccountDeps,
  accountId: string,
): Promise<Buffer | undefined> {
  const account = await accounts.find(accountId);
  const seed = account?.nextSeed ? cipher.decrypt(account.nextSeed, accountId) : undefined;
  return seed === undefined ? undefined : Buffer.from(seed, 'base64url');
}

/** Completes the first use: sets the password and the one-time passwords, and returns the recovery codes, once. */
export async function completeSetUp(
  deps: AccountDeps,
  person: Person,
  { password, code }: { password: string; code: string },
): Promise<{ ok: true; codes: string[] } | AccountFault> {
  const { accountId: id } = person;
  const fault = passwordFault(password);
  if (fault !== undefined) return { ok: false, message: fault };
  const proposed = await matchProposed(deps, id, code);
  if (!proposed) return wrongCode;
  const hash = await deps.passwords.hash(password);
  const { codes, writes } = newCodes(deps, id);
  const changed = await changeAccount(deps, person, {
    action: 'set_up',
    writes: [
      accountWrites.setUp({ id, password: hash, ...proposed, now: deps.clock.now() }),
      accountWrites.endSessions({ accountId: id }),
      ...writes,
    ],
  });
  if (!changed.ok) return { ok: false, message: 'The code of the first use has ended. Ask for a new one.' };
  return { ok: true, codes };
}

const wrongCode: AccountFault = {
  ok: false,
  message: 'The code of the app is wrong. Check the time of the phone, and enter the next code.',
};

/** Shows a new seed to a person. It replaces the present one when a code of it is entered. */
export async function proposeSeed(deps: AccountDeps, person: Person): Promise<void> {
  const { accountId: id } = person;
  const nextSeed = deps.cipher.encrypt(newSeed(deps), id);
  const writes = [accountWrites.proposeSeed({ id, nextSeed })];
  await changeAccount(deps, person, { action: 'propose_one_time_passwords', writes });
}

/** Replaces the one-time passwords by those of the new seed. */
export async function changeSeed(
  deps: AccountDeps,
  person: Person,
  code: string,
): Promise<{ ok: true } | AccountFault> {
  const proposed = await matchProposed(deps, person.accountId, code);
  if (!proposed) return wrongCode;
  return changeAccount(deps, person, {
    action: 'change_one_time_passwords',
    writes: [accountWrites.changeSeed({ id: person.accountId, ...proposed })],
  });
}

/** Replaces the password, and ends the other sessions of the person. */
export async function changePassword(
  deps: AccountDeps,
  person: Person,
  password: string,
): Promise<{ ok: true } | AccountFault> {
  const fault = passwordFault(password);
  if (fault !== undefined) return { ok: false, message: fault };
  const { accountId, session } = person;
  const hash = await deps.passwords.hash(password);
  const writes = [
    accountWrites.changePassword({ id: accountId, password: hash }),
    accountWrites.endOtherSessions({ accountId, digest: session.digest }),
  ];
  return changeAccount(deps, person, { action: 'change_password', writes });
}

/** Replaces the recovery codes and returns the new ones, once. */
export async function renewCodes(
  deps: AccountDeps,
  person: Person,
): Promise<{ ok: true; codes: string[] } | AccountFault> {
  const { codes, writes } = newCodes(deps, person.accountId);
  const changed = await changeAccount(deps, person, { action: 'renew_recovery_codes', writes });
  return changed.ok ? { ok: true, codes } : changed;
}

async function matchProposed(
  { accounts, cipher, clock }: AccountDeps,
  id: string,
  code: string,
): Promise<{ nextSeed: string; step: number } | undefined> {
  const account = await accounts.find(id);
  const nextSeed = account?.nextSeed;
  const seed = nextSeed ? cipher.decrypt(nextSeed, id) : undefined;
  if (!nextSeed || seed === undefined) return undefined;
  const text = code.replace(/\s/g, '');
  const step = matchStep(Buffer.from(seed, 'base64url'), text, { now: clock.now(), lastStep: 0 });
  return step === undefined ? undefined : { nextSeed, step };
}

function newSeed({ ids }: AccountDeps): string {
  return Buffer.from(ids.secret(), 'base64url').subarray(0, seedBytes).toString('base64url');
}

function newCodes({ ids }: AccountDeps, accountId: string): { codes: string[]; writes: Write[] } {
  const codes = Array.from({ length: recoveryCodes }, () => createCode(ids));
  const inserts = codes.map((code) => accountWrites.insertCode({ accountId, digest: digestOfCode(code) }));
  return { codes, writes: [accountWrites.deleteCodes({ id: accountId }), ...inserts] };
}
