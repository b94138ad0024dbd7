import { createHmac } from 'node:crypto';
import type { EpochMs } from '../../shared/clock.ts';

/**
 * Returns the signature headers of a request to a merchant's system, in the format of Standard Webhooks.
 *
 * @param secret `whsec_` and the key in base64.
 */
export function signRequest(
  secret: string,
  { id, at, body }: { id: string; at: EpochMs; body: string },
): Record<string, string> {
  const timestamp = String(Math.floor(at / 1000));
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` };
}
