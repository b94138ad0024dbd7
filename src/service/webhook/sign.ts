import { createHmac } from 'node:crypto';
import type { EpochMs } from '../../shared/clock.ts';

/**
 * The signature header of a delivery: `t=<unix seconds>,v1=<hex>`, where v1 is HMAC-SHA256 over `t`, a dot and the
 * raw body, keyed with the secret's bytes. While a secret is being rotated there is one v1 for each.
 */
export function signPayload(secrets: readonly string[], at: EpochMs, body: string): string {
  const t = Math.floor(at / 1000);
  const signatures = secrets.map(
    (secret) => `v1=${createHmac('sha256', secret).update(`${t}.${body}`).digest('hex')}`,
  );
  return [`t=${t}`, ...signatures].join(',');
}
