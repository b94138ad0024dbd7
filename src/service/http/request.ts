import type { Context } from 'hono';
import { once } from '../../shared/once.ts';
import type { Env } from './app.ts';

/** A request as the operations read it. It comes from Hono, or directly from Node. */
export type ApiRequest = {
  method: string;
  /** The decoded path. */
  path: string;
  requestId: string;
  params: Record<string, string>;
  header(name: string): string | undefined;
  /** The parameters of the query in their order. */
  query(): Iterable<[name: string, value: string]>;
  /** Waits for the whole body; the same at each call. Returns `undefined` when the caller disconnected before the body was complete. */
  body(): Promise<Uint8Array | undefined>;
};

/** Returns the request of a Hono context. */
export function toRequest(c: Context<Env>): ApiRequest {
  return {
    method: c.req.method,
    path: c.req.path,
    requestId: c.get('requestId'),
    params: c.req.param(),
    header: (name) => c.req.header(name),
    query: () => new URL(c.req.url).searchParams,
    body: once(async () => {
      try {
        return new Uint8Array(await c.req.raw.arrayBuffer());
      } catch {
        return undefined;
      }
    }),
  };
}
