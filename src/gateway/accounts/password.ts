/* No library: node:crypto has scrypt, and a native argon2 would be one more binary to build and to trust. */

import { scrypt, timingSafeEqual } from 'node:crypto';
import type { Ids } from '../../shared/ids.ts';

/** Characters of a password (ASVS 6.2.1 and 6.2.9). */
export const passwordLength = { min: 15, max: 128 } as const;

/** About 32 MiB and 0.2 s for each guess. */
const defaultCost = 2 ** 15;
const saltBytes = 16;
const hashBytes = 32;

/** Hashes at the same time, so that the threads of the process stay free for disk writes. */
const maxRunning = 2;
const maxWaiting = 16;

/** A hash was not computed because too many wait. */
export class PasswordsBusy extends Error {}

export type Passwords = {
  /** @throws PasswordsBusy when too many hashes wait. */
  hash(password: string): Promise<string>;
  /**
   * Returns whether a password has this hash. Without a hash, it takes the same time and returns false.
   *
   * @throws PasswordsBusy when too many hashes wait.
   */
  verify(password: string, stored: string | null | undefined): Promise<boolean>;
};

/** Creates the hashing of passwords with scrypt (RFC 7914). @param cost the parameter N. */
export function createPasswords(ids: Pick<Ids, 'secret'>, cost: number = defaultCost): Passwords {
  const parameters = { N: cost, r: 8, p: 3, maxmem: 64 * 1024 * 1024 } as const;
  const scheme = `scrypt-${parameters.N}-${parameters.r}-${parameters.p}`;
  const waiting: (() => void)[] = [];
  let running = 0;

  async function derive(password: string, salt: Buffer): Promise<Buffer> {
    if (running >= maxRunning) {
      if (waiting.length >= maxWaiting) throw new PasswordsBusy('too many passwords are being checked');
      await new Promise<void>((resolve) => waiting.push(resolve));
    } else running += 1;
    try {
      return await new Promise((resolve, reject) =>
        scrypt(password.normalize('NFC'), salt, hashBytes, parameters, (fault, hash) =>
          fault ? reject(fault) : resolve(hash),
        ),
      );
    } finally {
      const next = waiting.shift();
      // The next one takes this place.
      if (next) next();
      else running -= 1;
    }
  }

  return {
    async hash(password) {
      const salt = Buffer.from(ids.secret(), 'base64url').subarray(0, saltBytes);
      const hash = await derive(password, salt);
      return [scheme, salt.toString('base64'), hash.toString('base64')].join(':');
    },
    async verify(password, stored) {
      const [name, salt = '', hash = ''] = (stored ?? '').split(':');
      const expected = Buffer.from(hash, 'base64');
      const isKnown = name === scheme && expected.length === hashBytes;
      const found = await derive(password, isKnown ? Buffer.from(salt, 'base64') : Buffer.alloc(saltBytes));
      return isKnown && timingSafeEqual(found, expected);
    },
  };
}

/** Returns why a text cannot be a password; `undefined` when it can. */
export function passwordFault(password: string): string | undefined {
  const { length } = [...password];
  if (length >= passwordLength.min && length <= passwordLength.max) return undefined;
  return `Choose a password of ${passwordLength.min} to ${passwordLength.max} characters, such as four words.`;
}
