import { maskNumbers } from '../../shared/msisdn.ts';
import type { Person } from '../access/permissions.ts';
import { type AccountFault, changeAccount, recordAccountAction } from './account-action.ts';
import { accountWrites } from './account-store.ts';
import { type CheckedPerson, countAttempt, type SignInRefusal } from './check-person.ts';
import { quotaWrite } from './limit-store.ts';
import {
  algorithms,
  type ChallengePurpose,
  loadWebAuthn,
  type PasskeyChallenges,
  type PasskeySite,
  readUsedPasskey,
  userIdBytes,
  verifyCreated,
  verifyUsed,
} from './passkey-ceremony.ts';
import { maxPasskeys, type PasskeyStore, passkeyWrites } from './passkey-store.ts';
import type { AccountDeps } from './session.ts';

export type PasskeyDeps = AccountDeps & {
  passkeys: PasskeyStore;
  challenges: PasskeyChallenges;
  site: PasskeySite;
};

export const maxLabelLength = 40;

/** Adds a passkey that the browser of a person created. `label` is the name that the person gives it. */
export async function addPasskey(
  deps: PasskeyDeps,
  person: Person,
  { label: typed, credential: text }: { label: string; credential: string },
): Promise<{ ok: true } | AccountFault> {
  const { accountId, session } = person;
  const label = maskNumbers(typed.trim());
  if (label === '' || label.length > maxLabelLength || /[\p{Cc}\p{Cf}]/u.test(label))
    return { ok: false, message: `A passkey has a name of at most ${maxLabelLength} characters.` };
  const own = await deps.passkeys.list(accountId);
  if (own.length >= maxPasskeys)
    return { ok: false, message: `An account has at most ${maxPasskeys} passkeys. Remove one first.` };
  const created = await verifyCreated(deps, { text, purpose: `add:${session.id}` });
  if (!created) return notAdded;
  const { credential, writes } = created;
  if (await deps.passkeys.find(credential.id)) return notAdded;
  const id = deps.ids.next('pky');
  const createdAt = deps.clock.now();
  const row = {
    ...{ id, accountId, label, credentialId: credential.id, counter: credential.counter },
    publicKey: Buffer.from(credential.publicKey).toString('base64url'),
    ...{ createdAt, lastUsedAt: null },
  };
  return changeAccount(deps, person, {
    action: 'add_passkey',
    detail: { passkey: id, label },
    writes: [
      ...writes,
      quotaWrite('passkeys', { accountId, max: maxPasskeys }, createdAt),
      passkeyWrites.insert(row),
    ],
  });
}

const notAdded: AccountFault = {
  ok: false,
  message: 'The passkey was not added. Load the page again and repeat it.',
};

/** Removes a passkey, and ends the other sessions of the person: the device with the passkey can be lost. */
export async function removePasskey(
  deps: PasskeyDeps,
  person: Person,
  id: string,
): Promise<{ ok: true } | AccountFault> {
  const { accountId, session } = person;
  return changeAccount(deps, person, {
    action: 'remove_passkey',
    detail: { passkey: id },
    writes: [
      passkeyWrites.remove({ id, accountId }),
      accountWrites.endOtherSessions({ accountId, digest: session.digest }),
    ],
  });
}

/** Shorter than a challenge is accepted. */
const timeout = 4 * 60_000;

/** The library encodes bytes as they are; a text would be encoded a second time. */
const getBytes = (challenge: string) => new Uint8Array(Buffer.from(challenge, 'base64url'));

/** Returns what a browser needs to sign in with a passkey of any account (WebAuthn, PublicKeyCredentialRequestOptionsJSON). */
export async function signInOptions({ site, challenges }: PasskeyDeps) {
  const { generateAuthenticationOptions } = await loadWebAuthn();
  const challenge = getBytes(challenges.create('sign_in'));
  return generateAuthenticationOptions({ rpID: site.host, challenge, timeout, userVerification: 'required' });
}

/** Returns what a browser needs to confirm a person with one of the own passkeys; `undefined` without one. */
export async function confirmOptions({ passkeys, site, challenges }: PasskeyDeps, person: Person) {
  const own = await passkeys.list(person.accountId);
  if (own.length === 0) return undefined;
  const { generateAuthenticationOptions } = await loadWebAuthn();
  return generateAuthenticationOptions({
    rpID: site.host,
    challenge: getBytes(challenges.create(`confirm:${person.session.id}`)),
    timeout,
    userVerification: 'required',
    allowCredentials: own.map(({ credentialId: id }) => ({ id })),
  });
}

/** Returns what a browser needs to create a passkey (WebAuthn, PublicKeyCredentialCreationOptionsJSON). */
export async function creationOptions(
  { passkeys, site, challenges }: PasskeyDeps,
  { accountId, name, session }: Person,
) {
  const own = await passkeys.list(accountId);
  const { generateRegistrationOptions } = await loadWebAuthn();
  return generateRegistrationOptions({
    rpID: site.host,
    rpName: `dialtill ${site.host}`,
    userID: userIdBytes(accountId),
    userName: name,
    userDisplayName: name,
    challenge: getBytes(challenges.create(`add:${session.id}`)),
    timeout,
    supportedAlgorithmIDs: [...algorithms],
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    excludeCredentials: own.map(({ credentialId: id }) => ({ id })),
  });
}

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
): Promise<CheckedPerson | SignInRefusal> {
  const { accounts, passkeys, clock } = deps;
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
    await recordAccountAction(deps, { ...refused, detail: { passkey: passkey?.id } });
  }
  return { ok: false, reason: 'wrong_passkey' };
}
