import type { Person } from '../access/actor.ts';
import { algorithms, userHandle } from './passkey-ceremony.ts';
import type { PasskeyDeps } from './passkeys.ts';

/** Shorter than a challenge is accepted. */
const timeout = 4 * 60_000;

/** Returns what a browser needs to sign in with a passkey of any account (WebAuthn, PublicKeyCredentialRequestOptionsJSON). */
export function signInOptions({ site, challenges }: PasskeyDeps) {
  const challenge = challenges.create('sign_in');
  return { challenge, rpId: site.host, timeout, userVerification: 'required' };
}

/** Returns what a browser needs to confirm a person with one of the own passkeys; `undefined` without one. */
export async function confirmOptions({ passkeys, site, challenges }: PasskeyDeps, person: Person) {
  const own = await passkeys.list(person.accountId);
  if (own.length === 0) return undefined;
  const challenge = challenges.create(`confirm:${person.session.id}`);
  const allowCredentials = own.map(({ credentialId: id }) => ({ type: 'public-key', id }));
  return { challenge, rpId: site.host, timeout, userVerification: 'required', allowCredentials };
}

/** Returns what a browser needs to create a passkey (WebAuthn, PublicKeyCredentialCreationOptionsJSON). */
export async function creationOptions(
  { passkeys, site, challenges }: PasskeyDeps,
  { accountId, name, session }: Person,
) {
  const own = await passkeys.list(accountId);
  return {
    challenge: challenges.create(`add:${session.id}`),
    rp: { id: site.host, name: `dialtill ${site.host}` },
    user: { id: userHandle(accountId), name, displayName: name },
    pubKeyCredParams: algorithms.map((alg) => ({ type: 'public-key', alg })),
    timeout,
    attestation: 'none',
    authenticatorSelection: {
      residentKey: 'required',
      requireResidentKey: true,
      userVerification: 'required',
    },
    excludeCredentials: own.map(({ credentialId: id }) => ({ type: 'public-key', id })),
  };
}
