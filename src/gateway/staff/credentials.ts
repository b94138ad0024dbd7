/** A name and a secret, as HTTP Basic carries them. */
export type Credentials = { name: string; secret: string };

/** A name has at most 32 characters, and a token 64. */
const maxHeaderLength = 512;

/** Returns the name and the secret of HTTP Basic; undefined without them. */
export function readCredentials(header: string | undefined): Credentials | undefined {
  if (header === undefined || header.length > maxHeaderLength) return undefined;
  const encoded = /^Basic +([A-Za-z0-9+/]+={0,2})$/i.exec(header)?.[1];
  const text = encoded === undefined ? '' : Buffer.from(encoded, 'base64').toString('utf8');
  const end = text.indexOf(':');
  return end > 0 ? { name: text.slice(0, end), secret: text.slice(end + 1) } : undefined;
}
