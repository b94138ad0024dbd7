import type { Context } from 'hono';
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
  /** Returns the body, which has arrived. */
  body(): Promise<Uint8Array>;
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
    body: async () => new Uint8Array(await c.req.arrayBuffer()),
  };
}
