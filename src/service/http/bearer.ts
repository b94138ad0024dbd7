import { createHash, timingSafeEqual } from 'node:crypto';

/** The token of an `Authorization: Bearer …` header. */
export function bearerToken(header: string | undefined): string | undefined {
  return /^Bearer +([\x21-\x7e]{1,256})$/i.exec(header ?? '')?.[1];
}

export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** Compares two SHA-256 digests in a time that does not depend on where they differ. */
export function sameDigest(one: string, other: string): boolean {
  return timingSafeEqual(Buffer.from(one, 'hex'), Buffer.from(other, 'hex'));
}
