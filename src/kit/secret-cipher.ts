import { createCipheriv, createDecipheriv, createHmac, hkdfSync } from 'node:crypto';
import type { Ids } from '../shared/ids.ts';

const nonceBytes = 12;
const tagBytes = 16;

/** Encrypts secrets that a database holds and that are used again. */
export type SecretCipher = {
  /** @param owner the id of the row. A secret that is copied to another row cannot be decrypted. */
  encrypt(secret: string, owner: string): string;
  /** @returns `undefined` when the key is another one, or the text was changed. */
  decrypt(text: string, owner: string): string | undefined;
};

/** A cipher that also computes digests with its key. */
export type DigestingCipher = SecretCipher & {
  /** Returns 32 bytes that a stranger cannot compute from the text. */
  digest(text: string): Buffer;
};

/** Creates a cipher with AES-256-GCM. `key` is the base64 of 32 bytes; the database does not contain it. */
export function createSecretCipher(key: string, ids: Pick<Ids, 'secret'>): DigestingCipher {
  const bytes = Buffer.from(key, 'base64');
  const digestKey = deriveKey(key, 'dialtill digests');
  return {
    digest: (text) => createHmac('sha256', digestKey).update(text).digest(),
    encrypt(secret, owner) {
      const nonce = Buffer.from(ids.secret(), 'base64url').subarray(0, nonceBytes);
      const cipher = createCipheriv('aes-256-gcm', bytes, nonce).setAAD(Buffer.from(owner));
      const ciphertext = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
      return Buffer.concat([nonce, cipher.getAuthTag(), ciphertext]).toString('base64url');
    },
    decrypt(text, owner) {
      const stored = Buffer.from(text, 'base64url');
      const tag = stored.subarray(nonceBytes, nonceBytes + tagBytes);
      if (tag.length < tagBytes) return undefined;
      try {
        const decipher = createDecipheriv('aes-256-gcm', bytes, stored.subarray(0, nonceBytes));
        decipher.setAAD(Buffer.from(owner)).setAuthTag(tag);
        const ciphertext = stored.subarray(nonceBytes + tagBytes);
        return Buffer.concat([decipher.update(ciphertext), decipher.final()]).toString('utf8');
      } catch {
        return undefined;
      }
    },
  };
}

/** Derives the key of a cipher for one purpose from another secret. */
export function deriveKey(secret: string, purpose: string): string {
  return Buffer.from(hkdfSync('sha256', secret, '', purpose, 32)).toString('base64');
}
