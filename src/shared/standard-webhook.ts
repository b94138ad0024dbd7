/* No library: the format is one HMAC of node:crypto, and the time of the signature comes from the given clock. */

import { createHmac } from 'node:crypto';
import type { EpochMs } from './clock.ts';

/**
 * Returns the signature headers of a request, in the format of Standard Webhooks.
 *
 * @param secrets each one `whsec_` and the key in base64. During a rotation, each of two secrets signs.
 */
export function signRequest(
  secrets: readonly string[],
  { id, at, body }: { id: string; at: EpochMs; body: string },
): Record<string, string> {
  const timestamp = String(Math.floor(at / 1000));
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
  });
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') };
}

/** How a secret contains the key: as its own text, or in base64 after an optional `whsec_`. */
export type SecretEncoding = 'text' | 'base64';

/** Returns the key of a webhook secret; `undefined` when the secret has to be base64 and is not. */
export function toKey(secret: string, encoding: SecretEncoding): Buffer | undefined {
  if (encoding === 'text') return Buffer.from(secret);
  const text = secret.replace(/^whsec_/, '');
  const bytes = Buffer.from(text, 'base64');
  return bytes.toString('base64').replace(/=+$/, '') === text.replace(/={0,2}$/, '') ? bytes : undefined;
}
