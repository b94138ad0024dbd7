/** How a secret contains the key: as its own text, or in base64 after an optional `whsec_`. */
export type SecretEncoding = 'text' | 'base64';

/** Returns the key of a webhook secret; `undefined` when the secret has to be base64 and is not. */
export function toKey(secret: string, encoding: SecretEncoding): Buffer | undefined {
  if (encoding === 'text') return Buffer.from(secret);
  const text = secret.replace(/^whsec_/, '');
  const bytes = Buffer.from(text, 'base64');
  return bytes.toString('base64').replace(/=+$/, '') === text.replace(/={0,2}$/, '') ? bytes : undefined;
}
