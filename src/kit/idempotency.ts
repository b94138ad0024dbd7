import { hash } from 'node:crypto';
import canonicalize from 'canonicalize';

/** What an `Idempotency-Key` header may contain. */
export const idempotencyKeyPattern = /^[\x20-\x7e]{1,255}$/;

/** Identifies a request: the SHA-256 of its method, its path and its body as canonical JSON (RFC 8785). */
export function fingerprint(method: string, path: string, body: unknown): string {
  return hash('sha256', `${method}\n${path}\n${canonicalize(body) ?? ''}`);
}
