import type { AddressInfo } from 'node:net';
import { createAdaptorServer } from '@hono/node-server';
import { messageOf, UserError } from './shared/errors.ts';

export type Listening = {
  url: string;
  port: number;
  /** Takes no more connections, lets running requests finish, and cuts what is left after `graceMs`. */
  close(graceMs: number): Promise<void>;
};

/** Limits on what one peer can hold open; Node's own defaults are minutes and no bound at all. */
const limits = {
  headersTimeout: 5_000,
  requestTimeout: 10_000,
  keepAliveTimeout: 15_000,
  connectionsCheckingInterval: 1_000,
  maxHeaderSize: 8 * 1024,
} as const;
const mostConnections = 2_000;
const mostRequestsPerSocket = 1_000;

/**
 * Serves an app over HTTP with bounds on headers, bodies, connections and time.
 *
 * @param portSetting where a user sets the port, for the error that says so.
 * @throws UserError when the address cannot be had.
 */
export async function listen(
  app: { fetch: Parameters<typeof createAdaptorServer>[0]['fetch'] },
  address: { host: string; port: number },
  portSetting: string,
): Promise<Listening> {
  const server = createAdaptorServer({ fetch: app.fetch, serverOptions: limits });
  if (!('maxRequestsPerSocket' in server)) throw new Error('expected a plain HTTP server');
  server.maxConnections = mostConnections;
  server.maxRequestsPerSocket = mostRequestsPerSocket;
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause) =>
      reject(
        new UserError(
          `cannot listen on ${address.host}:${address.port}: ${messageOf(cause)}. Choose another port with ${portSetting}.`,
          {
            cause,
          },
        ),
      ),
    );
    server.listen(address.port, address.host, resolve);
  });
  const { port } = server.address() as AddressInfo;
  const host = address.host.includes(':') ? `[${address.host}]` : address.host;
  return {
    url: `http://${host}:${port}`,
    port,
    close: (graceMs) =>
      new Promise((resolve) => {
        const cut = setTimeout(() => server.closeAllConnections(), graceMs);
        server.close(() => {
          clearTimeout(cut);
          resolve();
        });
        server.closeIdleConnections();
      }),
  };
}
