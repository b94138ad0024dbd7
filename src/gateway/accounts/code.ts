import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { EpochMs } from '../../shared/clock.ts';
import type { Ids } from '../../shared/ids.ts';

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** Returns bytes as base32 without padding (RFC 4648, section 6). */
export function base32(bytes: Uint8Array): string {
  let text = '';
  let bits = 0;
  let value = 0;
  for (const byte of bytes) {
    value = (value << 8) | byte;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      text += alphabet[(value >>> bits) & 31];
    }
    value &= (1 << bits) - 1;
  }
  return bits === 0 ? text : text + alphabet[(value << (5 - bits)) & 31];
}

/** 80 bits: a plain digest of such a code cannot be reversed. */
const codeBytes = 10;

/** Returns a new code that a person types: four groups of four letters and digits. */
export function createCode(ids: Pick<Ids, 'secret'>): string {
  const text = base32(Buffer.from(ids.secret(), 'base64url').subarray(0, codeBytes));
  return text.match(/.{4}/g)?.join('-') ?? text;
}

/** Returns the digest that the database has of a code. Spaces, hyphens and the case of letters do not matter. */
export function digestOfCode(code: string): string {
  const text = code.replace(/[\s-]/g, '').toUpperCase();
  return createHash('sha256').update(text).digest('hex');
}

/* No library: RFC 6238 is one HMAC of node:crypto, and each step must be accepted once, which the libraries leave to the caller. */

const stepMs = 30_000;
const digits = 6;

/** Steps by which the clock of a phone may differ. */
const tolerance = 1;

/** Length of a seed, as RFC 4226 recommends. */
export const seedBytes = 20;

/** Returns the one-time password of a time step (RFC 6238, with HMAC-SHA-1 as every authenticator app uses). */
export function oneTimePassword(seed: Uint8Array, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const mac = createHmac('sha1', seed).update(counter).digest();
  const offset = (mac.at(-1) ?? 0) & 15;
  const number = mac.readUInt32BE(offset) & 0x7fffffff;
  return String(number % 10 ** digits).padStart(digits, '0');
}

/** Returns the time step of a moment. */
export function stepAt(now: EpochMs): number {
  return Math.floor(now / stepMs);
}

/**
 * Returns the time step whose one-time password was entered.
 *
 * @param lastStep the newest accepted step: it and earlier ones do not match, so that each is accepted once.
 */
export function matchStep(
  seed: Uint8Array,
  entered: string,
  { now, lastStep }: { now: EpochMs; lastStep: number },
): number | undefined {
  if (!/^\d{6}$/.test(entered)) return undefined;
  const given = Buffer.from(entered);
  let found: number | undefined;
  for (let step = stepAt(now) - tolerance; step <= stepAt(now) + tolerance; step++) {
    const isEqual = timingSafeEqual(Buffer.from(oneTimePassword(seed, step)), given);
    if (isEqual && step > lastStep) found ??= step;
  }
  return found;
}

/** Returns the address that authenticator apps read from a QR code. */
export function enrolmentUrl(seed: Uint8Array, name: string, host: string): string {
  const label = `${encodeURIComponent(`dialtill ${host}`)}:${encodeURIComponent(name)}`;
  return `otpauth://totp/${label}?secret=${base32(seed)}&issuer=${encodeURIComponent(`dialtill ${host}`)}`;
}
