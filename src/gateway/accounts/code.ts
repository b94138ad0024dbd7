import { createHash } from 'node:crypto';
import type { Ids } from '../../shared/ids.ts';
import { base32 } from './base32.ts';

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
