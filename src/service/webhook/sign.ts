import { createHmac } from 'node:crypto';
import type { EpochMs } from '../../shared/clock.ts';

/**
 * Returns the signature header of a delivery: `t=<unix seconds>,v1=<hex>`. v1 is the HMAC-SHA256 of `t`, a dot and the
 * raw body, keyed with the bytes of the secret. During the rotation of a secret, each of the two has a v1.
 */
export function signPayload(secrets: readonly string[], at: EpochMs, body: string): string {
  const t = Math.floor(at / 1000);
  const signatures = secrets.map(
    (secret) => `v1=${createHmac('sha256', secret).update(`${t}.${body}`).digest('hex')}`,
  );
  return [`t=${t}`, ...signatures].join(',');
}
