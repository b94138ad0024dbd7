import { scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { findMagicName } from '../../contract/service/magic-numbers.ts';
import type { Ids } from '../../shared/ids.ts';
import type { Livemode } from '../schema.ts';

const codeLength = 6;

const digestBytes = 32;

/** About 10 ms and 4 MiB for each guess: all codes cannot be tried against a stolen digest within ten minutes. */
const cost = { N: 4_096, r: 8, p: 1 };

const derive = promisify<string, string, number, typeof cost, Buffer>(scrypt);

/** The stored form of a code. */
export type HashedCode = { salt: string; digest: string };

/** The code of every request in test mode for a magic number. */
export const testCode = '123456';

/** Returns the fixed code of a request in test mode for a magic number; `undefined` for every other request. */
export function fixedCode(livemode: Livemode, payer: string): string | undefined {
  return livemode === 0 && findMagicName(payer) !== undefined ? testCode : undefined;
}

/** Generates a code of six digits, unless it is fixed, and its stored form. */
export async function generateCode(
  ids: Ids,
  code: string = ids.digits(codeLength),
): Promise<HashedCode & { code: string }> {
  const salt = ids.secret();
  const digest = await derive(code, salt, digestBytes, cost);
  return { code, salt, digest: digest.toString('hex') };
}

/** True when a typed code is the right one. Takes the same time for every code. */
export async function verifyCode(typed: string, { salt, digest }: HashedCode): Promise<boolean> {
  return timingSafeEqual(await derive(typed, salt, digestBytes, cost), Buffer.from(digest, 'hex'));
}
