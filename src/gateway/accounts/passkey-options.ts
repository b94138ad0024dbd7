import type { Person } from '../access/actor.ts';
import { algorithms, loadWebAuthn, userIdBytes } from './passkey-ceremony.ts';
import type { PasskeyDeps } from './passkeys.ts';

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
