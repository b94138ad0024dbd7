import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import type { Context } from 'hono';

/** A document that was rendered once: its bytes, the same compressed, and the tag by which browsers recognise them. */
export type Prepared = {
  type: string;
  plain: Uint8Array<ArrayBuffer>;
  gzipped: Uint8Array<ArrayBuffer>;
  etag: string;
};

/** Prepares a document of public content. A page with a secret must not be compressed beside what a caller has chosen. */
export function prepare(type: string, content: string | Buffer): Prepared {
  const plain = new Uint8Array(Buffer.from(content));
  // Weak: both encodings have the same tag.
  const etag = `W/"${createHash('sha256').update(plain).digest('base64url').slice(0, 22)}"`;
  return { type, plain, gzipped: new Uint8Array(gzipSync(plain)), etag };
}

/**
 * Sends a prepared document; 304 without a body to a client that has it. Browsers ask again before each use, unless the caller
 * has set another `cache-control`.
 */
export function sendPrepared(c: Context, { type, plain, gzipped, etag }: Prepared): Response {
  c.header('etag', etag);
  c.header('vary', 'accept-encoding');
  if (c.res.headers.get('cache-control') === null) c.header('cache-control', 'no-cache');
  if (hasTag(c.req.header('if-none-match'), etag)) return c.body(null, 304);
  c.header('content-type', type);
  if (!/\bgzip\b/.test(c.req.header('accept-encoding') ?? '')) return c.body(plain);
  c.header('content-encoding', 'gzip');
  return c.body(gzipped);
}

function hasTag(header: string | undefined, etag: string): boolean {
  return header?.split(',').some((tag) => tag.trim() === etag || tag.trim() === '*') ?? false;
}
