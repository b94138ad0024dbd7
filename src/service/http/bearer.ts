import { hash, timingSafeEqual } from 'node:crypto';

/** Returns the token of an `Authorization: Bearer …` header. */
export function bearerToken(header: string | undefined): string | undefined {
  return /^Bearer +([\x21-\x7e]{1,256})$/i.exec(header ?? '')?.[1];
}

export function sha256(text: string): string {
  return hash('sha256', text);
}

/** Compares two SHA-256 digests in constant time. */
export function sameDigest(a: string, b: string): boolean {
  return timingSafeEqual(Buffer.from(a, 'hex'), Buffer.from(b, 'hex'));
}
