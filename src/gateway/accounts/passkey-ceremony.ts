import { createHash, createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import { isIP } from 'node:net';
import type * as webAuthn from '@simplewebauthn/server';
import type * as webAuthnHelpers from '@simplewebauthn/server/helpers';
import { z } from 'zod';
import type { Clock } from '../../shared/clock.ts';
import type { Ids } from '../../shared/ids.ts';
import { tryParseJson } from '../../shared/json.ts';
import type { Write } from '../../sqlite/store.ts';
import { type Passkey, passkeyWrites } from './passkey-store.ts';

/** The time for which a challenge is accepted. */
const challengeMs = 5 * 60_000;

/** The end of a challenge at every gateway, also when their clocks differ. */
const keptMs = 4 * challengeMs;

/** The purpose of a challenge. One of a session is accepted in this session alone. */
export type ChallengePurpose = 'sign_in' | `confirm:${string}` | `add:${string}`;

/** Creates and reads the challenges that passkeys sign. */
export type PasskeyChallenges = {
  create(purpose: ChallengePurpose): string;
  /** Returns whether a challenge is for a purpose and has not ended. Whether it was used, the writes of `use` decide. */
  isValid(challenge: string, purpose: ChallengePurpose): boolean;
  /** Returns the writes that use a challenge up. They lose when another request has used it. */
  use(challenge: string): Write[];
};

const timeBytes = 8;
const randomBytes = 16;

/** Creates the challenges of a gateway. Each carries its time and a signature: strangers fill no table, and every gateway accepts it. */
export function createPasskeyChallenges(
  secretsKey: string,
  { clock, ids }: { clock: Pick<Clock, 'now'>; ids: Pick<Ids, 'secret'> },
): PasskeyChallenges {
  const key = Buffer.from(hkdfSync('sha256', Buffer.from(secretsKey, 'base64'), '', 'passkey challenge', 32));
  const sign = (content: Buffer, purpose: ChallengePurpose) =>
    createHmac('sha256', key).update(content).update(purpose).digest();
  return {
    create(purpose) {
      const time = Buffer.alloc(timeBytes);
      time.writeBigUInt64BE(BigInt(clock.now()));
      const random = Buffer.from(ids.secret(), 'base64url').subarray(0, randomBytes);
      const content = Buffer.concat([time, random]);
      return Buffer.concat([content, sign(content, purpose)]).toString('base64url');
    },
    isValid(challenge, purpose) {
      const bytes = Buffer.from(challenge, 'base64url');
      const content = bytes.subarray(0, timeBytes + randomBytes);
      const given = bytes.subarray(timeBytes + randomBytes);
      const expected = sign(content, purpose);
      if (given.length !== expected.length || !timingSafeEqual(given, expected)) return false;
      // The clock of another gateway may be ahead.
      return Math.abs(clock.now() - Number(content.readBigUInt64BE(0))) < challengeMs;
    },
    use(challenge) {
      const now = clock.now();
      const digest = createHash('sha256').update(Buffer.from(challenge, 'base64url')).digest('hex');
      return [
        passkeyWrites.forgetChallenges({ before: now - keptMs }),
        passkeyWrites.useChallenge({ digest, at: now }),
      ];
    },
  };
}

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

type UsedPasskey = z.infer<typeof usedJson>;

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

/** Returns the counter of an accepted use, and the writes that use up its challenge. A counter that does not grow: a copied key. */
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
