import { createCipheriv, createDecipheriv, hkdfSync } from 'node:crypto';
import type { Ids } from '../../shared/ids.ts';
import type { AnswerCipher } from './run-once.ts';

const nonceBytes = 12;
const tagBytes = 16;

/**
 * Hides a text from whoever reads the database: AES-256-GCM under a key that is derived from a secret which is
 * not in it. With another secret nothing opens.
 */
export function createAnswerCipher(secret: string, ids: Ids): AnswerCipher {
  const key = Buffer.from(hkdfSync('sha256', secret, '', 'dialtill kept answers', 32));
  return {
    encrypt(text) {
      const nonce = Buffer.from(ids.secret(), 'base64url').subarray(0, nonceBytes);
      const cipher = createCipheriv('aes-256-gcm', key, nonce);
      const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64url');
    },
    decrypt(text) {
      const bytes = Buffer.from(text, 'base64url');
      try {
        const opening = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, nonceBytes));
        opening.setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes));
        return Buffer.concat([
          opening.update(bytes.subarray(nonceBytes + tagBytes)),
          opening.final(),
        ]).toString('utf8');
      } catch {
        return undefined;
      }
    },
  };
}
