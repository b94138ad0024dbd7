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
