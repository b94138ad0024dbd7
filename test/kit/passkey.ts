import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';

/** What a page gives the browser for a passkey. */
export type PasskeyOptions = { challenge: string; rp?: { id: string }; rpId?: string; user?: { id: string } };

/** What an attacker or a broken authenticator does differently. */
export type Deviation = {
  origin?: string;
  host?: string;
  counter?: number;
  isUserVerified?: boolean;
  signedBy?: KeyObject;
  userHandle?: string;
};

const consoleOrigin = 'https://pay.example';

/** Returns the options of the passkey form of a page. */
export function passkeyOptionsOf(page: string): PasskeyOptions {
  const [, text = '{}'] = /data-passkey="([^"]*)"/.exec(page) ?? [];
  return JSON.parse(text.replaceAll('&quot;', '"').replaceAll('&amp;', '&'));
}

/** Creates a software authenticator with one passkey, which signs as WebAuthn Level 3 says. */
export function createPasskey() {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const id = randomBytes(16);
  let counter = 0;
  let userHandle: string | undefined;

  const answer = (response: object) =>
    JSON.stringify({
      ...{ id: id.toString('base64url'), rawId: id.toString('base64url'), type: 'public-key' },
      ...{ response, clientExtensionResults: {} },
    });

  return {
    privateKey,
    /** Returns the field of the form that adds the passkey. */
    create(options: PasskeyOptions, deviation: Deviation = {}): string {
      userHandle = options.user?.id;
      const head = authenticatorData(options.rp?.id ?? '', 0, 0x40, deviation);
      const length = Buffer.alloc(2);
      length.writeUInt16BE(id.length);
      const authData = Buffer.concat([head, Buffer.alloc(16), length, id, coseKey(publicKey)]);
      const attestationObject = map([
        [text('fmt'), text('none')],
        [text('attStmt'), map([])],
        [text('authData'), bytes(authData)],
      ]).toString('base64url');
      const clientDataJSON = clientData('webauthn.create', options, deviation).toString('base64url');
      return answer({ clientDataJSON, attestationObject });
    },
    /** Returns the field of the form that signs in or confirms. */
    use(options: PasskeyOptions, deviation: Deviation = {}): string {
      counter += 1;
      const authData = authenticatorData(options.rpId ?? '', counter, 0, deviation);
      const client = clientData('webauthn.get', options, deviation);
      const signed = Buffer.concat([authData, sha256(client)]);
      return answer({
        clientDataJSON: client.toString('base64url'),
        authenticatorData: authData.toString('base64url'),
        signature: sign('sha256', signed, deviation.signedBy ?? privateKey).toString('base64url'),
        userHandle: deviation.userHandle ?? userHandle,
      });
    },
  };
}

const sha256 = (data: Uint8Array | string) => createHash('sha256').update(data).digest();

function clientData(type: string, { challenge }: PasskeyOptions, { origin }: Deviation): Buffer {
  return Buffer.from(
    JSON.stringify({ type, challenge, origin: origin ?? consoleOrigin, crossOrigin: false }),
  );
}

function authenticatorData(
  host: string,
  count: number,
  flags: number,
  { host: otherHost, counter, isUserVerified = true }: Deviation,
): Buffer {
  const counted = Buffer.alloc(4);
  counted.writeUInt32BE(counter ?? count);
  const present = 0x01 | (isUserVerified ? 0x04 : 0) | flags;
  return Buffer.concat([sha256(otherHost ?? host), Buffer.from([present]), counted]);
}

/** Returns an ES256 key in the format of COSE (RFC 9053). */
function coseKey(key: KeyObject): Buffer {
  const { x = '', y = '' } = key.export({ format: 'jwk' });
  return map([
    [Buffer.from([1]), Buffer.from([2])],
    [Buffer.from([3]), Buffer.from([0x26])],
    [Buffer.from([0x20]), Buffer.from([1])],
    [Buffer.from([0x21]), bytes(Buffer.from(x, 'base64url'))],
    [Buffer.from([0x22]), bytes(Buffer.from(y, 'base64url'))],
  ]);
}

/* The parts of CBOR (RFC 8949) that the messages need. */
function map(entries: readonly [Buffer, Buffer][]): Buffer {
  return Buffer.concat([Buffer.from([0xa0 + entries.length]), ...entries.flat()]);
}

function text(value: string): Buffer {
  return Buffer.concat([Buffer.from([0x60 + value.length]), Buffer.from(value)]);
}

/** At most 255 bytes. */
function bytes(value: Buffer): Buffer {
  return Buffer.concat([Buffer.from([0x58, value.length]), value]);
}
