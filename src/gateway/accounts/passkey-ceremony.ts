import { isIP } from 'node:net';
import type * as webAuthn from '@simplewebauthn/server';
import type * as webAuthnHelpers from '@simplewebauthn/server/helpers';
import { z } from 'zod';
import { tryParseJson } from '../../shared/json.ts';
import type { Write } from '../../sqlite/store.ts';
import type { ChallengePurpose, PasskeyChallenges } from './passkey-challenge.ts';
import type { Passkey } from './passkey-store.ts';

/** The site whose passkeys are accepted: browsers bind each one to the host. */
export type PasskeySite = { origin: string; host: string };

/** Returns the site of an address; `undefined` for an IP address, for which browsers create no passkeys. */
export function passkeySite({ origin, hostname }: URL): PasskeySite | undefined {
  return isIP(hostname.replace(/^\[|\]$/g, '')) === 0 ? { origin, host: hostname } : undefined;
}

const base64url = z
  .string()
  .regex(/^[\w-]+$/)
  .max(8_192);

const credential = { id: base64url.max(1_366), rawId: base64url, type: z.literal('public-key') };

/** The answer of a browser that created a passkey (WebAuthn Level 3, RegistrationResponseJSON). */
const createdJson = z.object({
  ...credential,
  response: z.object({ clientDataJSON: base64url, attestationObject: base64url }),
  clientExtensionResults: z.object({}).default({}),
});

/** The answer of a browser that used a passkey (WebAuthn Level 3, AuthenticationResponseJSON). */
const usedJson = z.object({
  ...credential,
  response: z.object({
    clientDataJSON: base64url,
    authenticatorData: base64url,
    signature: base64url,
    userHandle: base64url.nullish(),
  }),
  clientExtensionResults: z.object({}).default({}),
});

export type UsedPasskey = z.infer<typeof usedJson>;

/** Reads the field of a form in which the script puts the answer of a passkey. */
export function readUsedPasskey(text: string): UsedPasskey | undefined {
  return usedJson.safeParse(tryParseJson(text)).data;
}

/** Loads the library, which takes some hundred milliseconds, only in a gateway with passkeys. */
export async function loadWebAuthn(): Promise<typeof webAuthn & typeof webAuthnHelpers> {
  const [library, helpers] = await Promise.all([
    import('@simplewebauthn/server'),
    import('@simplewebauthn/server/helpers'),
  ]);
  return { ...library, ...helpers };
}

type Ceremony = { site: PasskeySite; challenges: PasskeyChallenges };

/** Returns the new credential, and the writes that use up its challenge; `undefined` when it is not accepted. */
export async function verifyCreated(
  { site, challenges }: Ceremony,
  { text, purpose }: { text: string; purpose: ChallengePurpose },
): Promise<{ credential: webAuthn.WebAuthnCredential; writes: Write[] } | undefined> {
  const { data: created } = createdJson.safeParse(tryParseJson(text));
  if (!created || (await hasCertificate(created.response.attestationObject))) return undefined;
  const { verifyRegistrationResponse } = await loadWebAuthn();
  let signed = '';
  const verified = await accepted(
    verifyRegistrationResponse({
      response: created,
      expectedOrigin: site.origin,
      expectedRPID: site.host,
      supportedAlgorithmIDs: [...algorithms],
      expectedChallenge(challenge) {
        signed = challenge;
        return challenges.isValid(challenge, purpose);
      },
    }),
  );
  if (!verified?.verified) return undefined;
  return { credential: verified.registrationInfo.credential, writes: challenges.use(signed) };
}

/**
 * Returns the counter of an accepted use, and the writes that use up its challenge. A counter that does not grow is not accepted:
 * the key was copied.
 */
export async function verifyUsed(
  { site, challenges }: Ceremony,
  { used, passkey, purpose }: { used: UsedPasskey; passkey: Passkey; purpose: ChallengePurpose },
): Promise<{ counter: number; writes: Write[] } | undefined> {
  const { credentialId, publicKey, counter } = passkey;
  // The handle is the id of the account for which the authenticator created the passkey.
  const { userHandle: handle, ...response } = used.response;
  if (handle != null && handle !== Buffer.from(userIdBytes(passkey.accountId)).toString('base64url'))
    return undefined;
  const { verifyAuthenticationResponse } = await loadWebAuthn();
  let signed = '';
  const verified = await accepted(
    verifyAuthenticationResponse({
      response: { ...used, response },
      expectedOrigin: site.origin,
      expectedRPID: site.host,
      credential: {
        id: credentialId,
        publicKey: new Uint8Array(Buffer.from(publicKey, 'base64url')),
        counter,
      },
      expectedChallenge(challenge) {
        signed = challenge;
        return challenges.isValid(challenge, purpose);
      },
    }),
  );
  if (!verified?.verified) return undefined;
  return { counter: verified.authenticationInfo.newCounter, writes: challenges.use(signed) };
}

/** EdDSA, ES256 and RS256, which all authenticators of phones and computers have among them. */
export const algorithms = [-8, -7, -257] as const;

/** The id of a person at the authenticator. */
export function userIdBytes(accountId: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Buffer.from(accountId));
}

/** The pages ask for no attestation. The library would fetch the revocation lists that a certificate names. */
async function hasCertificate(attestationObject: string): Promise<boolean> {
  const { decodeAttestationObject } = await loadWebAuthn();
  try {
    const decoded = decodeAttestationObject(new Uint8Array(Buffer.from(attestationObject, 'base64url')));
    return decoded.get('fmt') !== 'none' && decoded.get('attStmt').get('x5c') !== undefined;
  } catch {
    return true;
  }
}

/** The library throws for everything that it does not accept. */
async function accepted<Result>(verification: Promise<Result>): Promise<Result | undefined> {
  try {
    return await verification;
  } catch {
    return undefined;
  }
}
