import { createHmac, timingSafeEqual } from 'node:crypto';
import type { EpochMs } from '../../shared/clock.ts';
import { type SecretEncoding, toKey } from '../../shared/standard-webhook.ts';

/** Format of the signature. The service's interface defines only the header, so the rest is configuration. */
export type SignatureSettings = {
  header: string;
  algorithm: 'sha256' | 'sha512';
  encoding: 'hex' | 'base64';
  timestampUnit: 'seconds' | 'milliseconds';
  /** The signed text: `{t}` and `{body}` once each, and at most one `{id}` for the event id in the request header. */
  signedText: string;
  secretEncoding: SecretEncoding;
  /** Maximum difference between the signed time and the time of receipt, in either direction. */
  toleranceMs: number;
};

export type Verification =
  | { kind: 'valid'; secretIndex: number }
  /** A valid signature with a timestamp outside the tolerance. */
  | { kind: 'stale'; secretIndex: number }
  | { kind: 'forged' };

export type SignedBody = {
  /** The signature header. */
  header: string | undefined;
  /** The event id in the request header, when present. */
  eventId?: string | undefined;
  body: Uint8Array;
  receivedAt: EpochMs;
};

/** A rotation of secrets sends two or three `v1` values. */
const maxHeaderLength = 2048;
const maxSignatures = 10;

/**
 * Verifies the signature of a delivery over its time and raw bytes against every active secret, in constant time.
 *
 * @param minSecrets secrets to compute signatures for at least, so that the duration does not reveal how many there are.
 * @returns `forged` for any header that cannot be parsed. Never throws.
 */
export function verifySignature(
  settings: SignatureSettings,
  secrets: readonly string[],
  { header, eventId, body, receivedAt }: SignedBody,
  minSecrets = 0,
): Verification {
  const parsed = parseHeader(header);
  if (!parsed) return { kind: 'forged' };
  const signedBytes = findSignedBytes(settings.signedText, { t: parsed.t, id: eventId, body });
  if (!signedBytes) return { kind: 'forged' };
  let match = -1;
  for (let index = 0; index < Math.max(secrets.length, minSecrets); index++) {
    const secret = secrets[index];
    const key =
      (secret === undefined ? undefined : toKey(secret, settings.secretEncoding)) ?? Buffer.alloc(0);
    const expected = createHmac(settings.algorithm, key).update(signedBytes).digest();
    for (const signature of parsed.signatures) {
      const given = decode(signature, settings.encoding);
      const equal = given.length === expected.length && timingSafeEqual(given, expected);
      if (equal && key.length > 0 && match < 0) match = index;
    }
  }
  if (match < 0) return { kind: 'forged' };
  const signedAt = Number(parsed.t) * (settings.timestampUnit === 'seconds' ? 1000 : 1);
  const fresh = Math.abs(receivedAt - signedAt) <= settings.toleranceMs;
  return { kind: fresh ? 'valid' : 'stale', secretIndex: match };
}

type SignedParts = { t: string; id: string | undefined; body: Uint8Array };

/** Returns `undefined` when the text requires the event id and the request has none. */
function findSignedBytes(signedText: string, { t, id, body }: SignedParts): Buffer | undefined {
  if (id === undefined && signedText.includes('{id}')) return undefined;
  const parts = signedText.split(/(\{[a-z]+\})/).map((part) => {
    if (part === '{body}') return body;
    if (part === '{t}') return Buffer.from(t);
    return Buffer.from(part === '{id}' ? (id ?? '') : part);
  });
  return Buffer.concat(parts);
}

function parseHeader(header: string | undefined): { t: string; signatures: string[] } | undefined {
  if (header === undefined || header.length > maxHeaderLength) return undefined;
  let t: string | undefined;
  const signatures: string[] = [];
  for (const part of header.split(',')) {
    const at = part.indexOf('=');
    if (at < 0) continue;
    const name = part.slice(0, at).trim();
    const value = part.slice(at + 1).trim();
    if (name === 't') {
      if (t !== undefined) return undefined;
      t = value;
    } else if (name === 'v1') {
      signatures.push(value);
    }
  }
  if (t === undefined || !/^\d{1,16}$/.test(t)) return undefined;
  if (signatures.length === 0 || signatures.length > maxSignatures) return undefined;
  return { t, signatures };
}

/** Decodes strictly: `Buffer` ignores invalid characters, but a signature has exactly one spelling. */
function decode(text: string, encoding: 'hex' | 'base64'): Buffer {
  const bytes = Buffer.from(text, encoding);
  return bytes.toString(encoding) === text ? bytes : Buffer.alloc(0);
}
