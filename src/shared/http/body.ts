import type { IncomingMessage } from 'node:http';
import type { MiddlewareHandler } from 'hono';

/** Returns whether the body is absent, or its length is known and within the bound. A GET has no body. */
export function hasBoundedBody({ method, headers }: IncomingMessage, maxBytes: number): boolean {
  const { 'content-length': length, 'transfer-encoding': encoding } = headers;
  if (encoding !== undefined) return false;
  if (length === undefined) return true;
  return method !== 'GET' && Number(length) <= maxBytes;
}

/** Reads the body, and calls `done` once it is complete. A request that breaks off is dropped. */
export function readWhole(incoming: IncomingMessage, done: (body: Buffer) => void): void {
  const chunks: Buffer[] = [];
  incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
  incoming.once('end', () => {
    const [first] = chunks;
    done(chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks));
  });
}

/** Reads the body of a response into memory. @returns `undefined` when the body exceeds `maxBytes`; the rest is not read. */
export async function readBounded(
  { body }: { body: AsyncIterable<Uint8Array> | Iterable<Uint8Array> | null },
  maxBytes: number,
): Promise<Buffer | undefined> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body ?? []) {
    size += chunk.byteLength;
    if (size > maxBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Waits for the whole body before the sender is authenticated: access can end while a body arrives. Comes after the bound of the body. */
export const wholeBody: MiddlewareHandler = async (c, next) => {
  try {
    await c.req.arrayBuffer();
  } catch {
    // The sender has left.
    return c.body(null, 400);
  }
  return next();
};
