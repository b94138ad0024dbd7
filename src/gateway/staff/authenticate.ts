import { createHash, timingSafeEqual } from 'node:crypto';

/** A person of the configuration. */
export type StaffMember = { name: string; secret: string };

/** Returns the name of the person whom an `Authorization` header proves; undefined when it proves none. */
export type Authenticate = (header: string | undefined) => string | undefined;

/** A name has at most 32 characters, and a secret 128. */
const maxHeaderLength = 512;

/** Creates the check of HTTP Basic credentials. It compares every secret in constant time. */
export function createAuthenticate(staff: readonly StaffMember[]): Authenticate {
  const known = staff.map(({ name, secret }) => ({ name, digest: digestOf(secret) }));
  return (header) => {
    const given = readCredentials(header);
    if (!given) return undefined;
    const digest = digestOf(given.secret);
    let proven: string | undefined;
    for (const one of known) {
      if (timingSafeEqual(one.digest, digest) && one.name === given.name) proven = one.name;
    }
    return proven;
  };
}

function digestOf(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}

/** Returns the name and the secret of HTTP Basic; undefined without them. */
export function readCredentials(header: string | undefined): StaffMember | undefined {
  if (header === undefined || header.length > maxHeaderLength) return undefined;
  const encoded = /^Basic +([A-Za-z0-9+/]+={0,2})$/i.exec(header)?.[1];
  const text = encoded === undefined ? '' : Buffer.from(encoded, 'base64').toString('utf8');
  const end = text.indexOf(':');
  return end > 0 ? { name: text.slice(0, end), secret: text.slice(end + 1) } : undefined;
}
