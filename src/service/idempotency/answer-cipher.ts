import { createCipheriv, createDecipheriv, hkdfSync } from 'node:crypto';
import type { Ids } from '../../shared/ids.ts';
import type { AnswerCipher } from './run-once.ts';

const nonceBytes = 12;
const tagBytes = 16;

/**
 * Creates a cipher for responses that contain a secret, so that a copy of the database does not reveal it: AES-256-GCM
 * under a key that is derived from `secret`, which the database does not contain.
 */
export function createAnswerCipher(secret: string, ids: Ids): AnswerCipher {
  const key = Buffer.from(hkdfSync('sha256', secret, '', 'dialtill saved responses', 32));
  return {
    encrypt(text) {
      const nonce = Buffer.from(ids.secret(), 'base64url').subarray(0, nonceBytes);
      const cipher = createCipheriv('aes-256-gcm', key, nonce);
      const ciphertext = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      return Buffer.concat([nonce, cipher.getAuthTag(), ciphertext]).toString('base64url');
    },
    decrypt(text) {
      const bytes = Buffer.from(text, 'base64url');
      try {
        const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, nonceBytes));
        decipher.setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes));
        return Buffer.concat([
          decipher.update(bytes.subarray(nonceBytes + tagBytes)),
          decipher.final(),
        ]).toString('utf8');
      } catch {
        return undefined;
      }
    },
  };
}
